"""Hours of conversations between programs that are killed, cut off, stopped and left without disk, with every message accounted for at the end.

Two gateways with a relay of messages and one of files; originals (--original PATH, the terminal client of SimpleX Chat) take part when they are given. All of them
write to each other, in a group too, and send files. Meanwhile random troubles happen. In the end each recipient must have each message that was accepted exactly
once and in its order, each file as it was sent, and the receiver of webhooks every event. Memory, open files, threads and sizes of databases are drawn (soak.svg).
"""
import argparse
import asyncio
import collections
import hashlib
import http.client
import http.server
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request
import uuid

OPTIONS = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
OPTIONS.add_argument("--program", required=True, help="the gateway's executable")
OPTIONS.add_argument("--folder", required=True, help="where data and results are kept; must not exist")
OPTIONS.add_argument("--minutes", type=float, default=180)
OPTIONS.add_argument("--pause", type=float, default=0.5, help="seconds between messages, on average")
OPTIONS.add_argument("--trouble", type=float, default=25, help="seconds between troubles, on average")
OPTIONS.add_argument("--disk", type=int, help="MiB of a file system for the gateways' data, which is filled at times (as root)")
OPTIONS.add_argument("--original", action="append", default=[], help="executable of an original terminal client; may be repeated")
OPTIONS.add_argument("--seed", type=int, default=None, help="of the random choices")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def until(condition, what, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if value := condition():
                return value
        except (OSError, Unanswered):
            pass
        time.sleep(0.2)
    raise TimeoutError(f"Not in {seconds} seconds: {what}")


class Unanswered(Exception):
    """The request may have been carried out, or not."""


class Program:
    """A process that is started again after it was killed."""

    def __init__(self, name, folder, command, environment=None):
        self.name, self.command, self.environment = name, command, environment
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.process = None
        self.starts = 0
        self.lock = threading.RLock()

    def start(self):
        with self.lock, open(self.folder / f"{self.name}.log", "a") as log:
            self.starts += 1
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **(self.environment or {})})

    def kill(self, sign=signal.SIGKILL):
        with self.lock:
            self.process.send_signal(sign)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def died(self):
        return self.process.poll()

    def figures(self):
        """Resident bytes, open files and threads; nothing of a process that is gone."""
        try:
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
            files = len(os.listdir(f"/proc/{self.process.pid}/fd"))
            return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024, files, int(re.search(r"Threads:\s+(\d+)", status)[1])
        except (OSError, TypeError):
            return None


