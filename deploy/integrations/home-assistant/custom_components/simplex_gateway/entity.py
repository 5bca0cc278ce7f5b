"""The common parts of the entities of a chat."""

from __future__ import annotations

from homeassistant.helpers.device_registry import DeviceEntryType, DeviceInfo
from homeassistant.helpers.entity import Entity

from .client import GatewayEntry
from .const import DOMAIN


class ChatEntity(Entity):
    """An entity of a chat. All chats of an entry belong to one device."""

    _attr_has_entity_name = True
    _attr_should_poll = False

    def __init__(self, entry: GatewayEntry, ref: str, name: str) -> None:
        self.entry = entry
        self.ref = ref
        self._attr_name = name
        self._attr_unique_id = f"{entry.entry_id}-{ref}"
        self._attr_device_info = DeviceInfo(
            identifiers={(DOMAIN, entry.entry_id)}, name=entry.title, entry_type=DeviceEntryType.SERVICE
        )
