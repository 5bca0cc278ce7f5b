"""Gateways for tests: a real gateway with its relay and two connected profiles, and a fake gateway inside the process.

When the package is installed, pytest has the fixtures `simplex_pair` and `fake_gateway`. The real gateway needs the
program simplex-gateway, at the path in the variable SIMPLEX_GATEWAY_PROGRAM or in PATH.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx

from ._generated import PATHS
from .gateway import Gateway

SECONDS_OF_START = 180
# Ports below those that systems give to sockets without a port of their own.
PORTS = range(10_000, 32_000)
# Sockets of UDP, by their ports. A port stays reserved for this process also while its gateway is stopped.
_reserved: dict[int, socket.socket] = {}


def program_path() -> str:
    """Return the path of the program simplex-gateway."""
    found = os.environ.get("SIMPLEX_GATEWAY_PROGRAM") or shutil.which("simplex-gateway")
    if not found:
        raise FileNotFoundError("There is no program simplex-gateway in PATH: name it in SIMPLEX_GATEWAY_PROGRAM.")
    return found


def free_ports(count: int) -> list[int]:
    """Reserve ports that no other process gets from this function while this process runs."""
    return [_free_port() for _ in range(count)]


def _free_port() -> int:
    while True:
        port = random.choice(PORTS)
        holder = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            holder.bind(("127.0.0.1", port))
            with socket.socket() as listener:
                listener.bind(("127.0.0.1", port))
        except OSError:
            holder.close()
            continue
        _reserved[port] = holder
        return port


class GatewayProcess:
    """A real gateway with its relays, in a separate folder, on separate ports. It can be killed and restarted."""

    def __init__(self, *arguments: str, program: str | None = None) -> None:
        self.program = program or program_path()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="simplex-gateway-"))
        self.ports = http, relay, files = free_ports(3)
        self.url = f"http://127.0.0.1:{http}"
        self.command = [self.program, "serve", "--data", str(self.folder / "data"), "--port", str(http)]
        self.command += ["--relay-port", str(relay), "--file-relay-port", str(files), *arguments]
        self.process: subprocess.Popen[bytes] | None = None
        # Certificates are not loaded, because loading takes long.
        self.client = httpx.Client(base_url=self.url, timeout=SECONDS_OF_START, trust_env=False, verify=False)

    def start(self) -> None:
        """Start the program, and wait until it answers."""
        # The program refuses unknown variables with its prefix, so all variables with this prefix are removed.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SXGW_")}
        with open(self.folder / "log", "ab") as log:
            begin = log.tell()
            self.process = subprocess.Popen(self.command, stdout=log, stderr=subprocess.STDOUT, env=environment)
        end = time.monotonic() + SECONDS_OF_START
        while not re.search(r"^URL: ", self.log()[begin:], re.M) or not (self.folder / "data/admin.key").exists():
            if self.process.poll() is not None or time.monotonic() > end:
                self.kill()
                raise RuntimeError(f"The gateway does not start:\n{self.log()[-2000:]}")
            time.sleep(0.01)

    @property
    def key(self) -> str:
        """The administrator's key."""
        return (self.folder / "data/admin.key").read_text().strip()

    def log(self) -> str:
        path = self.folder / "log"
        return path.read_text(errors="replace") if path.exists() else ""

    def kill(self) -> None:
        """Kill the program immediately."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def close(self) -> None:
        """End the program, and delete its data."""
        self.kill()
        self.client.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        for port in self.ports:
            if holder := _reserved.pop(port, None):
                holder.close()

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Send one request with the administrator's key, without retries."""
        answer = self.client.request(method, path, json=body, headers={"Authorization": f"Bearer {self.key}"})
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def gateway(self, key: str | None = None, **options: Any) -> Gateway:
        """Return a client of this gateway."""
        return Gateway(self.url, key or self.key, **options)


