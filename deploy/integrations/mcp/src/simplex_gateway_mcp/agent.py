"""The profile of an agent on the gateway, and its folder of files."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pathlib
import re
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any, cast

from mcp.server.mcpserver.exceptions import ToolError

from simplex_gateway import (
    Chat,
    Conflict,
    Contact,
    Event,
    Gateway,
    GatewayError,
    Group,
    Message,
    Notes,
    NotFound,
    SendFailed,
    User,
)

from . import limits, shapes

# The texts that replace those of errors of the Python package. (Errors of the gateway keep their own texts.)
UNNAMED: dict[type[GatewayError], str] = {
    NotFound: "There is no such message, or its file cannot be received.",
    Conflict: "This is not possible in the present state.",
    SendFailed: "The message was not sent: its status is an error.",
}
# The form of a chat's reference.
REFERENCE = re.compile(r"(direct|group|local)/([0-9]{1,18})", re.ASCII)


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Converts errors of the gateway to errors of the tool, whose texts the agent reads."""
    try:
        yield
    except GatewayError as error:
        # The texts of these errors are replaced, because the Python package puts names into them, and other people have
        # chosen these names.
        detail = UNNAMED.get(type(error)) if error.status == 0 else None
        text = shapes.visible(f"{type(error).__name__}: {detail or error}")
        raise ToolError(text[: limits.ERROR]) from None


@dataclass
class Agent:
    """A profile of the gateway, which the key or the option --profile names."""

    gateway: Gateway
    profile: str | None = None
    folder: pathlib.Path | None = None
    max_file: int = limits.FILE
    confirmed_by_user: bool = False
    # References of the only chats that the key may use; empty for a key without this bound.
    chats: list[str] = field(default_factory=list, init=False)
    _user: User | None = field(default=None, init=False)

    async def user(self) -> User:
        """Returns the profile. It stays the same when another profile becomes active."""
        if self._user is None:
            await self.gateway.check()
            key = await self.gateway.api.get_current_key()
            self.chats = key.get("chats", [])
            # If a key is bound to chats, it is also bound to a profile, so the option --profile is not used.
            self._user = await self.gateway.user(None if self.chats else self.profile)
        return self._user

    async def _read(self, user: int, reference: str) -> Any:
        """Returns a chat as the gateway describes it. A key that is limited to some chats may also send this
        request."""
        found = REFERENCE.fullmatch(reference)
        if not found:
            raise ToolError("A chat has a reference such as direct/4 or group/2: list_chats gives it.")
        return await self.gateway.api.get_chat(user, cast(Any, found[1]), int(found[2]), limit=1)

    async def chat(self, reference: str) -> Chat:
        """Returns the chat with this reference."""
        user = await self.user()
        answer = await self._read(user.id, reference)
        chat = chat_of(user, answer["chat"]["chatInfo"])
        if chat is None:
            raise ToolError(f"This program cannot read a chat of this kind: {reference}.")
        return chat

    async def group(self, reference: str) -> Group:
        """Returns the group or channel with this reference."""
        found = await self.chat(reference)
        if not isinstance(found, Group):
            raise ToolError("This is no group: the reference of a group is such as group/2.")
        return found

    async def page(self, path: str, member: str, limit: int, cursor: str, **query: Any) -> tuple[list[Any], str | None]:
        """Returns one page of a list, and the cursor of the next page."""
        api = self.gateway.api
        query = {**query, "limit": min(max(limit, 1), limits.PAGE), "cursor": cursor or None}
        found = answer = api.json_of(await api.request("GET", path, query=query))
        for part in member.split("."):
            found = found[part]
        return found, answer.get("next")

    async def new_messages(self, cursor: str, chat: str, seconds: float) -> tuple[list[Message], str]:
        """Wait until others have sent messages after the cursor. Returns these messages and the cursor after them; no
        messages after `seconds`."""
        user = await self.user()
        end = time.monotonic() + min(max(seconds, 0), limits.WAIT)
        while True:
            left = end - time.monotonic()
            page = await self.gateway.api.list_events(
                cursor=cursor,
                timeout=max(0, min(round(left), limits.POLL)),
                limit=limits.PAGE,
                types=["newChatItems"],
                users=[user.id],
                chats=[chat] if chat else None,
            )
            cursor = page["cursor"]
            events = [Event(self.gateway, cast(dict[str, Any], entry)) for entry in page["events"]]
            found = [one for event in events for one in event.messages if one.received and one.kind]
            if found or left <= 0:
                return found, cursor

    async def fetch(self, message: Message, subfolder: str) -> pathlib.Path:
        """Write the file of a message into the folder, under a name that is free there."""
        if self.folder is None:
            raise ToolError("This server fetches no files: it was started without --files FOLDER.")
        file = message.file
        if file is None:
            raise ToolError(f"The message {message.id} has no file.")
        if file.size > self.max_file:
            raise ToolError(f"The file has {file.size} bytes, and at most {self.max_file} are fetched.")
        root = self.folder.resolve()
        folder = (root / subfolder).resolve()
        if not folder.is_relative_to(root):
            raise ToolError("The folder is outside of the folder for files.")
        folder.mkdir(parents=True, exist_ok=True)
        await file.receive(timeout=limits.RECEIVE)
        # The file is written into a temporary folder, so that an unfinished file replaces no existing file.
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as unfinished:
            part = pathlib.Path(unfinished, "file")
            await file.download(part, progress=self._check_size)
            path = await asyncio.to_thread(free_path, folder, file.name)
            os.replace(part, path)
        return path

    def _check_size(self, done: int, size: int | None) -> None:
        if done > self.max_file:
            raise ToolError(f"The file has more than {self.max_file} bytes.")


def chat_of(user: User, info: dict[str, Any], stats: dict[str, Any] | None = None) -> Chat | None:
    """Returns the chat of a `chatInfo`; None for a kind without messages, or for a kind of a later version."""
    match info.get("type"):
        case "direct":
            return Contact(user, info["contact"], stats)
        case "group":
            return Group(user, info["groupInfo"], stats)
        case "local":
            return Notes(user, info["noteFolder"]["noteFolderId"], "notes", stats)
    return None


def message_of(user: User, data: dict[str, Any]) -> Message | None:
    """Returns the message of an item with its chat; None if the kind of the chat is unknown."""
    chat = chat_of(user, data["chatInfo"])
    return Message(chat, data["chatItem"]) if chat else None


def free_path(folder: pathlib.Path, name: str) -> pathlib.Path:
    """Make a new empty file. Its name contains only letters of the peer's name that all systems and shells accept."""
    plain = re.sub(r"[^\w.-]+", "_", os.path.basename(shapes.visible(name)))[-limits.NAME :].lstrip(".-") or "file"
    stem, suffix = os.path.splitext(plain)
    for number in range(1, 10_000):
        path = folder / (plain if number == 1 else f"{stem}-{number}{suffix}")
        with contextlib.suppress(FileExistsError):
            path.touch(mode=0o600, exist_ok=False)
            return path
    raise ToolError("The folder has too many files with this name.")


@contextlib.asynccontextmanager
async def opened(agent: Agent) -> AsyncIterator[Agent]:
    """Yields the agent, and closes its connection when the server ends."""
    try:
        yield agent
    finally:
        await agent.gateway.close()
