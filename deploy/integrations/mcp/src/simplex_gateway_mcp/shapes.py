"""Answers of the tools. Ids, times and states are separate from texts that other people wrote (`untrusted`)."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

from mcp.types import CallToolResult, TextContent

from simplex_gateway import Chat, Group, Message

from . import limits

# Hidden characters that stay: joiners in emojis and Persian words, and marks of the writing direction.
KEPT = frozenset("\n\t\u200c\u200d\u200e\u200f")
# Categories of characters that a person does not see. A hidden instruction could consist of them, so they are removed.
HIDDEN = frozenset(("Cc", "Cf", "Co", "Cs", "Cn"))


def visible(text: str) -> str:
    """Removes characters that a person does not see."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one for one in text if one in KEPT or unicodedata.category(one) not in HIDDEN)


def name(text: str) -> str:
    """Returns a name in one line."""
    return " ".join(visible(text).split())[: limits.NAME]


class Budget:
    """The number of characters of texts that an answer may still contain."""

    def __init__(self) -> None:
        self.left = limits.ANSWER

    def cut(self, text: str, start: int = 0) -> tuple[str, dict[str, int]]:
        """Returns the part of a text that fits. If a part is missing, also returns the length of the whole text."""
        text = visible(text)
        part = text[start : start + min(limits.TEXT, self.left)]
        self.left -= len(part)
        return part, {} if len(part) == len(text) else {"cut_from_characters": len(text)}


def answer(**members: Any) -> CallToolResult:
    """Make an answer in the structured form, and the same answer as JSON in one line. Members without a value are left
    out."""
    found = {key: value for key, value in members.items() if value is not None}
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=found)


def chat(one: Chat) -> dict[str, Any]:
    """Describes a chat: its reference, its name, and its counts."""
    found: dict[str, Any] = {"chat": one.ref}
    if one.stats:
        found["unread"] = one.unread
    if isinstance(one, Group):
        found["kind"] = "channel" if one.is_channel else "group"
        membership = one.data["membership"]
        found["my_role"], found["my_status"] = membership["memberRole"], membership["memberStatus"]
    return {**found, "untrusted": {"name": name(one.name)}}


def member(data: Any) -> dict[str, Any]:
    """Describes a member of a group."""
    found = {"member": data["groupMemberId"], "role": data["memberRole"], "status": data["memberStatus"]}
    if data["blockedByAdmin"]:
        found["blocked"] = True
    return {**found, "untrusted": {"name": name(data["localDisplayName"])}}


def message(one: Message, budget: Budget, *, with_chat: bool = False, start: int = 0) -> dict[str, Any]:
    """Describes a message or another item of a chat."""
    text, cut = budget.cut(one.text, start)
    found: dict[str, Any] = {"message": one.id, "time": one.data["meta"]["itemTs"], "kind": one.kind or "note"}
    if with_chat:
        found["chat"] = one.chat.ref
    found["mine"] = not one.received
    if not one.received:
        found["status"] = one.status
    untrusted: dict[str, Any] = {"sender": name(one.sender), "text": text}
    if file := one.file:
        found["file"] = {"bytes": file.size, "status": file.status}
        untrusted["file_name"] = name(file.name)
    return {**found, **cut, "untrusted": untrusted}
