"""Events: their handlers, the position up to which they are handled, and the loop that handles each event once."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import logging
import os
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from . import _contract, errors
from ._http import SILENCE, once
from ._objects import Message, User, message_of

if TYPE_CHECKING:
    from .gateway import Gateway

T = TypeVar("T")
log = logging.getLogger("simplex_gateway")
# Temporary errors of the gateway or the network. The event is handled again until these errors end.
OUTSIDE = (errors.ConnectionFailed, errors.Unavailable, errors.RateLimited)
# The longest pause before another attempt to handle an event, in seconds.
MAX_DELAY = 30


class Event:
    """An event of the gateway. `data` is the event as in the contract, also an event of a later version."""

    def __init__(self, gateway: Gateway, entry: dict[str, Any]) -> None:
        self.gateway = gateway
        self.id: str = entry.get("id", "")
        self.time: str = entry.get("createdAt", "")
        self.user_id: int | None = entry.get("userId")
        self.data: dict[str, Any] = entry["event"]
        self.type: str = self.data["type"]

    def __repr__(self) -> str:
        return f"<Event {self.id} {self.type}>"

    @property
    def user(self) -> User | None:
        """The profile of the event; None if the event concerns no profile or all profiles."""
        return User(self.gateway, self.data["user"]) if "user" in self.data else None

    @property
    def messages(self) -> list[Message]:
        """The messages in the event."""
        user = self.user
        items = self.data.get("chatItems") or [self.data.get("chatItem")]
        found = [message_of(user, item) for item in items if item and user and "chatInfo" in item]
        return [message for message in found if message]


Result = Awaitable[None] | None


@dataclass
class Handler:
    """A function that is called for events of some types; with `messages`, for each message in them."""

    function: Callable[[Any], Result]
    types: tuple[str, ...]
    user: int | None = None
    chat: str | None = None
    where: Callable[[Any], bool] | None = None
    messages: bool = False
    direction: str | None = None
    kind: str | None = None

    number: int = 1

    @property
    def function_name(self) -> str:
        return getattr(self.function, "__name__", "handler")

    @property
    def name(self) -> str:
        """The name of the handler in idempotency keys, which differs for each handler."""
        return self.function_name if self.number == 1 else f"{self.function_name}-{self.number}"

    def values(self, event: Event) -> list[Any]:
        """Return the values for which the function is called: the event, its messages, or an empty list."""
        if self.types and event.type not in self.types:
            return []
        if self.user is not None and event.user_id not in (None, self.user):
            return []
        found = [message for message in event.messages if self._fits(message)] if self.messages else [event]
        return [value for value in found if self.where is None or self.where(value)]

    def _fits(self, message: Message) -> bool:
        wanted = self.kind, self.direction, self.chat
        found = message.kind, "received" if message.received else "sent", message.chat.ref
        return message.kind is not None and all(one in (None, other) for one, other in zip(wanted, found))

    async def call(self, value: Any) -> None:
        if inspect.iscoroutinefunction(self.function):
            await self.function(value)
        else:
            result = await asyncio.to_thread(self.function, value)
            if inspect.isawaitable(result):
                await result


def filters(handlers: list[Handler]) -> dict[str, Any]:
    """Return the server's filter that includes the events of all handlers."""
    # This package makes the event `gap` itself, so the server does not filter it.
    handlers = [handler for handler in handlers if handler.types != ("gap",)]
    types = {kind for handler in handlers for kind in handler.types or (None,)} - {"gap"}
    parts: dict[str, set[Any]] = {"types": types}
    parts |= {"users": {handler.user for handler in handlers}, "chats": {handler.chat for handler in handlers}}
    return {name: sorted(values) for name, values in parts.items() if None not in values}


