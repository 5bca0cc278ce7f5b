"""Profiles on gateways and original clients, which write and call. Both kinds of profiles have the same methods. The
name of a chat is the name of the contact or the group."""

import hashlib
import http.client
import json
import re
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request
import uuid

from .programs import Program, Unanswered, free_port, until

VIDEO = {"media": "video", "capabilities": {"encryption": True}}
# The states of a call, as in the item of the call. Each state after "progress" is an end.
CALL_STATES = ["pending", "accepted", "negotiated", "progress", "ended", "missed", "rejected", "error"]


def session(mark):
    return {"rtcSession": mark, "rtcIceCandidates": "W10"}


def bytes_of(paths):
    """Returns the size of all files together, in bytes. A journal of a database may disappear meanwhile."""
    total = 0
    for path in paths:
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            pass
    return total


class Gateway:
    """A gateway process with its data, for one or more profiles."""

    def __init__(self, name, folder, world):
        self.name, self.data, self.port = name, folder / name, free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.program = Program(
            name,
            folder,
            [
                world.executable,
                "serve",
                "--data",
                self.data,
                "--port",
                str(self.port),
                "--no-relay",
                "--smp-server",
                world.messages,
                "--xftp-server",
                world.files,
                "--webhook-allow",
                "127.0.0.1",
                "--log-level",
                "info",
            ],
            clock=True,
        )

    def start(self):
        self.program.start()
        until(
            lambda: urllib.request.urlopen(self.base + "/readyz", timeout=5).status == 200, f"{self.name} is ready", 120
        )
        self.key = (self.data / "admin.key").read_text().strip()

    def call(self, method, path, body=None, key=None, raw=None, timeout=60):
        headers = {
            "Authorization": "Bearer " + self.key,
            "Content-Type": "application/json" if raw is None else "application/octet-stream",
        }
        if key:
            headers["Idempotency-Key"] = key
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(
                urllib.request.Request(self.base + path, method=method, data=data, headers=headers), timeout=timeout
            ) as answer:
                content = answer.read()
                return json.loads(content) if answer.headers["Content-Type"] == "application/json" else content
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            if error.code >= 500 or error.code in (408, 409, 425, 429):
                raise Unanswered(f"{method} {path}: {error.code} {text[:300]}") from None
            raise RuntimeError(f"{self.name}: {method} {path}: {error.code} {text[:500]}") from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise Unanswered(f"{method} {path}: {error!r}") from None

    def repeat_until_answered(self, method, path, body=None, raw=None):
        """Repeats a request with the same idempotency key until it is answered."""
        key = str(uuid.uuid4())
        return until(
            lambda: [self.call(method, path, body, key if method == "POST" else None, raw)],
            f"{self.name}: {method} {path}",
            900,
        )[0]

    def sizes(self):
        return bytes_of(self.data.glob("*.db*"))


