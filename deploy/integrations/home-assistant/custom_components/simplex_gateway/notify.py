"""Entities and actions that send messages to chats."""

from __future__ import annotations

import pathlib
from typing import Any

import voluptuous as vol
from homeassistant.components.notify import NotifyEntity, NotifyEntityFeature
from homeassistant.core import HomeAssistant, SupportsResponse
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers import entity_platform
from homeassistant.helpers.entity_platform import AddEntitiesCallback

from simplex_gateway import Chat, GatewayError, Message

from .client import GatewayEntry, chats_of, error_of
from .const import DOMAIN, FILE_LIMIT
from .entity import ChatEntity

MESSAGE = vol.All(vol.Coerce(int), vol.Range(min=1))
PATHS = vol.All(cv.ensure_list, [cv.string])
SEND: Any = {
    vol.Optional("message", default=""): cv.string,
    vol.Optional("title"): cv.string,
    vol.Optional("pictures", default=[]): PATHS,
    vol.Optional("files", default=[]): PATHS,
    vol.Optional("reply_to"): MESSAGE,
    vol.Optional("disappear_after"): vol.All(vol.Coerce(int), vol.Range(min=1)),
}


async def async_setup_entry(hass: HomeAssistant, entry: GatewayEntry, add: AddEntitiesCallback) -> None:
    platform = entity_platform.async_get_current_platform()
    answers = SupportsResponse.OPTIONAL
    platform.async_register_entity_service("send", SEND, "send", supports_response=answers)
    edit: Any = {vol.Required("message_id"): MESSAGE, vol.Required("message"): cv.string}
    platform.async_register_entity_service("edit", edit, "edit")
    delete: Any = {vol.Required("message_id"): MESSAGE, vol.Optional("for_all", default=True): cv.boolean}
    platform.async_register_entity_service("delete", delete, "delete")
    react: Any = {
        vol.Required("message_id"): MESSAGE,
        vol.Required("emoji"): cv.string,
        vol.Optional("add", default=True): cv.boolean,
    }
    platform.async_register_entity_service("react", react, "react")
    if entry.runtime_data.can_write:
        add(ChatNotify(entry, ref, name) for ref, name in chats_of(entry).items())


class ChatNotify(ChatEntity, NotifyEntity):
    """The entity that sends messages to one chat."""

    _attr_translation_key = "chat"
    _attr_supported_features = NotifyEntityFeature.TITLE

    async def async_send_message(self, message: str, title: str | None = None) -> None:
        await self.send(message, title)

    async def send(
        self,
        message: str = "",
        title: str | None = None,
        pictures: list[str] | None = None,
        files: list[str] | None = None,
        reply_to: int | None = None,
        disappear_after: int | None = None,
    ) -> dict[str, Any]:
        """Send a text, with the first picture or file if there is one, then the other files. Returns the messages."""
        text = "\n".join(part for part in (title, message) if part)
        sources = [("image", path) for path in pictures or []] + [("file", path) for path in files or []]
        if not text and not sources:
            raise ServiceValidationError(translation_domain=DOMAIN, translation_key="empty")
        contents = [(kind, path, await self.read(path)) for kind, path in sources]
        common: dict[str, Any] = {"reply_to": reply_to, "ttl": disappear_after}
        sent: list[Message] = []
        try:
            chat = await self.chat()
            if not contents:
                sent.append(await chat.send(text, **common))
            for number, (kind, path, content) in enumerate(contents):
                source: dict[str, Any] = {kind: content, "name": pathlib.PurePath(path).name}
                sent.append(await chat.send("" if number else text, **source, **common))
        except (GatewayError, OSError) as error:
            raise error_of(self.entry, self.hass, error) from error
        return {"message_ids": [one.id for one in sent]}

    async def edit(self, message_id: int, message: str) -> None:
        await self.with_message(message_id, lambda found: found.edit(message))

    async def delete(self, message_id: int, for_all: bool = True) -> None:
        await self.with_message(message_id, lambda found: found.delete(for_all=for_all))

    async def react(self, message_id: int, emoji: str, add: bool = True) -> None:
        await self.with_message(message_id, lambda found: found.react(emoji, add=add))

    async def with_message(self, number: int, action: Any) -> None:
        try:
            await action(await (await self.chat()).message(number))
        except GatewayError as error:
            raise error_of(self.entry, self.hass, error) from error

    async def chat(self) -> Chat:
        return await self.entry.runtime_data.place.user.chat(self.ref)

    async def read(self, path: str) -> bytes:
        """Read a file. Raise an error if Home Assistant may not use its folder."""
        if not self.hass.config.is_allowed_path(path):
            raise ServiceValidationError(
                translation_domain=DOMAIN, translation_key="path_not_allowed", translation_placeholders={"path": path}
            )

        def content() -> bytes:
            if pathlib.Path(path).stat().st_size > FILE_LIMIT:
                raise ValueError
            return pathlib.Path(path).read_bytes()

        try:
            return await self.hass.async_add_executor_job(content)
        except (OSError, ValueError) as error:
            raise ServiceValidationError(
                translation_domain=DOMAIN, translation_key="path_unreadable", translation_placeholders={"path": path}
            ) from error