async def follow(gateway: Gateway, cursor: str | None, query: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
    """Yield the entries of the stream of events, and reconnect after interruptions. Entries of the type `passed` only
    move the cursor."""

    def sent() -> dict[str, Any]:
        return {**query, "cursor": cursor} if cursor else query

    async with contextlib.aclosing(lines(gateway, "listEvents", sent)) as entries:
        async for entry in entries:
            yield entry
            cursor = entry["id"]


async def lines(
    gateway: Gateway, operation: str, query: Callable[[], dict[str, Any]]
) -> AsyncGenerator[dict[str, Any], None]:
    """Yield entries of a stream, and reconnect after interruptions. `query` returns each connection's query."""
    path = _contract.path_of(operation)
    failures = 0
    while True:
        try:
            headers = {"Accept": "application/x-ndjson"}
            waiting = max(0.0, SILENCE - gateway.api.timeout)
            async with gateway.api.stream("GET", path, query(), headers=headers, seconds=waiting) as response:
                failures = 0
                async for line in response.aiter_lines():
                    if not line.strip():
                        continue
                    entry = json.loads(line)
                    # The last entry has only the reason why the stream ends, so this reason is raised as an error.
                    if "id" not in entry and "document" not in entry:
                        raise _end_of_stream(entry["event"]["type"])
                    yield entry
        except (*OUTSIDE, ValueError) as error:
            # An entry that was cut off is not valid JSON. The next connection reads this entry again.
            failures += 1
            log.warning("%s: %s", operation, error)
            await asyncio.sleep(getattr(error, "retry_after", None) or min(0.1 * 2**failures, 5.0))


def _end_of_stream(reason: str) -> errors.GatewayError:
    ends = {"storeLocked": (503, "storeLocked"), "storeDeleted": (404, "notFound"), "keyEnded": (401, "unauthorized")}
    status, code = ends.get(reason, (503, "unavailable"))
    return errors.error_of(status, {"code": code, "detail": f"The gateway has ended the stream: {reason}."}, {})


class FileCursor:
    """The position of a program in the events, stored in a file. Only one program at a time may use the file.

    `start` is the position of a program without a file: `now`, or `oldest` for all events that the gateway still has.
    """

    def __init__(self, path: str | os.PathLike[str], start: str = "now") -> None:
        self.path = os.fspath(path)
        self.start = start
        self.name = ""
        self.cursor = ""
        self._lock: int | None = None

    async def open(self, gateway: Gateway) -> None:
        """Lock the file, and read it or create it."""
        if self._lock is None:
            self._lock = _locked(f"{self.path}.lock")
        try:
            with open(self.path, encoding="utf-8") as file:
                kept = json.load(file)
                self.name, self.cursor = kept["name"], kept["cursor"]
        except FileNotFoundError:
            # Idempotency keys contain this name, so that no other program has the same keys.
            self.name = str(uuid.uuid4())
            await self.save(await gateway.now() if self.start == "now" else "")
        except (ValueError, KeyError, TypeError):
            raise RuntimeError(f"{self.path} is not the file of a FileCursor: move it away to begin again.") from None

    def close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    async def save(self, cursor: str) -> None:
        """Replace the file. After a crash the file has the old or the new cursor."""
        await asyncio.to_thread(self._write, json.dumps({"name": self.name, "cursor": cursor}))
        self.cursor = cursor

    def _write(self, text: str) -> None:
        new = f"{self.path}.new"
        with open(new, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)
        folder = os.open(os.path.dirname(self.path) or ".", os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _locked(path: str) -> int:
    """Create a file, and lock it for this program, if the system supports locks."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with contextlib.suppress(ImportError):
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            raise RuntimeError(f"Another program uses {path}: give each program its own file.") from None
    return file


@dataclass
class Runner:
    """Handles events one after the other. An event counts as handled when all its handlers have ended."""

    gateway: Gateway
    handlers: list[Handler]
    failed: list[Callable[[Event, BaseException], Result]]
    attempts: int
    timeout: float

    async def handle(self, name: str, entry: dict[str, Any]) -> None:
        """Call the handlers of one event. The idempotency keys of their requests derive from the event."""
        event = Event(self.gateway, entry)
        for handler in self.handlers:
            for number, value in enumerate(handler.values(event)):
                with once(f"{name}-{event.id}-{handler.name}-{number}") as effects:
                    # An unreachable gateway causes a network error before the time limit of the handler ends.
                    effects.end = time.monotonic() + self.timeout / 2
                    try:
                        async with asyncio.timeout(self.timeout):
                            await handler.call(value)
                    except errors.AlreadyDone as error:
                        log.warning("%s %r: an earlier attempt had this effect: %s", handler.name, event, error)

    async def give_up(self, entry: dict[str, Any], error: BaseException) -> None:
        event = Event(self.gateway, entry)
        log.error("%r is given up: %r", event, error, exc_info=error)
        for function in self.failed:
            result = function(event, error)
            if inspect.isawaitable(result):
                await result

    async def run_file(self, cursor: FileCursor) -> None:
        """Handle the events after the position in a file."""
        try:
            await self.outlast(lambda: cursor.open(self.gateway))
            while True:
                try:
                    lines = follow(self.gateway, cursor.cursor or None, filters(self.handlers))
                    async with contextlib.aclosing(lines):
                        async for entry in lines:
                            if entry["event"]["type"] != "passed":
                                await self._until_handled(cursor.name, entry)
                            await cursor.save(entry["id"])
                except errors.CursorExpired as error:
                    log.error("Events are lost, since the program was away for too long: %s", error)
                    await self.gap(cursor.name, error)
                    await cursor.save(error.oldest)
        finally:
            cursor.close()

    async def gap(self, name: str, error: errors.CursorExpired) -> None:
        """Inform the handlers of the type `gap` that events are lost."""
        await self.handle(name, {"id": f"gap-{error.oldest}", "event": {"type": "gap", "oldest": error.oldest}})

    async def _until_handled(self, name: str, entry: dict[str, Any]) -> None:
        """Handle an event again after each failure, at most `attempts` times. Network failures do not count as
        attempts."""
        for attempt in range(1, self.attempts + 1):
            try:
                return await self.outlast(lambda: self.handle(name, entry))
            except errors.Unauthorized:
                raise
            except Exception as error:
                log.warning("event %s, attempt %s: %r", entry["id"], attempt, error, exc_info=error)
                if attempt == self.attempts:
                    return await self.give_up(entry, error)
                await asyncio.sleep(min(2.0**attempt, MAX_DELAY))

    async def run_consumer(self, name: str, start: str, workers: int) -> None:
        """Handle the events that a consumer on the server hands out. The consumer counts the attempts."""
        api = self.gateway.api
        passed = {kind: value for kind, value in filters(self.handlers).items() if value}
        limits = {"deadlineSeconds": min(int(self.timeout) + 5, 3600), "maxAttempts": self.attempts}
        body: Any = {"filter": passed, "from": start, **limits}
        await self.outlast(lambda: api.set_consumer(name, body))
        running: set[asyncio.Task[None]] = set()
        try:
            while True:
                if len(running) >= workers:
                    done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                    for task in done:
                        task.result()
                take = {"limit": workers - len(running), "timeout": 20}
                path = _contract.path_of("takeEvents", name=name)
                response = await self.outlast(lambda: api.request("POST", path, body=take, seconds=20))
                for taken in api.json_of(response)["events"]:
                    running.add(asyncio.create_task(self._handle_taken(name, taken)))
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _handle_taken(self, name: str, taken: dict[str, Any]) -> None:
        api, entry = self.gateway.api, taken["event"]
        # A gap has no id, so it gets one here.
        entry.setdefault("id", f"gap-{entry['event'].get('oldest')}")
        action, body = "acknowledgeEvents", dict[str, Any](ids=[taken["id"]])
        try:
            await self.handle(name, entry)
        except errors.Unauthorized:
            raise
        except Exception as error:
            log.warning("event %s, attempt %s: %r", entry["id"], taken["attempt"], error, exc_info=error)
            if taken["attempt"] >= self.attempts:
                await self.give_up(entry, error)
            action = "refuseEvents"
            body["delaySeconds"] = min(2 ** taken["attempt"], MAX_DELAY)
        try:
            await self.outlast(lambda: api.call(action, body, name=name))
        except errors.Conflict as error:
            # The deadline has passed, and another worker has the event. So this result is dropped.
            log.warning("event %s: %s", entry["id"], error)

    async def outlast(self, action: Callable[[], Awaitable[T]]) -> T:
        """Repeat a request until the gateway answers it."""
        while True:
            try:
                return await action()
            except OUTSIDE as error:
                log.warning("gateway: %s", error)
                await asyncio.sleep(error.retry_after or 1)