class Pair(GatewayProcess):
    """A real gateway with two profiles that are contacts: 1, alice, and 2, bob."""

    alice, bob = 1, 2

    def start_pair(self) -> None:
        self.start()
        for name in ("alice", "bob"):
            self.call("POST", "/v1/users", {"profile": {"displayName": name, "fullName": ""}})
        link = self.call("POST", "/v1/users/1/connections/invitations", {})["connLinkInvitation"]["connFullLink"]
        self.call("POST", "/v1/users/2/connections", {"connLink": link})
        connected: set[int] = set()
        cursor = ""
        while connected != {1, 2}:
            page = self.call("GET", f"/v1/events?{'timeout'}=20&types=contactConnected{cursor}")
            cursor = f"&cursor={page['cursor']}"
            connected |= {entry["userId"] for entry in page["events"]}

    def bot_key(self, user: int) -> str:
        """Create a key that is bound to one profile."""
        return str(self.call("POST", "/v1/keys", {"name": f"bot of {user}", "userId": user})["key"])

    def __enter__(self) -> Pair:
        try:
            self.start_pair()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class FakeFailure(Exception):
    """A problem that the fake gateway answers."""

    def __init__(self, status: int, code: str, **members: Any) -> None:
        self.status = status
        self.headers = {"Retry-After": str(members.pop("retry_after"))} if "retry_after" in members else {}
        self.problem = {"type": f"urn:{code}", "title": code, "status": status, "code": code, "requestId": "fake"}
        self.problem.update(members)
        super().__init__(code)