class Profile:
    """Base class of profiles on gateways and of originals."""

    knows_channels = True

    def __init__(self, name):
        self.name, self.contacts, self.groups = name, {}, {}

    @property
    def chats(self):
        return [*self.contacts, *self.groups]

    def group_named(self, name, seconds=180):
        """Waits for a group that another profile has created, and returns the group's id."""
        return until(
            lambda: next(
                (g["groupId"] for g in self.listed_groups() if g["groupProfile"]["displayName"] == name), None
            ),
            f"{self.name} has {name}",
            seconds,
        )

    def membership(self, group):
        return next(g["membership"] for g in self.listed_groups() if g["groupId"] == self.groups[group])

    def member_roles(self, group):
        return {
            m["memberProfile"]["displayName"]: m["memberRole"]
            for m in self.members(group)
            if m["memberStatus"] not in ("removed", "left", "deleted", "invited", "rejected")
        }

    def present(self, group):
        return {
            m["memberProfile"]["displayName"]
            for m in self.members(group)
            if m["memberStatus"] in ("connected", "complete", "creator")
        }

    def received(self, chat):
        """Returns the texts in the order of their arrival. The chat itself is sorted by the time of the relay, whose
        clock may jump."""
        found = sorted(self.items(chat), key=lambda item: item["meta"]["itemId"])
        return [
            item["meta"]["itemText"]
            for item in found
            if item["chatDir"]["type"].endswith("Rcv") and item["content"]["type"] == "rcvMsgContent"
        ]

    def call_items(self, chat, last=300):
        """Returns the calls among the last items: the id of the item, whether the call was made here, and its state."""
        return [
            (item["meta"]["itemId"], item["content"]["type"] == "sndCall", item["content"]["status"])
            for item in sorted(self.items(chat, last), key=lambda item: item["meta"]["itemId"])
            if item["content"]["type"] in ("sndCall", "rcvCall")
        ]

    def take_files(self, chat, last=None):
        """Accepts each offered file. Returns the digests of the received files by the texts of their messages."""
        digests = {}
        for item in self.items(chat, last):
            file = item.get("file")
            if not file or not item["chatDir"]["type"].endswith("Rcv"):
                continue
            status = file["fileStatus"]["type"]
            if status == "rcvInvitation":
                self.receive(file["fileId"])
            elif status == "rcvComplete":
                digests[item["meta"]["itemText"]] = hashlib.sha256(self.content(file)).hexdigest()
        return digests


