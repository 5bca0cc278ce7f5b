"""Answers of the tools: ids, times and states, and apart from them all that other people wrote."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

from mcp.types import CallToolResult, TextContent

from simplex_gateway import Chat, Group, Message

from . import limits

# Joiners of emoji and of Persian words, and marks of the direction of one letter.
KEPT = frozenset("\n\t\u200c\u200d\u200e\u200f")
# Categories of characters that a person does not see: an instruction could hide in them.
HIDDEN = frozenset(("Cc", "Cf", "Co", "Cs", "Cn"))


def visible(text: str) -> str:
    """The text without characters that a person does not see."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(one for one in text if one in KEPT or unicodedata.category(one) not in HIDDEN)


def name(text: str) -> str:
    """A name in one line."""
    return " ".join(visible(text).split())[: limits.NAME]


class Budget:
    """Characters of texts that an answer may still have."""

    def __init__(self) -> None:
        self.left = limits.ANSWER

    def cut(self, text: str, start: int = 0) -> tuple[str, dict[str, int]]:
        """The part of a text that fits, and its length when a part is missing."""
        text = visible(text)
        part = text[start : start + min(limits.TEXT, self.left)]
        self.left -= len(part)
        return part, {} if len(part) == len(text) else {"cut_from_characters": len(text)}


def answer(**members: Any) -> CallToolResult:
    """An answer in the structured form, and the same as JSON in one line. Members without a value are left out."""
    found = {key: value for key, value in members.items() if value is not None}
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=found)


def chat(one: Chat) -> dict[str, Any]:
    """A chat with its reference and its name."""
    found: dict[str, Any] = {"chat": one.ref}
    if one.stats:
        found["unread"] = one.unread
    if isinstance(one, Group):
        found["kind"] = "channel" if one.is_channel else "group"
        membership = one.data["membership"]
        found["my_role"], found["my_status"] = membership["memberRole"], membership["memberStatus"]
    return {**found, "untrusted": {"name": name(one.name)}}


def member(data: Any) -> dict[str, Any]:
    """A member of a group."""
    found = {"member": data["groupMemberId"], "role": data["memberRole"], "status": data["memberStatus"]}
    if data["blockedByAdmin"]:
        found["blocked"] = True
    return {**found, "untrusted": {"name": name(data["localDisplayName"])}}


def message(one: Message, budget: Budget, *, with_chat: bool = False, start: int = 0) -> dict[str, Any]:
    """A message or another item of a chat."""
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
