"""The state of a profile as a document that follows all changes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TYPE_CHECKING, Any, cast

from . import _contract
from ._events import lines
from .errors import CursorExpired, error_of

if TYPE_CHECKING:
    from ._objects import User
    from .gateway import Gateway


class Model:
    """The chat list with previews and counts, the tags and the drafts of a profile, as apps show them.

    async for model in user.model():
        print(model.document["chats"], model.patch)

    The first iteration has the whole document and an empty patch. Each later iteration has one change, which was
    applied to the document in place. After a gap the document is read again, and the patch is empty.
    """

    def __init__(self, user: User) -> None:
        self.user = user
        self.document: dict[str, Any] = {}
        self.patch: list[dict[str, Any]] = []
        # The position in the changes of the document, and the position in the events that the document includes.
        self.id = ""
        self.cursor = ""

    @property
    def chats(self) -> list[dict[str, Any]]:
        return cast(list[dict[str, Any]], self.document.get("chats", []))

    async def read(self) -> None:
        """Read the whole document, in parts if it is long."""
        api = self.user.gateway.api
        answer = await api.get_model(self.user.id)
        document: dict[str, Any] = {**answer["model"]}
        self.id, self.cursor = answer["id"], answer["cursor"]
        following = answer.get("next")
        while following:
            page = await api.list_model_chats(self.user.id, cursor=following)
            document["chats"] = [*document["chats"], *page["chats"]]
            following = page.get("next")
        self.document, self.patch = document, []

    def take(self, change: dict[str, Any]) -> None:
        """Apply a change of the document."""
        self.patch = change["event"]["patch"]
        self.document = apply_patch(self.document, self.patch)
        self.id, self.cursor = change["id"], change["event"]["cursor"]

    def __aiter__(self) -> AsyncIterator[Model]:
        return follow_models(self.user.gateway, self)


async def follow_models(gateway: Gateway, *models: Model) -> AsyncGenerator[Model, None]:
    """Yield models of one gateway over one stream, each model after its change."""
    waiting = list(models)
    named = {_contract.path_of("getModel", userId=model.user.id): model for model in models}

    def query() -> dict[str, Any]:
        return {"documents": list(named), "cursor": [model.id for model in models]}

    while True:
        for model in waiting:
            await model.read()
            yield model
        waiting = []
        async with contextlib.aclosing(lines(gateway, "followDocuments", query)) as entries:
            async for entry in entries:
                model, event = named[entry["document"]], entry["event"]
                if event["type"] == "modelPatch":
                    model.take(entry)
                    yield model
                elif event["type"] == "ended":
                    error = error_of(event["problem"]["status"], event["problem"], {})
                    if not isinstance(error, CursorExpired):
                        raise error
                    # The cursor has expired, so the document is read again, and the stream is opened again with the new
                    # cursor.
                    waiting = [model]
                    break
        await asyncio.sleep(0.1)


def apply_patch(document: Any, patch: list[dict[str, Any]]) -> Any:
    """Apply a JSON Patch (RFC 6902) with the operations add, remove, replace and move, in place."""
    for operation in patch:
        kind = operation["op"]
        if kind not in ("add", "replace", "remove", "move"):
            raise ValueError(f"The patch has an unknown operation: {kind}")
        if kind == "remove":
            _take(document, operation["path"])
        else:
            value = _take(document, operation["from"]) if kind == "move" else operation["value"]
            document = _put(document, operation["path"], value, kind != "replace")
    return document


def _place(document: Any, pointer: str) -> tuple[Any, Any]:
    """Return the container to which a pointer leads, and the last key or index of the pointer."""
    *parts, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    for part in parts:
        document = document[int(part) if isinstance(document, list) else part]
    if isinstance(document, list):
        return document, len(document) if last == "-" else int(last)
    return document, last


def _put(document: Any, pointer: str, value: Any, adds: bool) -> Any:
    if not pointer:
        return value
    container, key = _place(document, pointer)
    if adds and isinstance(container, list):
        container.insert(key, value)
    else:
        container[key] = value
    return document


def _take(document: Any, pointer: str) -> Any:
    container, key = _place(document, pointer)
    return container.pop(key)