class Ours(Profile):
    """A profile on a gateway."""

    def __init__(self, name, gateway):
        super().__init__(name)
        self.gateway, self.program = gateway, gateway.program

    def create(self, **options):
        self.user = self.gateway.repeat_until_answered(
            "POST", "/v1/users", {"profile": {"displayName": self.name, "fullName": ""}, **options}
        )["user"]["userId"]

    def repeat_until_answered(self, method, path, body=None, raw=None):
        return self.gateway.repeat_until_answered(method, f"/v1/users/{self.user}/{path}", body, raw)

    def get(self, path):
        return self.gateway.call("GET", f"/v1/users/{self.user}/{path}")

    def invite(self):
        return self.repeat_until_answered("POST", "connections/invitations", {})["connLinkInvitation"]["connFullLink"]

    def accept(self, link):
        self.repeat_until_answered("POST", "connections", {"connLink": link})

    def connected(self):
        return {
            c["profile"]["displayName"]: c["contactId"]
            for c in self.get("contacts")["contacts"]
            if c.get("activeConn", {}).get("connStatus", {}).get("type") == "ready"
        }

    def create_group(self, name):
        self.groups[name] = self.repeat_until_answered(
            "POST", "groups", {"incognito": False, "groupProfile": {"displayName": name, "fullName": ""}}
        )["groupInfo"]["groupId"]

    def add(self, contact, group):
        self.repeat_until_answered(
            "POST", f"groups/{self.groups[group]}/members", {"contactId": contact, "memberRole": "member"}
        )

    def join(self, name):
        self.groups[name] = self.group_named(name)
        self.repeat_until_answered("POST", f"groups/{self.groups[name]}/join", {})

    def listed_groups(self):
        return self.get("groups")["groups"]

    def members(self, group):
        return self.get(f"groups/{self.groups[group]}/members")["group"]["members"]

    def create_channel(self, name, relay):
        """Creates a channel that a chat relay serves. Returns the link of the channel."""
        servers = self.get("servers")["userServers"]
        servers[0]["chatRelays"] = [
            {
                "address": relay,
                "relayProfile": {"displayName": "hub", "fullName": ""},
                "domains": ["127.0.0.1"],
                "preset": False,
                "enabled": True,
                "deleted": False,
            }
        ]
        self.repeat_until_answered("PUT", "servers", {"userServers": servers})
        ids = [r["chatRelayId"] for r in self.get("servers")["userServers"][0]["chatRelays"]]
        made = self.repeat_until_answered(
            "POST",
            "channels",
            {
                "relayIds": ids,
                "groupProfile": {
                    "displayName": name,
                    "fullName": "",
                    "groupPreferences": {"history": {"enable": "on"}},
                },
            },
        )
        self.groups[name] = made["groupInfo"]["groupId"]
        until(
            lambda: (
                [r["relayStatus"] for r in self.get(f"groups/{self.groups[name]}/relays")["groupRelays"]] == ["active"]
            ),
            f"{name} has its relay",
            180,
        )
        return made["groupInfo"]["groupProfile"]["publicGroup"]["groupLink"]

    def join_channel(self, name, link):
        plan = self.repeat_until_answered("POST", "connections/plan", {"connLink": link})
        prepared = self.repeat_until_answered(
            "POST",
            "groups/prepared",
            {
                "connLink": plan["connLink"],
                "directLink": False,
                "groupShortLinkData": plan["connectionPlan"]["groupLinkPlan"]["groupSLinkData_"],
            },
        )
        self.groups[name] = prepared["chat"]["chatInfo"]["groupInfo"]["groupId"]
        self.repeat_until_answered("POST", f"groups/{self.groups[name]}/connect", {"incognito": False})
        until(lambda: self.membership(name)["memberStatus"] == "connected", f"{self.name} is in {name}", 180)

    def let_write(self, group, names):
        ids = [m["groupMemberId"] for m in self.members(group) if m["memberProfile"]["displayName"] in names]
        self.repeat_until_answered(
            "PUT", f"groups/{self.groups[group]}/members/role", {"memberIds": ids, "memberRole": "member"}
        )

    def place(self, chat):
        return f"chats/direct/{self.contacts[chat]}" if chat in self.contacts else f"chats/group/{self.groups[chat]}"

    def send(self, chat, text, file=None):
        message = {"msgContent": {"type": "text", "text": text}, "mentions": {}}
        if file is not None:
            stored = self.repeat_until_answered("POST", f"files?name={urllib.parse.quote(text, safe='')}.bin", raw=file)
            message = {"fileSource": stored["fileSource"], "msgContent": {"type": "file", "text": text}, "mentions": {}}
        self.repeat_until_answered("POST", f"{self.place(chat)}/messages", {"composedMessages": [message]})
        return True

    def items(self, chat, last=None):
        if last:
            return self.get(f"{self.place(chat)}?limit={last}")["chat"]["chatItems"]
        cursor, found = "", []
        while True:
            page = self.get(f"{self.place(chat)}?limit=1000{cursor}")
            found = page["chat"]["chatItems"] + found
            if not page["next"]:
                return found
            cursor = f"&cursor={page['next']}"

    def receive(self, file):
        try:
            self.gateway.call("POST", f"/v1/users/{self.user}/files/{file}/receive", {})
        except RuntimeError:
            pass  # The file was accepted in the meantime.

    def content(self, file):
        return self.get(f"files/{file['fileId']}/content")

    def signal(self, step, chat, mark, key):
        """Does one step of a call: ring, take, answer, extra, talk or end."""
        path = f"/v1/users/{self.user}/contacts/{self.contacts[chat]}/call"
        match step:
            case "ring":
                self.gateway.call("POST", path, {"callType": VIDEO}, key)
            case "take":
                self.gateway.call(
                    "POST", path + "/offer", {"callOffer": {"callType": VIDEO, "rtcSession": session(mark)}}, key
                )
            case "answer":
                self.gateway.call("POST", path + "/answer", {"answer": session(mark)}, key)
            case "extra":
                self.gateway.call("POST", path + "/extra", {"extraInfo": {"rtcIceCandidates": mark}}, key)
            case "talk":
                self.gateway.call("PUT", path + "/status", {"callStatus": "connected"})
            case "end":
                self.gateway.call("DELETE", path)


