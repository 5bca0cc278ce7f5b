"""The gateway as programs use it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pathlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from . import _contract
from ._events import Event, FileCursor, Handler, Result, Runner, follow
from ._http import Connection
from ._objects import Message, User
from .errors import NotFound, TimedOut, WrongVersion

if TYPE_CHECKING:
    from ._generated import EventType, LongOperation
    from .model import Model

EventFunction = TypeVar("EventFunction", bound=Callable[[Event], Result])
MessageFunction = TypeVar("MessageFunction", bound=Callable[[Message], Result])
KEY_FILE = "~/.local/share/simplex-gateway/admin.key"


class Gateway:
    """A simplex-gateway.

    async with Gateway("http://127.0.0.1:5225", key) as gateway:
        me = await gateway.user()
        await me.send("bob", "hello", wait="delivered")

    Requests are repeated for `retry_for` seconds after lost connections and the statuses 429 and 503. `timeout` is the
    longest time in seconds without bytes from the gateway. `options` are the options of httpx.AsyncClient: `verify` is
    an SSLContext for a gateway whose authority the system does not know.
    """

    def __init__(self, url: str, key: str, *, retry_for: float = 60, timeout: float = 30, **options: Any) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"The URL of a gateway begins with http:// or https://: {url!r}")
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("The key of a gateway is one word of ASCII letters.")
        # The operations of the contract by their names, such as `gateway.api.list_tags(1)`.
        self.api = Connection(url, key, retry_for=retry_for, timeout=timeout, **options)
        self._handlers: list[Handler] = []
        self._failed: list[Callable[[Event, BaseException], Result]] = []

    @classmethod
    def from_env(cls, **options: Any) -> Gateway:
        """Return the gateway that the variables SXGW_URL, and SXGW_KEY or SXGW_KEY_FILE, name.

        Without these variables, it is the gateway of this machine with its administrator's key.
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
        """Return the versions of the gateway. Raises WrongVersion if this package does not support its API."""
        answer = await self.api.get_index()
        versions: dict[str, str] = dict(answer["versions"])
        if versions["api"] not in _contract.API_VERSIONS:
            needed = f"simplex-gateway=={versions['program']}"
            raise WrongVersion(f"The gateway has version {versions['api']} of the API: install {needed}.")
        return versions

    async def user(self, name: str | int | None = None) -> User:
        """Return the profile with this name or id. Without a name: the profile of the key, otherwise the active
        profile.

        With a key without the scope `read`, the profile has an id and no name.
        """
        if name is None:
            key = await self.api.get_current_key()
            if "userId" not in key:
                return User(self, (await self.api.get_active_user())["user"])
            name = key["userId"]
            if "read" not in key["scopes"]:
                return User(self, cast(Any, {"userId": name, "localDisplayName": "This profile"}))
            # A key that is limited to some chats may read the profile only together with a chat, so a chat is read
            # first.
            if answers := await self.chats_of_key():
                return User(self, answers[0]["user"])
        if isinstance(name, int):
            return User(self, (await self.api.get_user(name))["user"])
        async for user in self.users():
            if user.name == name:
                return user
        raise NotFound(f"There is no profile with the name {name}.", code="notFound")

    async def chats_of_key(self) -> list[dict[str, Any]]:
        """Return the chats, as in the contract, to which the key is limited. The list of another key is empty."""
        key, found = await self.api.get_current_key(), []
        for ref in key.get("chats", []):
            place = dict(zip(("chatType", "chatId"), ref.split("/")))
            with contextlib.suppress(NotFound):
                query = {"limit": 1}
                found.append(await self.api.call("getChat", query=query, userId=key["userId"], **place))
        return found

    async def users(self) -> AsyncIterator[User]:
        """Yield all visible profiles."""
        async for data in self.pages("listUsers", "users"):
            yield User(self, data["user"])

    async def create_user(self, name: str, *, full_name: str = "", **options: Any) -> User:
        """Create a profile. `options` are members of the request, such as `userChatRelay`."""
        body: Any = {"profile": {"displayName": name, "fullName": full_name}, **options}
        return User(self, (await self.api.create_user(body))["user"])

    async def pages(
        self, operation: str, member: str, query: Any = None, *, newest_first: bool = False, **place: Any
    ) -> AsyncIterator[Any]:
        """Yield the entries of a list, page by page. `member` is the name of the list in the answer. `place` has the
        values for the path."""
        cursor = None
        while True:
            answer = found = await self.api.call(operation, query={**(query or {}), "cursor": cursor}, **place)
            for name in member.split("."):
                found = found[name]
            for entry in reversed(found) if newest_first else found:
                yield entry
            # After deletions, a page can be empty although other pages follow. So only a page without `next` is the
            # last one.
            if (cursor := answer.get("next")) is None:
                return

    def models(self, *users: User) -> AsyncGenerator[Model, None]:
        """Yield the states of profiles as apps show them, over one stream: each at first and after each change."""
        from .model import Model, follow_models

        return follow_models(self, *map(Model, users))

    async def follow(self, operation: Any, progress: Callable[[LongOperation], object] | None = None) -> Any:
        """Wait until long work has ended, and return its answer. `progress` gets each state until then.

        work = await gateway.api.create_backup({"folder": "/copy"}, prefer="respond-async")
        await gateway.follow(work, lambda state: print(state.get("progress")))
        """
        return await self.api.follow(operation, progress)

    async def now(self) -> str:
        """Return the cursor after the last event."""
        return (await self.api.list_events(cursor="now"))["cursor"]

    async def events(
        self,
        *types: EventType | str,
        cursor: str | None = None,
        user: User | int | None = None,
        chats: list[str] | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Yield the events after a cursor, or from now on, without end. The server applies the filters.

        A program can continue after the cursor `event.id`. Raises CursorExpired if the gateway no longer has the
        events.
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
        """Wait for the first event of these types after the cursor `since`, or from now on, for which `where` returns
        True."""
        events = self.events(*types, cursor=since, user=user)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout), contextlib.aclosing(events):
                async for event in events:
                    if where(event.data):
                        return event.data
        raise TimedOut(f"No event {' or '.join(types)} came in {timeout} seconds.")

    def _add(self, handler: Handler) -> None:
        # Idempotency keys contain the name of the handler, so handlers of the same name are numbered.
        handler.number += sum(known.function_name == handler.function_name for known in self._handlers)
        self._handlers.append(handler)

    def on(
        self, *types: EventType | str, user: User | int | None = None, where: Callable[[Event], bool] | None = None
    ) -> Callable[[EventFunction], EventFunction]:
        """Decorator of a handler for events of these types; without types, for all events. The type `gap` reports lost
        events."""

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
        """Decorator of a handler for each new message that meets the conditions, such as one kind of content or one
        chat."""

        def decorated(function: MessageFunction) -> MessageFunction:
            ref = getattr(chat, "ref", chat)
            handler = Handler(function, ("newChatItems",), id_of(user), ref, where, True, direction, kind)
            self._add(handler)
            return function

        return decorated

    def on_failure(
        self, function: Callable[[Event, BaseException], Result]
    ) -> Callable[[Event, BaseException], Result]:
        """Decorator of a function that is called for an event whose last attempt has failed."""
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
        """Handle events until the task is cancelled. A consumer on the server, or a file, stores the position in the
        events.

        A handler that fails or takes longer than `timeout` seconds is called again, at most `attempts` times. The
        requests of a handler have their effect once, even if the handler is called several times: their idempotency
        keys derive from the event and a counter. With a consumer, `workers` handlers run at the same time, each for
        another chat.
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
