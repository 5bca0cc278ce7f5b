"""The gateway, as its programs see it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pathlib
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import httpx

from . import _contract
from ._events import Event, FileCursor, Handler, Result, Runner, follow
from ._http import Connection
from ._objects import Message, User
from .errors import NotFound, TimedOut, WrongVersion

if TYPE_CHECKING:
    from ._generated import EventType
    from .model import Model

EventFunction = TypeVar("EventFunction", bound=Callable[[Event], Result])
MessageFunction = TypeVar("MessageFunction", bound=Callable[[Message], Result])
KEY_FILE = "~/.local/share/simplex-gateway/admin.key"


class Gateway:
    """A simplex-gateway.

    async with Gateway("http://127.0.0.1:5225", key) as gateway:
        me = await gateway.user()
        await me.send("bob", "hello", wait="delivered")

    Requests are repeated after a lost line, 429 and 503, for `retry_for` seconds. `timeout` is the longest silence of a
    line in seconds. `verify` is an SSLContext for a gateway whose authority the system does not know.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        retry_for: float = 60,
        timeout: float = 30,
        verify: ssl.SSLContext | bool = True,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"The URL of a gateway begins with http:// or https://: {url!r}")
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("The key of a gateway is one word of ASCII letters.")
        # Operations of the contract by their names, such as `gateway.api.list_tags(1)`.
        self.api = Connection(url, key, retry_for=retry_for, timeout=timeout, verify=verify, transport=transport)
        self._handlers: list[Handler] = []
        self._failed: list[Callable[[Event, BaseException], Result]] = []

    @classmethod
    def from_env(cls, **options: Any) -> Gateway:
        """The gateway of the variables SXGW_URL, and SXGW_KEY or SXGW_KEY_FILE.

        Without them it is the gateway of this machine with its administrator's key.
        """
        url = os.environ.get("SXGW_URL", "http://127.0.0.1:5225")
        if key := os.environ.get("SXGW_KEY"):
            return cls(url, key, **options)
        path = pathlib.Path(os.environ.get("SXGW_KEY_FILE", KEY_FILE)).expanduser()
        if not path.exists():
            raise ValueError(f"There is no key: set SXGW_KEY, or SXGW_KEY_FILE. {path} does not exist.")
        return cls(url, path.read_text().strip(), **options)

    async def __aenter__(self) -> Gateway:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self.api.close()

    async def check(self) -> dict[str, str]:
        """Versions of the gateway. Raises WrongVersion when this package cannot speak with it."""
        answer = await self.api.get_index()
        versions: dict[str, str] = dict(answer["versions"])
        if versions["api"] not in _contract.API_VERSIONS:
            raise WrongVersion(
                f"The gateway has version {versions['api']} of the API: install simplex-gateway=={versions['program']}."
            )
        return versions

    async def user(self, name: str | int | None = None) -> User:
        """The profile with this name or id. Without one: the profile of the key, or else the active profile."""
        if name is None:
            number = (await self.api.get_current_key()).get("userId")
            if number is None:
                return User(self, (await self.api.get_active_user())["user"])
            name = number
        if isinstance(name, int):
            return User(self, (await self.api.get_user(name))["user"])
        async for user in self.users():
            if user.name == name:
                return user
        raise NotFound(f"There is no profile with the name {name}.", code="notFound")

    async def users(self) -> AsyncIterator[User]:
        """All visible profiles."""
        async for data in self.pages(_contract.path_of("listUsers"), "users"):
            yield User(self, data["user"])

    async def create_user(self, name: str, *, full_name: str = "", **options: Any) -> User:
        """A new profile. `options` are members of the request, such as `userChatRelay`."""
        profile = {"displayName": name, "fullName": full_name}
        body: Any = {"profile": profile, **options}
        return User(self, (await self.api.create_user(body))["user"])

    async def pages(
        self, path: str, member: str, query: dict[str, Any] | None = None, *, newest_first: bool = False
    ) -> AsyncIterator[Any]:
        """Entries of a list, page by page. `member` is the name of the list in the answer."""
        cursor = None
        while True:
            response = await self.api.request("GET", path, query={**(query or {}), "cursor": cursor})
            answer = found = self.api.json_of(response)
            for name in member.split("."):
                found = found[name]
            for entry in reversed(found) if newest_first else found:
                yield entry
            # A page can be empty after deletions, and have others after it.
            if (cursor := answer.get("next")) is None:
                return

    async def models(self, *users: User) -> AsyncGenerator[Model, None]:
        """States of profiles as an app shows them, over one stream: first each one, then each one after its change."""
        from .model import follow_models

        async with contextlib.aclosing(follow_models(self, list(users))) as models:
            async for model in models:
                yield model

    async def now(self) -> str:
        """The cursor at the end of the events."""
        return (await self.api.list_events(cursor="now"))["cursor"]

    async def events(
        self,
        *types: EventType | str,
        cursor: str | None = None,
        user: User | int | None = None,
        chats: list[str] | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Events after a cursor, or from now on, without end. Filters run on the server.

        The reader of `event.id` can continue after it. Events that are no longer kept are CursorExpired.
        """
        query = {"types": types or None, "users": id_of(user), "chats": chats}
        async with contextlib.aclosing(follow(self, cursor or await self.now(), query)) as entries:
            async for entry in entries:
                if entry["event"]["type"] != "passed":
                    yield Event(self, entry)

    async def wait_for(
        self,
        *types: EventType | str,
        user: User | None = None,
        since: str | None = None,
        timeout: float = 60,
        where: Callable[[dict[str, Any]], bool] = lambda event: True,
    ) -> dict[str, Any]:
        """The first event of these types after the cursor `since`, or from now on, that fits `where`."""
        try:
            async with (
                asyncio.timeout(timeout),
                contextlib.aclosing(self.events(*types, cursor=since, user=user)) as events,
            ):
                async for event in events:
                    if where(event.data):
                        return event.data
        except TimeoutError:
            pass
        raise TimedOut(f"No event {' or '.join(types)} came in {timeout} seconds.")

    def _add(self, handler: Handler) -> None:
        # The keys of effects have the name of the handler, so handlers of one name are counted.
        handler.number += sum(known.function_name == handler.function_name for known in self._handlers)
        self._handlers.append(handler)

    def on(
        self,
        *types: EventType | str,
        user: User | int | None = None,
        where: Callable[[Event], bool] | None = None,
    ) -> Callable[[EventFunction], EventFunction]:
        """Decorator of a handler for events of these types; without types, of all. `gap` says that events are lost."""

        def decorated(function: EventFunction) -> EventFunction:
            self._add(Handler(function, types, id_of(user), where=where))
            return function

        return decorated

    def on_message(
        self,
        *,
        direction: str | None = "received",
        kind: str | None = None,
        user: User | int | None = None,
        chat: Any = None,
        where: Callable[[Message], bool] | None = None,
    ) -> Callable[[MessageFunction], MessageFunction]:
        """Decorator of a handler for each new message: of one kind of content, of one chat, …"""

        def decorated(function: MessageFunction) -> MessageFunction:
            ref = getattr(chat, "ref", chat)
            handler = Handler(function, ("newChatItems",), id_of(user), ref, where, True, direction, kind)
            self._add(handler)
            return function

        return decorated

    def on_failure(
        self, function: Callable[[Event, BaseException], Result]
    ) -> Callable[[Event, BaseException], Result]:
        """Decorator of a function for an event that is given up after its last attempt."""
        self._failed.append(function)
        return function

    async def run(
        self,
        *,
        consumer: str | None = None,
        cursor: FileCursor | None = None,
        start: str = "now",
        attempts: int = 10,
        timeout: float = 60,
        workers: int = 1,
    ) -> None:
        """Handle events until the task is cancelled. The place is in a consumer on the server, or in a file.

        A handler that fails or takes longer than `timeout` seconds is called again, `attempts` times at most. Effects
        of a handler on the gateway happen once, even if it is called several times: their idempotency keys derive from
        the event and a counter. With a consumer, `workers` handlers run at the same time, each for another chat.
        """
        if (consumer is None) == (cursor is None):
            raise ValueError("Give either consumer=NAME or cursor=FileCursor(PATH).")
        if not self._handlers:
            raise ValueError("There is no handler: decorate one with @gateway.on or @gateway.on_message.")
        runner = Runner(self, self._handlers, self._failed, attempts, timeout)
        try:
            await runner.outlast(self.check)
            if consumer is not None:
                await runner.run_consumer(consumer, start, workers)
            elif cursor is not None:
                await runner.run_file(cursor)
        finally:
            await self.close()


def id_of(user: User | int | None) -> int | None:
    return user.id if isinstance(user, User) else user