class FakeGateway:
    """A fake gateway inside the process, for unit tests of bots. It has the profile 1, `bot`, and contacts that the
    test adds.

    fake = FakeGateway()
    fake.contact("bob")
    fake.receive("bob", "hello")
    …
    assert fake.sent("bob") == ["hello"]

    It supports messages, contacts, files, events and consumers. It has no groups, and answers other routes with 501.
    """

    def __init__(self) -> None:
        self.user = {"userId": 1, "localDisplayName": "bot", "profile": {"displayName": "bot", "fullName": ""}}
        self.contacts: dict[int, dict[str, Any]] = {}
        self.items: dict[int, list[dict[str, Any]]] = {}
        self.entries: list[dict[str, Any]] = []
        self.consumers: dict[str, dict[str, Any]] = {}
        self.files: dict[str, bytes] = {}
        self.requests: list[tuple[str, str]] = []
        self.failures: list[FakeFailure | Exception] = []
        self.lost_answers = 0
        self._answers: dict[str, tuple[str, Any]] = {}
        self._numbers = itertools.count(1)
        self._routes = []
        for operation, (method, path) in PATHS.items():
            if hasattr(self, f"_{operation}"):
                pattern = re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", path)
                self._routes.append((method, re.compile(pattern), getattr(self, f"_{operation}")))

    def gateway(self, **options: Any) -> Gateway:
        """Return a client of this fake gateway."""
        return Gateway("http://fake", "key", transport=httpx.MockTransport(self._handle), **options)

    def contact(self, name: str) -> int:
        """Add a contact, and return its id."""
        number = len(self.contacts) + 1
        profile = {"displayName": name, "fullName": ""}
        self.contacts[number] = {"contactId": number, "localDisplayName": name, "profile": profile}
        self.items[number] = []
        return number

    def receive(self, name: str, text: str, **content: Any) -> str:
        """Add a message of a contact to its chat and to the events. Returns the id of the event."""
        number = self._contact_of(name)
        item = self._item(number, {"type": "text", "text": text, **content}, "Rcv")
        return self.event("newChatItems", chatItems=[self._in_chat(number, item)])

    def event(self, kind: str, **members: Any) -> str:
        """Add an event of any type to the stream."""
        identifier = f"fake-{len(self.entries) + 1}"
        event = {"type": kind, "user": self.user, **members}
        self.entries.append({"id": identifier, "createdAt": "2026-01-01T00:00:00Z", "userId": 1, "event": event})
        return identifier

    def sent(self, name: str) -> list[str]:
        """Return the texts that the profile has sent to a contact."""
        items = self.items[self._contact_of(name)]
        return [item["meta"]["itemText"] for item in items if item["chatDir"]["type"] == "directSnd"]

    def fail(self, status: int, code: str, *, times: int = 1, **members: Any) -> None:
        """Answer the next requests with a problem."""
        self.failures += [FakeFailure(status, code, **members) for _ in range(times)]

    def lose_requests(self, times: int = 1) -> None:
        """Break the connection before the next requests have an effect."""
        self.failures += [httpx.ConnectError("refused") for _ in range(times)]

    def lose_answers(self, times: int = 1) -> None:
        """Break the connection after the next requests have had their effect, before they are answered."""
        self.lost_answers += times

    def _contact_of(self, name: str) -> int:
        return next(number for number, contact in self.contacts.items() if contact["localDisplayName"] == name)

    def _item(self, chat: int, content: dict[str, Any], direction: str, **members: Any) -> dict[str, Any]:
        number = next(self._numbers)
        status = "sndRcvd" if direction == "Snd" else "rcvNew"
        item = {
            "chatDir": {"type": f"direct{direction}"},
            "meta": {"itemId": number, "itemText": content["text"], "itemStatus": {"type": status}},
            "content": {"type": "sndMsgContent" if direction == "Snd" else "rcvMsgContent", "msgContent": content},
            "mentions": {},
            "reactions": [],
            **members,
        }
        self.items[chat].append(item)
        return item

    def _in_chat(self, chat: int, item: dict[str, Any]) -> dict[str, Any]:
        return {"chatInfo": {"type": "direct", "contact": self.contacts[chat]}, "chatItem": item}

    async def _handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append((request.method, request.url.path))
        if self.failures:
            failure = self.failures.pop(0)
            if not isinstance(failure, FakeFailure):
                raise failure
            return httpx.Response(failure.status, json=failure.problem, headers=failure.headers)
        try:
            response = await self._answer(request)
        except FakeFailure as failure:
            return httpx.Response(failure.status, json=failure.problem, headers=failure.headers)
        if self.lost_answers:
            self.lost_answers -= 1
            raise httpx.ReadError("broken")
        return response

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        for method, pattern, function in self._routes:
            found = pattern.fullmatch(request.url.path)
            if not found or method != request.method:
                continue
            key = request.headers.get("Idempotency-Key")
            print_ = hashlib.sha256(f"{request.method} {request.url}".encode() + request.content).hexdigest()
            if key in self._answers:
                if self._answers[key][0] != print_:
                    raise FakeFailure(422, "idempotencyKeyReused")
                return httpx.Response(200, json=self._answers[key][1], headers={"Idempotent-Replayed": "true"})
            answer = await function(request, **found.groupdict())
            if isinstance(answer, httpx.Response):
                return answer
            if key and not request.url.path.endswith("/take"):
                self._answers[key] = (print_, answer)
            return httpx.Response(200, json=answer)
        raise FakeFailure(501, "notImplemented", detail=f"The fake has no {request.method} {request.url.path}.")

    async def _getIndex(self, request: httpx.Request) -> Any:
        return {"versions": {"program": "fake", "api": "1", "core": "fake"}}

    async def _getCurrentKey(self, request: httpx.Request) -> Any:
        return {"keyId": "fake", "scopes": ["read", "write", "events"], "storeId": "default", "userId": 1}

    async def _getUser(self, request: httpx.Request, userId: str) -> Any:
        return {"type": "user", "user": self.user}

    async def _updateUser(self, request: httpx.Request, userId: str) -> Any:
        self.user["profile"] |= json.loads(request.content).get("profile", {})
        return {"type": "user", "user": self.user}

    async def _listUsers(self, request: httpx.Request) -> Any:
        return {"type": "usersList", "users": [{"user": self.user, "unreadCount": 0}]}

    async def _listContacts(self, request: httpx.Request, userId: str) -> Any:
        name = request.url.params.get("name")
        found = [one for one in self.contacts.values() if name in (None, one["localDisplayName"])]
        return {"type": "contactsList", "user": self.user, "contacts": found}

    async def _getContact(self, request: httpx.Request, userId: str, contactId: str) -> Any:
        if int(contactId) not in self.contacts:
            raise FakeFailure(404, "notFound")
        return {"type": "contactInfo", "user": self.user, "contact": self.contacts[int(contactId)]}

    async def _listChats(self, request: httpx.Request, userId: str) -> Any:
        stats = {"unreadCount": 0}
        chats = [
            {"chatInfo": {"type": "direct", "contact": contact}, "chatItems": [], "chatStats": stats}
            for contact in self.contacts.values()
        ]
        return {"type": "apiChats", "user": self.user, "chats": chats}

    async def _getChat(self, request: httpx.Request, userId: str, chatType: str, chatId: str) -> Any:
        number = int(chatId)
        count = int(request.url.params.get("limit", 50))
        if number not in self.items:
            raise FakeFailure(404, "notFound")
        before = int(request.url.params.get("cursor", 1 << 62))
        items = [item for item in self.items[number] if item["meta"]["itemId"] < before][-count:]
        answer = {"type": "apiChat", "chat": {**self._in_chat(number, {}), "chatItems": items, "chatStats": {}}}
        if len(items) == count:
            answer["next"] = str(items[0]["meta"]["itemId"])
        return answer

    async def _sendMessages(self, request: httpx.Request, userId: str, chatType: str, chatId: str) -> Any:
        number = int(chatId)
        if chatType != "direct" or number not in self.contacts:
            raise FakeFailure(404, "notFound")
        items = []
        for message in json.loads(request.content)["composedMessages"]:
            members = {"quotedItem": {"itemId": message["quotedItemId"]}} if "quotedItemId" in message else {}
            if "fileSource" in message:
                name = message["fileSource"]["filePath"]
                size = len(self.files[name])
                file = {"fileId": len(self.files), "fileName": name, "fileSize": size, "fileProtocol": "xftp"}
                members["file"] = {**file, "fileStatus": {"type": "sndComplete"}}
            items.append(self._in_chat(number, self._item(number, message["msgContent"], "Snd", **members)))
        return {"type": "newChatItems", "user": self.user, "chatItems": items}

    def _found(self, chat: str, number: str) -> dict[str, Any]:
        for item in self.items.get(int(chat), []):
            if item["meta"]["itemId"] == int(number):
                return item
        raise FakeFailure(404, "notFound")

    async def _updateMessage(self, request: httpx.Request, userId: str, chatType: str, chatId: str, itemId: str) -> Any:
        item = self._found(chatId, itemId)
        item["content"]["msgContent"] = json.loads(request.content)["updatedMessage"]["msgContent"]
        item["meta"]["itemText"] = item["content"]["msgContent"]["text"]
        return {"type": "chatItemUpdated", "user": self.user, "chatItem": self._in_chat(int(chatId), item)}

    async def _deleteMessages(self, request: httpx.Request, userId: str, chatType: str, chatId: str) -> Any:
        for number in request.url.params["itemIds"].split(","):
            self.items[int(chatId)].remove(self._found(chatId, number))
        return {"type": "chatItemsDeleted", "user": self.user, "chatItemDeletions": []}

    async def _changeReaction(
        self, request: httpx.Request, userId: str, chatType: str, chatId: str, itemId: str
    ) -> Any:
        body = json.loads(request.content)
        self._found(chatId, itemId)["reactions"].append(body["reaction"])
        return {"type": "chatItemReaction", "user": self.user, "added": body["add"], "reaction": body["reaction"]}

    async def _markChatRead(self, request: httpx.Request, userId: str, chatType: str, chatId: str) -> Any:
        return {"type": "cmdOk"}

    async def _uploadFile(self, request: httpx.Request, userId: str) -> Any:
        name = request.url.params["name"]
        digest = base64.b64encode(hashlib.sha256(request.content).digest()).decode()
        if request.headers.get("Repr-Digest") not in (None, f"sha-256=:{digest}:"):
            raise FakeFailure(422, "invalidValue")
        self.files[name] = request.content
        return {"type": "fileUploaded", "fileSource": {"filePath": name}, "fileSize": len(request.content)}

    def _place(self, cursor: str | None) -> int:
        if cursor == "now":
            return len(self.entries)
        place = int(cursor.rsplit("-", 1)[1]) if cursor else 0
        if place > len(self.entries):
            raise FakeFailure(410, "cursorExpired", oldest="fake-0")
        return place

    def _filtered(self, values: Any) -> Callable[[dict[str, Any]], bool]:
        types = values.get("types")
        types = types.split(",") if isinstance(types, str) else types
        return lambda entry: not types or entry["event"]["type"] in types

    async def _listEvents(self, request: httpx.Request) -> Any:
        params = request.url.params
        place, wanted = self._place(params.get("cursor")), self._filtered(params)
        if "ndjson" in request.headers.get("Accept", ""):
            return httpx.Response(200, content=self._lines(place, wanted))
        end = time.monotonic() + int(params.get("timeout", 0))
        while not (found := [one for one in self.entries[place:] if wanted(one)]) and time.monotonic() < end:
            await asyncio.sleep(0.01)
        return {"events": found, "cursor": f"fake-{len(self.entries)}"}

    async def _lines(self, place: int, wanted: Callable[[dict[str, Any]], bool]) -> AsyncIterator[bytes]:
        while True:
            for entry in self.entries[place:]:
                place += 1
                line = entry if wanted(entry) else {"id": entry["id"], "event": {"type": "passed"}}
                yield json.dumps(line).encode() + b"\n"
            await asyncio.sleep(0.005)

    async def _setConsumer(self, request: httpx.Request, name: str) -> Any:
        body = json.loads(request.content)
        old = self.consumers.get(name)
        place = self._place(None if body.get("from") == "oldest" else body.get("from", "now"))
        taken: dict[str, Any] = {}
        self.consumers[name] = {"place": place, "taken": taken, "dead": [], **(old or {}), "body": body}
        return {"name": name}

    async def _takeEvents(self, request: httpx.Request, name: str) -> Any:
        consumer = self.consumers[name]
        body = json.loads(request.content)
        wanted = self._filtered(consumer["body"].get("filter", {}))
        end = time.monotonic() + body.get("timeout", 0)
        while True:
            now = time.monotonic()
            for entry in self.entries[consumer["place"] :]:
                consumer["place"] += 1
                if wanted(entry):
                    consumer["taken"][entry["id"]] = {"entry": entry, "attempt": 0, "due": 0.0}
            ready = [one for one in consumer["taken"].values() if one["due"] <= now][: body.get("limit", 100)]
            if ready or now >= end:
                break
            await asyncio.sleep(0.005)
        for one in ready:
            one["attempt"] += 1
            one["due"] = now + consumer["body"].get("deadlineSeconds", 60)
        return {
            "events": [
                {
                    "id": f"{one['entry']['id']}.{one['attempt']}",
                    "attempt": one["attempt"],
                    "deadlineAt": "",
                    "event": one["entry"],
                }
                for one in ready
            ]
        }

    async def _acknowledgeEvents(self, request: httpx.Request, name: str) -> Any:
        for identifier in json.loads(request.content)["ids"]:
            self.consumers[name]["taken"].pop(identifier.rsplit(".", 1)[0], None)
        return {}

    async def _refuseEvents(self, request: httpx.Request, name: str) -> Any:
        body, consumer = json.loads(request.content), self.consumers[name]
        for identifier in [handout.rsplit(".", 1)[0] for handout in body["ids"]]:
            one = consumer["taken"].get(identifier)
            if one and one["attempt"] >= consumer["body"].get("maxAttempts", 10):
                consumer["dead"].append(consumer["taken"].pop(identifier))
            elif one:
                one["due"] = time.monotonic() + body.get("delaySeconds", 0)
        return {}
