"""Bots with commands, menus in the apps, conversations that survive restarts, limits, broadcasts and admin commands.

bot = Bot(Gateway.from_env(), "order.state")

@bot.command("order", "Order a pizza")
async def order(turn):
    await turn.ask("Which size?", size)

@bot.step
async def size(turn):
    await turn.reply(f"One {turn.text} pizza is on its way.")

asyncio.run(bot.run(cursor=FileCursor("order.cursor")))
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from ._events import OUTSIDE, Event, Runner
from ._generated import EventType
from ._http import effects_name, once
from ._objects import Chat, Contact, Group, Message, User
from ._store import Store as Store
from ._turn import Turn as Turn
from .errors import ChatError, Conflict, Forbidden, GatewayError, NotFound, SendFailed, Unauthorized
from .gateway import Gateway

__all__ = ["Bot", "Store", "Turn"]

log = logging.getLogger("simplex_gateway")
# A repeated request would get these errors again, for example because the contact has left.
REFUSALS = (ChatError, Conflict, NotFound, SendFailed)
ADMIN_ROLES = ("moderator", "admin", "owner")


Function = Callable[[Turn], Awaitable[Any]]
F = TypeVar("F", bound=Function)
T = TypeVar("T")
Job = Callable[[], Awaitable[None]]


@dataclass
class Command:
    """A command of a bot, as the menus of the apps show it."""

    function: Function
    keyword: str
    label: str
    params: str | None
    menu: str | None
    admin: bool


class Bot:
    """A bot of one profile: the profile of the key, or `user`. `state` is the path of the file with its state.

    With `group`, the bot works only in this group or channel. `limit` is the number of messages that a sender may write
    in a number of seconds. Admin commands work in the group `admins`. Without such a group, they work for moderators,
    admins and owners of each group.
    """

    def __init__(
        self,
        gateway: Gateway,
        state: str | os.PathLike[str],
        *,
        user: str | int | None = None,
        group: str | int | None = None,
        admins: str | int | None = None,
        limit: tuple[int, float] | None = (20, 60),
    ) -> None:
        self.gateway, self.store = gateway, Store(state)
        self.limit = limit
        self._names = user, group, admins
        self._user: User | None = None
        self._group: Group | None = None
        self._admins: Group | None = None
        self.commands: dict[str, Command] = {}
        self.steps: dict[str, Function] = {}
        self._guards: list[Function] = []
        self._events: list[tuple[tuple[str, ...], Function]] = []
        self._jobs: list[tuple[float, Job]] = []
        self._started: list[Job] = []
        self._otherwise: Function | None = None
        self._limited: Function = _slow_down

    @property
    def user(self) -> User:
        """The profile of the bot, available while the bot runs."""
        return _known(self._user)

    @property
    def group(self) -> Group:
        """The only group of the bot, available while the bot runs."""
        return _known(self._group)

    @property
    def admins(self) -> Group:
        """The group for admin commands, available while the bot runs."""
        return _known(self._admins)

    def command(
        self, keyword: str, label: str = "", *, params: str | None = None, menu: str | None = None, admin: bool = False
    ) -> Callable[[F], F]:
        """Decorator of a command, such as /order. With a label, the apps show the command in the given menu or at the
        top."""
        if not keyword.isidentifier() or keyword in self.commands:
            raise ValueError(f"A command is one new word of letters, digits and _: {keyword!r}")

        def decorated(function: F) -> F:
            self.commands[keyword] = Command(function, keyword, label, params, menu, admin)
            return function

        return decorated

    def step(self, function: F) -> F:
        """Decorator of a step in a conversation. The state contains the name of the step, so a new name ends open
        conversations."""
        self.steps[function.__name__] = function
        return function

    def guard(self, function: F) -> F:
        """Decorator of a function that gets each message first. If the function returns True, nothing else gets the
        message."""
        self._guards.append(function)
        return function

    def otherwise(self, function: F) -> F:
        """Decorator of the function for messages that are neither commands nor answers to a question."""
        self._otherwise = function
        return function

    def limited(self, function: F) -> F:
        """Decorator of the function for messages above the limit."""
        self._limited = function
        return function

    def on(self, *types: EventType) -> Callable[[F], F]:
        """Decorator of a function for events of these types, which can change the state."""

        def decorated(function: F) -> F:
            self._events.append((types, function))
            return function

        return decorated

    def started(self, function: Job) -> Job:
        """Decorator of a function that runs at the start, before the first event."""
        self._started.append(function)
        return function

    def every(self, seconds: float) -> Callable[[Job], Job]:
        """Decorator of a function that runs at the start, and then at intervals. Its requests to the gateway need
        `once`."""

        def decorated(function: Job) -> Job:
            self._jobs.append((seconds, function))
            return function

        return decorated

    async def run(self, **options: Any) -> None:
        """Set the menu, and handle events until the task is cancelled. `options` are those of `Gateway.run`."""
        await Runner(self.gateway, [], [], 1, 60).outlast(self._begin)
        self.gateway.on_message(user=self.user)(self._handler("bot_message", self._dispatch))
        for types, function in self._events:
            self.gateway.on(*types, user=self.user)(self._handler(f"bot_{function.__name__}", function))
        jobs = [asyncio.create_task(self._repeat(*job)) for job in [*self._jobs, (1.0, self._send_broadcasts)]]
        try:
            await self.gateway.run(**options)
        finally:
            for job in jobs:
                job.cancel()
            await asyncio.gather(*jobs, return_exceptions=True)
            self.store.close()

    async def _begin(self) -> None:
        name, group, admins = self._names
        user = self._user = await self.gateway.user(name)
        self._group = None if group is None else await user.group(group)
        self._admins = None if admins is None else await user.group(admins)
        if self._admins and "businessChat" in self._admins.data:
            raise ValueError(f"{admins} is a chat with a customer, who has chosen this name.")
        profile: Any = user.data["profile"]
        menu = self.menu()
        # The profile is sent to all contacts when it changes, so it is only set if it differs.
        if profile.get("peerType") != "bot" or profile.get("preferences", {}).get("commands", []) != menu:
            changes: Any = {"peerType": "bot", "preferences": {"commands": menu}}
            try:
                await self.gateway.api.update_user(user.id, {"profile": changes})
            except Forbidden as error:
                log.warning("The menu of the bot is not set: %s", error)
        for function in self._started:
            await function()

    def menu(self) -> list[dict[str, Any]]:
        """Return the commands that the apps show."""
        found: list[dict[str, Any]] = []
        menus: dict[str | None, list[dict[str, Any]]] = {None: found}
        for command in self.commands.values():
            if command.admin or not command.label:
                continue
            if command.menu not in menus:
                menus[command.menu] = []
                found.append({"type": "menu", "label": command.menu, "commands": menus[command.menu]})
            entry = {"type": "command", "keyword": command.keyword, "label": command.label}
            menus[command.menu].append({**entry, "params": command.params} if command.params else entry)
        return found

    def _handler(self, name: str, function: Function) -> Callable[[Any], Awaitable[None]]:
        async def handle(value: Message | Event) -> None:
            key = effects_name()
            if self.store.is_handled(key):
                return
            turn = Turn(self, key, value)
            if self._group and (turn.chat is None or turn.chat.ref != self._group.ref):
                return
            try:
                await function(turn)
            except REFUSALS as error:
                if error.code == "requestInProgress":
                    raise
                log.warning("%s: an effect is refused, and the rest is left out: %s", key, error)
            turn.save()

        handle.__name__ = name
        return handle

    def is_admin(self, turn: Turn) -> bool:
        """Whether the sender may use admin commands in this chat."""
        if self._admins is not None:
            return turn.chat is not None and turn.chat.ref == self._admins.ref
        return turn.member is not None and turn.member["memberRole"] in ADMIN_ROLES

    async def _dispatch(self, turn: Turn) -> None:
        admin = self.is_admin(turn)
        if not admin and self.limit and turn.exceeds(*self.limit):
            await self._limited(turn)
            return
        for guard in self._guards:
            if await guard(turn):
                return
        word, _, rest = turn.text.partition(" ")
        command = self.commands.get(word[1:]) if word.startswith("/") else None
        step = self.steps.get(turn.state.pop("step", ""))
        if command and (admin or not command.admin):
            turn.arguments = rest.strip()
            turn.state.clear()
            await command.function(turn)
        elif step:
            await step(turn)
        elif self._otherwise:
            await self._otherwise(turn)

    async def _repeat(self, seconds: float, function: Job) -> None:
        while True:
            try:
                await function()
            except Exception as error:
                log.warning("%s: %r", getattr(function, "__name__", "job"), error, exc_info=error)
            await asyncio.sleep(seconds)

    async def _send_broadcasts(self) -> None:
        for key in self.store.keys("broadcast/"):
            job = self.store.get(key)
            chats = [chat async for chat in self.user.chats() if _writes_to_bot(chat) and chat.ref > job["after"]]
            for chat in sorted(chats, key=lambda chat: chat.ref):
                try:
                    with once(f"{key}-{chat.ref}"):
                        await chat.send(job["text"])
                    job["sent"] += 1
                except (*OUTSIDE, Unauthorized):
                    raise
                except GatewayError as error:
                    log.warning("broadcast to %s: %s", chat.ref, error)
                    job["failed"] += 1
                self.store.set(key, {**job, "after": chat.ref})
            if job["group"] is not None:
                with once(f"{key}-report"):
                    group = await self.user.group(job["group"])
                    await group.send(f"Sent to {job['sent']} chats, {job['failed']} failed.")
            self.store.set(key, None)


def _known(value: T | None) -> T:
    if value is None:
        raise RuntimeError("The bot has none, or does not run yet.")
    return value


def _writes_to_bot(chat: Chat) -> bool:
    return isinstance(chat, Contact) or (isinstance(chat, Group) and "businessChat" in chat.data)


async def _slow_down(turn: Turn) -> None:
    """Inform the sender once about the limit."""
    if turn.get(f"slow/{turn.sender}") is None and turn.bot.limit:
        turn.set(f"slow/{turn.sender}", True, seconds=turn.bot.limit[1])
        await turn.reply("You write too fast: wait a minute.")
