"""Facts of the contract that its types do not show, in one place: versions, names of waits and of pages, consumers."""

from __future__ import annotations

import inspect
from typing import Any

from ._generated import PATHS, Operations

API_VERSIONS = {"1"}
CONSUMERS = "/v1/consumers"


def _has(operation: str, parameter: str) -> bool:
    return parameter in inspect.signature(getattr(Operations, operation)).parameters


# Seconds that a long poll waits: the name differs between versions of the contract.
SECONDS = "wait" if _has("list_events", "wait") else "timeout"
# Entries of a page of chats or messages.
COUNT = "count" if _has("get_chat", "count") else "limit"


def path_of(operation: str, **values: Any) -> str:
    """Path of an operation, with its parameters filled in."""
    path = PATHS[operation][1]
    for name, value in values.items():
        path = path.replace("{" + name + "}", str(value))
    return path


def next_page(path: str, query: dict[str, Any], answer: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """The request for the next page: `next` is its target, or a cursor for the same target."""
    following = str(answer.get("next") or "")
    if following.startswith("/"):
        return following, {}
    return (path, {**query, "cursor": following}) if following else None
