"""A message or event that a bot handles, with the state that the handler may change."""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ._events import Event
from ._objects import Chat, Contact, Group, Message
from ._store import Changes

if TYPE_CHECKING:
    from .bots import Bot


class Turn:
    """A message or event that a bot handles. The changes of the state are saved together when the handler has ended."""

    def __init__(self, bot: Bot, key: str, value: Message | Event) -> None:
        self.bot, self.key = bot, key
        self.message = value if isinstance(value, Message) else None
        self.event = value if isinstance(value, Event) else None
        self.changes: Changes = {}
        self.chat: Chat | None = value.chat if isinstance(value, Message) else _chat_of(value)
        self.member: dict[str, Any] | None
        if isinstance(value, Message):
            self.member = value.data["chatDir"].get("groupMember")
            created = value.data["meta"].get("createdAt")
        else:
            self.member, created = value.data.get("member"), value.time
        # The time of the event, which is the same in a repetition, so that the handler makes the same decisions.
        self.time = datetime.fromisoformat(created).timestamp() if created else time.time()
        number = f"/{self.member['groupMemberId']}" if self.member else ""
        # The name under which the state keeps values of the sender, who is a contact or a member.
        self.sender = f"{self.chat.ref if self.chat else 'gateway'}{number}"
        self.text = self.message.text.strip() if self.message else ""
        self.arguments = ""
        self.random = random.Random(f"{bot.store.get('secret')} {key}")
        self.state: dict[str, Any] = self.get(f"talk/{self.sender}", {})

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value of the bot's state."""
        if key in self.changes:
            value, expires = self.changes[key]
            return default if value is None or (expires is not None and expires <= self.time) else value
        return self.bot.store.get(key, default, now=self.time)

    def set(self, key: str, value: Any, *, seconds: float | None = None) -> None:
        """Change a value of the bot's state, for some seconds or for ever; None deletes it."""
        self.changes[key] = (value, None if seconds is None else self.time + seconds)

    async def reply(self, text: str = "", **options: Any) -> Message:
        """Answer in the chat of the message or event, with the options of `Chat.send`."""
        if self.chat is None:
            raise ValueError(f"The event {self.key} has no chat.")
        return await self.chat.send(text, **options)

    async def ask(self, text: str, step: Callable[[Turn], Awaitable[None]]) -> None:
        """Send a question to the sender. The sender's next message that is not a command goes to the step. `state` is
        kept until then."""
        name = getattr(step, "__name__", "")
        if self.bot.steps.get(name) is None:
            raise ValueError(f"{name} is no step: decorate it with @bot.step.")
        self.state["step"] = name
        await self.reply(text)

    def exceeds(self, count: int, seconds: float, name: str = "limit") -> int:
        """Count this message of the sender. Returns the number of the sender's messages above `count` within `seconds`,
        or 0."""
        key = f"{name}/{self.sender}"
        begin, found = self.get(key, [self.time, 0])
        self.changes[key] = ([begin, found + 1], begin + seconds)
        return int(max(0, found + 1 - count))

    def broadcast(self, text: str) -> None:
        """Send a text once to each contact and business chat, in the background, and then report the result in this
        chat."""
        place = self.chat.id if isinstance(self.chat, Group) else None
        self.set(f"broadcast/{self.key}", {"text": text, "after": "", "sent": 0, "failed": 0, "group": place})

    def save(self) -> None:
        self.changes[f"talk/{self.sender}"] = (self.state or None, None)
        self.bot.store.save(self.changes, self.key)


def _chat_of(event: Event) -> Chat | None:
    user = event.user
    if user and "groupInfo" in event.data:
        return Group(user, event.data["groupInfo"])
    return Contact(user, event.data["contact"]) if user and "contact" in event.data else None
