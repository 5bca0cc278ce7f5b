"""Events of messages that come into a chat."""

from __future__ import annotations

from typing import Any

from homeassistant.components.event import EventEntity
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers.dispatcher import async_dispatcher_connect
from homeassistant.helpers.entity_platform import AddEntitiesCallback

from simplex_gateway import Message

from . import signal_of
from .client import GatewayEntry, chats_of
from .const import KINDS
from .entity import ChatEntity


async def async_setup_entry(hass: HomeAssistant, entry: GatewayEntry, add: AddEntitiesCallback) -> None:
    if entry.runtime_data.can_follow:
        add(Messages(entry, ref, name) for ref, name in chats_of(entry).items() if not ref.startswith("local/"))


class Messages(ChatEntity, EventEntity):
    """The last message of a chat."""

    _attr_translation_key = "messages"
    _attr_event_types = KINDS
    # The database of states must not contain texts of people.
    _unrecorded_attributes = frozenset({"text", "sender", "file"})
    # The id of the last message, so that a repeated event of the gateway has no second effect.
    last = 0

    async def async_added_to_hass(self) -> None:
        await super().async_added_to_hass()
        if (stored := await self.async_get_last_event_data()) is not None:
            self.last = int((stored.last_event_attributes or {}).get("message", 0))
        self.async_on_remove(async_dispatcher_connect(self.hass, signal_of(self.entry, self.ref), self.take))

    @callback
    def take(self, message: Message | None) -> None:
        if message is None:
            self._attr_available = False
            self.async_write_ha_state()
            return
        if message.id <= self.last:
            return
        self.last = message.id
        attributes: dict[str, Any] = {
            "message": message.id,
            "text": message.text,
            "sender": message.sender,
            "sent_at": message.data["meta"]["itemTs"],
        }
        if file := message.data.get("file"):
            attributes["file"] = {"name": file["fileName"], "size": file["fileSize"]}
        self._trigger_event(message.kind if message.kind in KINDS else "other", attributes)
        self.async_write_ha_state()