class Original(Profile):
    """A terminal client that is driven over its WebSocket."""

    def __init__(self, name, folder, world, executable):
        import websockets.exceptions
        import websockets.sync.client

        self.connect_socket, self.refusals = (
            websockets.sync.client.connect,
            (TimeoutError, OSError, websockets.exceptions.WebSocketException),
        )
        super().__init__(name)
        self.port, self.data = free_port(), folder / name
        is_new = not self.data.exists()
        # Versions before 7 have no channels, so these programs subscribe to no channel.
        self.knows_channels = (
            int(
                re.search(
                    r"v(\d+)\.",
                    subprocess.run([executable, "--version"], capture_output=True, text=True, check=False).stdout,
                )[1]
            )
            >= 7
        )
        self.base = [executable, "-d", str(self.data / "db"), "-y", "-s", world.messages, "--xftp-server", world.files]
        for kind in ("files", "temporary"):
            (self.data / kind).mkdir(parents=True, exist_ok=True)
        if is_new:
            subprocess.run(
                [*self.base, "-e", "/u"],
                input=f"{name}\n",
                text=True,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=120,
                check=False,
            )
        self.program = Program(
            name,
            folder,
            [
                *self.base,
                "-p",
                str(self.port),
                "--files-folder",
                str(self.data / "files"),
                "--temp-folder",
                str(self.data / "temporary"),
            ],
        )
        self.socket, self.count, self.lock = None, 0, threading.RLock()

    def start(self):
        self.program.start()
        self.connect()

    def connect(self):
        self.socket = until(
            lambda: self.connect_socket(f"ws://127.0.0.1:{self.port}/", max_size=None, ping_interval=None).__enter__(),
            f"{self.name} is ready",
            120,
        )

    def reconnect(self):
        try:
            with self.lock:
                self.connect()
        except self.refusals:
            pass

    def command(self, text):
        with self.lock:
            self.count += 1
            try:
                self.socket.send(json.dumps({"corrId": str(self.count), "cmd": text}))
                while True:
                    message = json.loads(self.socket.recv(timeout=60))
                    if message.get("corrId") == str(self.count):
                        break
            except Exception as error:
                raise Unanswered(f"{self.name}: {text[:80]}: {error!r}") from None
            response = message["resp"]
            for name in ("Right", "Left", "result", "error"):
                response = response.get(name, response) if isinstance(response, dict) else response
            return response

    def asked(self, text, wanted):
        """Sends a command. Returns the member `wanted` of the answer, and throws if the answer does not have it."""
        answer = self.command(text)
        if wanted not in answer:
            raise RuntimeError(f"{self.name}: {text[:80]}: {json.dumps(answer)[:400]}")
        return answer[wanted]

    def create(self):
        pass

    def invite(self):
        return self.asked("/_connect 1 incognito=off", "connLinkInvitation")["connFullLink"]

    def accept(self, link):
        if "errorType" in json.dumps(self.command(f"/_connect 1 incognito=off {link}")):
            self.command(f"/c {link}")

    def connected(self):
        return {
            c["profile"]["displayName"]: c["contactId"]
            for c in self.asked("/_contacts 1", "contacts")
            if "ready" in json.dumps(c.get("activeConn", {}).get("connStatus"))
        }

    def listed_groups(self):
        listed = self.command("/_groups 1")
        if "groups" not in listed:
            listed = self.command("/_groups1")
        return [
            group[0] if isinstance(group, list) else group.get("groupInfo", group) for group in listed.get("groups", [])
        ]

    def join(self, name):
        self.groups[name] = self.group_named(name)
        self.command(f"/_join #{self.groups[name]}")

    def members(self, group):
        return self.asked(f"/_members #{self.groups[group]}", "group")["members"]

    def join_channel(self, name, link):
        plan = self.command(f"/_connect plan 1 {link}")
        link, data = plan["connLink"], plan["connectionPlan"]["groupLinkPlan"]["groupSLinkData_"]
        chat = self.asked(
            f"/_prepare group 1 {link['connFullLink']} {link['connShortLink']} direct=off {json.dumps(data)}", "chat"
        )
        self.groups[name] = chat["chatInfo"]["groupInfo"]["groupId"]
        self.command(f"/_connect group #{self.groups[name]} incognito=off")
        until(lambda: self.membership(name)["memberStatus"] == "connected", f"{self.name} is in {name}", 180)

    def place(self, chat):
        return f"@{self.contacts[chat]}" if chat in self.contacts else f"#{self.groups[chat]}"

    def send(self, chat, text, file=None):
        message = {"msgContent": {"type": "text", "text": text}, "mentions": {}}
        if file is not None:
            name = f"{uuid.uuid4()}.bin"
            (self.data / "files" / name).write_bytes(file)
            message = {"fileSource": {"filePath": name}, "msgContent": {"type": "file", "text": text}, "mentions": {}}
        self.asked(f"/_send {self.place(chat)} live=off ttl=default json " + json.dumps([message]), "chatItems")
        return True

    def items(self, chat, last=None):
        return self.asked(f"/_get chat {self.place(chat)} count={last or 100000}", "chat")["chatItems"]

    def swallowed(self, text):
        """Whether an original has lost a received message itself: if it is killed before it makes the item, it takes
        the repeated message for a duplicate. Its agent loses a message in the same way if it has sent something over
        the connection before that."""
        body = "instr(CAST(m.msg_body AS TEXT), '\"" + text + "\"') > 0"
        return any(
            self.asked(f"/sql {query}", "rows")[-1] != "0"
            for query in [
                (
                    f"chat SELECT count(*) FROM messages m WHERE m.msg_sent = 0 AND {body} "
                    "AND NOT EXISTS (SELECT 1 FROM chat_item_messages c WHERE c.message_id = m.message_id)"
                ),
                f"agent SELECT count(*) FROM messages m JOIN rcv_messages r ON r.conn_id = m.conn_id AND r.internal_id = m.internal_id WHERE r.user_ack = 0 AND {body}",
            ]
        )

    def mislaid(self, text):
        """Whether an original has lost a file itself: if it is killed after accepting a file and before passing it to
        its agent, or after its agent has received the file and before the agent has reported this, it never continues
        the file."""
        file = (
            "FROM chat_items i JOIN files f ON f.chat_item_id = i.chat_item_id JOIN rcv_files r ON r.file_id = f.file_id "
            f"WHERE i.item_text = '{text}' AND r.file_status IN ('accepted', 'connected') AND r.updated_at < '{self.program.started}'"
        )
        agent = "agent SELECT count(*) FROM rcv_files WHERE status = 'complete' AND hex(rcv_file_entity_id) = '%s'"
        ask = lambda query: self.asked(f"/sql {query}", "rows")[-1]
        return (
            ask(f"chat SELECT count(*) {file} AND r.agent_rcv_file_id IS NULL") != "0"
            or ask(agent % ask(f"chat SELECT coalesce(max(hex(r.agent_rcv_file_id)), '') {file}")) != "0"
        )

    def receive(self, file):
        self.command(f"/freceive {file}")

    def content(self, file):
        return (self.data / "files" / file["fileSource"]["filePath"]).read_bytes()

    def signal(self, step, chat, mark, key):
        contact = self.contacts[chat]
        command = {
            "ring": f"/_call invite @{contact} {json.dumps(VIDEO)}",
            "take": f"/_call offer @{contact} " + json.dumps({"callType": VIDEO, "rtcSession": session(mark)}),
            "answer": f"/_call answer @{contact} " + json.dumps(session(mark)),
            "extra": f"/_call extra @{contact} " + json.dumps({"rtcIceCandidates": mark}),
            "talk": f"/_call status @{contact} connected",
            "end": f"/_call end @{contact}",
        }[step]
        self.command(command)

    def sizes(self):
        return bytes_of(self.data.glob("db*"))