class Line:
    """Between programs and a relay: it can be cut, and be made silent."""

    def __init__(self, loop):
        self.loop, self.port, self.target = loop, free_port(), free_port()
        self.writers, self.open, self.flows = set(), True, asyncio.Event()
        self.flows.set()
        asyncio.run_coroutine_threadsafe(self.serve(), loop).result()

    async def serve(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", self.port)

    async def accept(self, reader, writer):
        if not self.open:
            return writer.close()
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return writer.close()
        self.writers |= {writer, far_writer}
        await asyncio.gather(self.copy(reader, far_writer), self.copy(far_reader, writer))
        self.writers -= {writer, far_writer}

    async def copy(self, reader, writer):
        try:
            while data := await reader.read(65536):
                await self.flows.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    def cut(self, seconds):
        def close():
            self.open = False
            for writer in list(self.writers):
                writer.transport.abort()
        self.loop.call_soon_threadsafe(close)
        time.sleep(seconds)
        self.open = True

    def silence(self, seconds):
        self.loop.call_soon_threadsafe(self.flows.clear)
        time.sleep(seconds)
        self.loop.call_soon_threadsafe(self.flows.set)


class Ours:
    """A profile on a gateway of its own."""

    def __init__(self, name, folder, world):
        self.name = name
        self.data = folder / name
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.program = Program(name, folder, [
            world.executable, "serve", "--data", self.data, "--port", str(self.port), "--no-relay", "--smp-server", world.messages, "--xftp-server", world.files,
            "--webhook-allow", "127.0.0.1", "--log-level", "info"])
        self.contacts, self.members = {}, {}

    def start(self):
        self.program.start()
        until(lambda: urllib.request.urlopen(self.base + "/readyz", timeout=5).status == 200, f"{self.name} is ready", 120)
        self.key = (self.data / "admin.key").read_text().strip()

    def call(self, method, path, body=None, key=None, raw=None, timeout=60):
        headers = {"Authorization": "Bearer " + self.key, "Content-Type": "application/json" if raw is None else "application/octet-stream"}
        if key:
            headers["Idempotency-Key"] = key
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(self.base + path, method=method, data=data, headers=headers), timeout=timeout) as answer:
                content = answer.read()
                return json.loads(content) if answer.headers["Content-Type"] == "application/json" else content
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            if error.code >= 500 or error.code in (408, 409, 425, 429):
                raise Unanswered(f"{method} {path}: {error.code} {text[:300]}") from None
            raise RuntimeError(f"{self.name}: {method} {path}: {error.code} {text[:500]}") from None
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise Unanswered(f"{method} {path}: {error!r}") from None

    def insist(self, method, path, body=None, raw=None):
        """Repeats a request under one key until it is answered."""
        key = str(uuid.uuid4())
        return until(lambda: [self.call(method, path, body, key if method == "POST" else None, raw)], f"{self.name}: {method} {path}", 900)[0]

    def create(self):
        self.insist("POST", "/v1/users", {"profile": {"displayName": self.name, "fullName": ""}})

    def invite(self):
        return self.insist("POST", "/v1/users/1/connections/invitations", {})["connLinkInvitation"]["connFullLink"]

    def accept(self, link):
        self.insist("POST", "/v1/users/1/connections", {"connLink": link})

    def connected(self):
        return {c["profile"]["displayName"]: c["contactId"] for c in self.call("GET", "/v1/users/1/contacts")["contacts"]
                if c["activeConn"]["connStatus"]["type"] == "ready"}

    def create_group(self):
        group = self.insist("POST", "/v1/users/1/groups", {"incognito": False, "groupProfile": {"displayName": "team", "fullName": ""}})
        self.group = group["groupInfo"]["groupId"]

    def add(self, contact):
        self.insist("POST", f"/v1/users/1/groups/{self.group}/members", {"contactId": contact, "memberRole": "member"})

    def join(self):
        def invited():
            groups = self.call("GET", "/v1/users/1/groups")["groups"]
            return groups[0]["groupId"] if groups else None
        self.group = until(invited, f"{self.name} is invited", 120)
        self.insist("POST", f"/v1/users/1/groups/{self.group}/join", {})

    def member_names(self):
        members = self.call("GET", f"/v1/users/1/groups/{self.group}/members")["group"]["members"]
        return {m["memberProfile"]["displayName"] for m in members if m["memberStatus"] in ("connected", "complete", "creator")}

    def send(self, chat, text, file=None):
        path = f"direct/{self.contacts[chat]}" if chat != "team" else f"group/{self.group}"
        message = {"msgContent": {"type": "text", "text": text}, "mentions": {}}
        if file is not None:
            stored = self.insist("POST", f"/v1/users/1/files?name={text}.bin", raw=file)
            message = {"fileSource": stored["fileSource"], "msgContent": {"type": "file", "text": text}, "mentions": {}}
        self.insist("POST", f"/v1/users/1/chats/{path}/messages", {"composedMessages": [message]})
        return True

    def items(self, chat):
        path = f"direct/{self.contacts[chat]}" if chat != "team" else f"group/{self.group}"
        before, found = "", []
        while page := self.call("GET", f"/v1/users/1/chats/{path}?count=1000{before}")["chat"]["chatItems"]:
            found = page + found
            before = f"&before={page[0]['meta']['itemId']}"
        return found

    def received(self, chat):
        return [item["meta"]["itemText"] for item in self.items(chat) if item["chatDir"]["type"].endswith("Rcv") and item["content"]["type"] == "rcvMsgContent"]

    def take_files(self, chat):
        """Accepts each file that is offered; the digests of those that are there, by their texts."""
        digests = {}
        for item in self.items(chat):
            file = item.get("file")
            if not file or not item["chatDir"]["type"].endswith("Rcv"):
                continue
            status = file["fileStatus"]["type"]
            if status == "rcvInvitation":
                try:
                    self.call("POST", f"/v1/users/1/files/{file['fileId']}/receive", {})
                except RuntimeError:
                    pass  # It was accepted in the meantime.
            elif status == "rcvComplete":
                content = self.call("GET", f"/v1/users/1/files/{file['fileId']}/content")
                digests[item["meta"]["itemText"]] = hashlib.sha256(content).hexdigest()
        return digests

    def sizes(self):
        return sum(path.stat().st_size for path in self.data.glob("*.db*"))


class Original:
    """A terminal client that is driven over its WebSocket."""

    def __init__(self, name, folder, world, executable):
        import websockets.sync.client
        self.connect_socket = websockets.sync.client.connect
        self.name, self.port, self.data = name, free_port(), folder / name
        self.data.mkdir()
        self.base = [executable, "-d", str(self.data / "db"), "-y", "-s", world.messages]
        for kind in ("files", "temporary"):
            (self.data / kind).mkdir()
        subprocess.run([*self.base, "-e", "/u"], input=f"{name}\n", text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
        self.program = Program(name, folder, [
            *self.base, "-p", str(self.port), "--files-folder", str(self.data / "files"), "--temp-folder", str(self.data / "temporary")])
        self.contacts, self.socket, self.count, self.lock = {}, None, 0, threading.RLock()

    def start(self):
        self.program.start()
        self.connect()

    def connect(self):
        self.socket = until(lambda: self.connect_socket(f"ws://127.0.0.1:{self.port}/", max_size=None).__enter__(), f"{self.name} is ready", 120)

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

    def create(self):
        pass

    def invite(self):
        return self.command("/_connect 1 incognito=off")["connLinkInvitation"]["connFullLink"]

    def accept(self, link):
        if "errorType" in json.dumps(self.command(f"/_connect 1 incognito=off {link}")):
            self.command(f"/c {link}")

    def connected(self):
        contacts = self.command("/_contacts 1")["contacts"]
        return {c["profile"]["displayName"]: c["contactId"] for c in contacts if "ready" in json.dumps(c["activeConn"]["connStatus"])}

    def groups(self):
        listed = self.command("/_groups 1")
        if "groups" not in listed:
            listed = self.command("/_groups1")
        return [group[0] if isinstance(group, list) else group.get("groupInfo", group) for group in listed["groups"]]

    def join(self):
        self.group = until(lambda: [g["groupId"] for g in self.groups()], f"{self.name} is invited", 120)[0]
        self.command(f"/_join #{self.group}")

    def member_names(self):
        members = self.command(f"/_members #{self.group}")["group"]["members"]
        return {m["memberProfile"]["displayName"] for m in members if m["memberStatus"] in ("connected", "complete", "creator")}

    def send(self, chat, text, file=None):
        place = f"@{self.contacts[chat]}" if chat != "team" else f"#{self.group}"
        answer = self.command(f"/_send {place} live=off ttl=default json " + json.dumps([{"msgContent": {"type": "text", "text": text}, "mentions": {}}]))
        if "chatItems" not in answer:
            raise RuntimeError(f"{self.name}: {json.dumps(answer)[:400]}")
        return True

    def received(self, chat):
        place = f"@{self.contacts[chat]}" if chat != "team" else f"#{self.group}"
        items = self.command(f"/_get chat {place} count=100000")["chat"]["chatItems"]
        return [item["meta"]["itemText"] for item in items if item["chatDir"]["type"].endswith("Rcv") and item["content"]["type"] == "rcvMsgContent"]

    def take_files(self, chat):
        return None

    def sizes(self):
        return sum(path.stat().st_size for path in self.data.glob("db*"))


class Hooks:
    """Receives webhooks, and refuses some."""

    def __init__(self, chance):
        self.ids, self.port = set(), free_port()
        hooks = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                refused = chance.random() < 0.05
                if not refused:
                    hooks.ids.add(self.headers["webhook-id"])
                self.send_response(503 if refused else 204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()


class World:
    def __init__(self, options):
        self.options, self.folder = options, pathlib.Path(options.folder).resolve()
        self.folder.mkdir(parents=True)
        self.executable = str(pathlib.Path(options.program).resolve())
        self.seed = options.seed if options.seed is not None else random.randrange(1 << 30)
        self.chance = random.Random(self.seed)
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.message_line, self.file_line = Line(self.loop), Line(self.loop)
        (self.folder / "gateways").mkdir()
        if options.disk:
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={options.disk}m", "tmpfs", self.folder / "gateways"], check=True)
        relays = self.folder / "relays"
        self.relay = Program("relay", relays, [
            self.executable, "relay", "--data", relays / "messages", "--port", str(self.message_line.target), "--quota", "20000"])
        self.file_relay = Program("file-relay", relays, [
            self.executable, "relay", "--files", "--data", relays / "files", "--port", str(self.file_line.target)])
        for relay in (self.relay, self.file_relay):
            relay.start()
        self.messages = self.address(self.relay, "smp", self.message_line)
        self.files = self.address(self.file_relay, "xftp", self.file_line)
        self.ours = [Ours(name, self.folder / "gateways", self) for name in ("alice", "bob")]
        self.originals = [Original(f"original{i + 1}", self.folder, self, path) for i, path in enumerate(options.original)]
        self.people = self.ours + self.originals
        # What each sender has written, by chat: the text, and whether its acceptance was answered.
        self.sent = collections.defaultdict(list)
        self.digests, self.figures, self.troubles = {}, [], collections.Counter()
        self.unexpected, self.over = [], threading.Event()

    def address(self, relay, scheme, line):
        log = relay.folder / f"{relay.name}.log"
        text = until(lambda: re.search(rf"{scheme}://[^@\s]+@127\.0\.0\.1:\d+", log.read_text()), f"{relay.name} starts", 60)[0]
        return text.rsplit(":", 1)[0] + f":{line.port}"

    def connect(self):
        for person in self.people:
            person.start()
            person.create()
        for i, first in enumerate(self.people):
            for second in self.people[i + 1:]:
                if isinstance(first, Original):
                    continue
                second.accept(first.invite())
                until(lambda: second.name in first.connected() and first.name in second.connected(), f"{first.name} and {second.name} are connected", 180)
        for person in self.people:
            person.contacts = person.connected()
        owner = self.people[0]
        owner.create_group()
        for person in self.people[1:]:
            owner.add(owner.contacts[person.name])
            person.join()
        everyone = {person.name for person in self.people}
        for person in self.people:
            until(lambda: person.member_names() >= everyone - {person.name}, f"{person.name} has all members", 300)
        self.hooks = Hooks(self.chance)
        self.hook = self.people[1].insist(
            "POST", "/v1/webhooks", {"url": f"http://127.0.0.1:{self.hooks.port}/hook", "types": ["newChatItems"]})["webhook"]["webhookId"]

    def talk(self, person, seed):
        """One sender's part: a message after the other, so that their order is known."""
        chance, number = random.Random(seed), 0
        while not self.over.wait(chance.expovariate(1 / (self.options.pause * len(self.people)))):
            chat = chance.choice([*person.contacts, "team", "team"])
            number += 1
            text = f"{person.name}>{chat}#{number}"
            file = chance.randbytes(chance.choice([1, 1_000, 200_000, 3_000_000])) if isinstance(person, Ours) and chance.random() < 0.03 else None
            entry = [text, False]
            self.sent[person.name, chat].append(entry)
            try:
                entry[1] = person.send(chat, text, file)
                if file is not None:
                    self.digests[text] = hashlib.sha256(file).hexdigest()
            except Unanswered as error:
                if isinstance(person, Ours):
                    self.unexpected.append(f"given up: {error}")
                else:
                    self.reconnect(person)
            except TimeoutError as error:
                self.unexpected.append(str(error))
            except Exception:
                self.unexpected.append(traceback.format_exc())

    def reconnect(self, person):
        try:
            with person.lock:
                person.connect()
        except (TimeoutError, OSError):
            pass

    def trouble(self):
        kinds = ["kill gateway"] * 3 + ["kill relay", "kill file relay", "cut", "cut", "cut files", "silence", "stop", "terminate"]
        if self.options.disk:
            kinds.append("full disk")
        if self.originals:
            kinds.append("kill original")
        while not self.over.wait(self.chance.expovariate(1 / self.options.trouble)):
            kind = self.chance.choice(kinds)
            try:
                self.make(kind)
                self.troubles[kind] += 1
            except Exception:
                self.unexpected.append(f"trouble {kind}: {traceback.format_exc()}")

    def make(self, kind):
        person = self.chance.choice(self.ours)
        match kind:
            case "kill gateway" | "terminate":
                person.program.kill(signal.SIGTERM if kind == "terminate" else signal.SIGKILL)
                time.sleep(self.chance.choice([0, 0, 2, 15]))
                person.start()
            case "kill relay" | "kill file relay":
                relay = self.relay if kind == "kill relay" else self.file_relay
                relay.kill()
                time.sleep(self.chance.choice([0, 3]))
                relay.start()
            case "cut": self.message_line.cut(self.chance.choice([0, 5, 20]))
            case "cut files": self.file_line.cut(self.chance.choice([0, 5]))
            case "silence": self.message_line.silence(self.chance.choice([5, 40]))
            case "stop":
                person.program.process.send_signal(signal.SIGSTOP)
                time.sleep(self.chance.choice([3, 30]))
                person.program.process.send_signal(signal.SIGCONT)
            case "full disk": self.fill(self.chance.choice([5, 20]))
            case "kill original":
                person = self.chance.choice(self.originals)
                person.program.kill()
                person.program.start()
                self.reconnect(person)

    def fill(self, seconds):
        place = self.folder / "gateways"
        filler = place / "filler"
        try:
            with open(filler, "wb") as file:
                while True:
                    file.write(bytes(1 << 20))
                    file.flush()
        except OSError:
            pass
        time.sleep(seconds)
        filler.unlink()

    def observe(self):
        start = time.monotonic()
        programs = [person.program for person in self.ours] + [self.relay, self.file_relay]
        while not self.over.wait(5):
            row = {"time": time.monotonic() - start}
            for program in programs:
                if figures := program.figures():
                    row[program.name] = figures
            row["databases"] = {person.name: person.sizes() for person in self.people}
            self.figures.append(row)

    def accept_files(self):
        while not self.over.wait(20):
            for person in self.ours:
                for chat in [*person.contacts, "team"]:
                    try:
                        person.take_files(chat)
                    except (Unanswered, RuntimeError):
                        pass

    def run(self):
        self.connect()
        print(f"Everyone is connected; seed {self.seed}.", flush=True)
        tasks = [threading.Thread(target=self.talk, args=(person, self.seed + i + 1)) for i, person in enumerate(self.people)]
        tasks += [threading.Thread(target=task) for task in (self.trouble, self.observe, self.accept_files)]
        for task in tasks:
            task.start()
        end = time.monotonic() + self.options.minutes * 60
        while time.monotonic() < end:
            time.sleep(min(60, max(0, end - time.monotonic())))
            print(f"{sum(map(len, self.sent.values()))} messages, troubles {sum(self.troubles.values())}, unexpected {len(self.unexpected)}", flush=True)
        self.over.set()
        for task in tasks:
            task.join()
        return self.settle()

    def wrong(self):
        """What does not agree: for each recipient and sender, what is missing, doubled or out of order."""
        found = []
        for person in self.people:
            for chat in [*person.contacts, "team"]:
                texts = person.received(chat)
                for sender in self.people:
                    if sender is person or (chat != "team" and sender.name != chat):
                        continue
                    entries = self.sent[sender.name, person.name if chat != "team" else "team"]
                    accepted = [text for text, answered in entries if answered]
                    possible = {text for text, _ in entries}
                    got = [text for text in texts if text.startswith(sender.name + ">")]
                    counts = collections.Counter(got)
                    missing = [text for text in accepted if not counts[text]]
                    doubled = [text for text, count in counts.items() if count > 1]
                    strange = [text for text in counts if text not in possible]
                    order = [text for text in got if text in possible]
                    expected = [text for text, _ in entries if counts[text]]
                    if missing or doubled or strange or (order != expected and not doubled):
                        found.append(f"{person.name} from {sender.name} in {chat}: missing {missing[:5]} ({len(missing)}), doubled {doubled[:5]}, "
                                     f"strange {strange[:5]}, in order {order == expected}")
        for person in self.ours:
            for chat in [*person.contacts, "team"]:
                got = person.take_files(chat)
                for (sender, to), entries in self.sent.items():
                    if sender == person.name or to != (person.name if chat != "team" else "team") or (chat != "team" and sender != chat):
                        continue
                    for text, answered in entries:
                        if answered and text in self.digests and got.get(text) != self.digests[text]:
                            found.append(f"{person.name}: the file {text} is {'other' if text in got else 'not there'}")
        hook = self.people[1].call("GET", f"/v1/webhooks/{self.hook}")
        if hook.get("waiting"):
            found.append(f"{hook['waiting']} events wait for the webhook")
        return found

    def settle(self):
        print("Quiet; everything has to arrive now.", flush=True)
        end, wrong, rounds = time.monotonic() + 900, ["nothing was compared"], 0
        while wrong and time.monotonic() < end:
            time.sleep(5)
            rounds += 1
            if rounds % 6 == 0:
                print("not yet:", *wrong[:5], sep="\n  ", flush=True)
            try:
                wrong = self.wrong()
            except (Unanswered, RuntimeError, TimeoutError) as error:
                wrong = [repr(error)]
                for person in self.originals:
                    self.reconnect(person)
        accepted = sum(answered for entries in self.sent.values() for _, answered in entries)
        summary = {
            "seed": self.seed, "minutes": self.options.minutes, "messages": sum(map(len, self.sent.values())), "accepted": accepted, "files": len(self.digests),
            "webhooks": len(self.hooks.ids), "troubles": dict(self.troubles), "starts": {person.name: person.program.starts for person in self.people},
            "unexpected": self.unexpected[:20], "wrong": wrong}
        (self.folder / "soak.json").write_text(json.dumps(summary, indent=1))
        (self.folder / "soak.svg").write_text(drawing(self.figures))
        print(json.dumps(summary, indent=1))
        return not wrong and not self.unexpected

    def stop(self):
        for program in [*(person.program for person in self.people), self.relay, self.file_relay]:
            if program.process and program.died() is None:
                program.process.send_signal(signal.SIGCONT)
                program.kill(signal.SIGTERM)
        if self.options.disk:
            subprocess.run(["umount", self.folder / "gateways"], check=True)


def drawing(rows):
    """A chart for memory, open files, threads and databases each, one under the other."""
    charts = []
    for title, unit, pick in [
            ("resident memory", 1 << 20, lambda row: {k: v[0] for k, v in row.items() if isinstance(v, tuple)}),
            ("open files", 1, lambda row: {k: v[1] for k, v in row.items() if isinstance(v, tuple)}),
            ("threads", 1, lambda row: {k: v[2] for k, v in row.items() if isinstance(v, tuple)}),
            ("databases", 1 << 20, lambda row: row["databases"])]:
        series = collections.defaultdict(list)
        for row in rows:
            for name, value in pick(row).items():
                series[name].append((row["time"] / 60, value / unit))
        charts.append((title + (" (MiB)" if unit > 1 else ""), series))
    width, height = 900, 180
    last = max([row["time"] / 60 for row in rows] or [1])
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 220}" height="{len(charts) * (height + 60)}" font-family="sans-serif" font-size="12">']
    colours = ["#1b6", "#25c", "#c52", "#a2a", "#888", "#085"]
    for index, (title, series) in enumerate(charts):
        top = index * (height + 60) + 30
        highest = max([value for points in series.values() for _, value in points] or [1]) or 1
        parts.append(f'<text x="60" y="{top - 8}">{title}, at most {highest:.0f}; {last:.0f} minutes</text>')
        parts.append(f'<rect x="60" y="{top}" width="{width - 60}" height="{height}" fill="none" stroke="#ccc"/>')
        for number, (name, points) in enumerate(sorted(series.items())):
            path = " ".join(f"{60 + x / last * (width - 60):.1f},{top + height - y / highest * height:.1f}" for x, y in points)
            colour = colours[number % len(colours)]
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}"/><text x="{width + 10}" y="{top + 14 + number * 16}" fill="{colour}">{name}</text>')
    return "\n".join([*parts, "</svg>"])


def main():
    world = World(OPTIONS.parse_args())
    try:
        good = world.run()
    finally:
        world.stop()
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
