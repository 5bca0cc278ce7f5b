"""The client of the gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import CONF_API_KEY, CONF_URL, CONF_VERIFY_SSL
from homeassistant.exceptions import HomeAssistantError
from homeassistant.util.ssl import get_default_context, get_default_no_verify_context

from simplex_gateway import Gateway, GatewayError, Unauthorized, User

from .const import CONF_CHATS, DOMAIN, RETRY_FOR


def open_gateway(data: Mapping[str, Any], retry_for: float = RETRY_FOR) -> Gateway:
    """Make a client. Home Assistant has already loaded the TLS contexts, so that loading them does not block the event
    loop."""
    verified = data.get(CONF_VERIFY_SSL, True)
    context = get_default_context() if verified else get_default_no_verify_context()
    return Gateway(data[CONF_URL], data[CONF_API_KEY], retry_for=retry_for, verify=context)


@dataclass
class Place:
    """The profile that a key reaches, with the rights of the key."""

    user: User
    store: str
    scopes: list[str]
    # Whether the key is limited to some chats.
    is_bound: bool

    @property
    def unique_id(self) -> str:
        return f"{self.user.gateway.api.url}#{self.store}/{self.user.id}"

    async def chats(self) -> dict[str, str]:
        """Returns the names of the chats that can have entities, by the references of the chats."""
        return {chat.ref: chat.name async for chat in self.user.chats()}


async def find_place(gateway: Gateway) -> Place:
    await gateway.check()
    key = await gateway.api.get_current_key()
    return Place(await gateway.user(), key["storeId"], list(key["scopes"]), "chats" in key)


@dataclass
class Runtime:
    """The parts of an entry that exist while the entry is loaded."""

    gateway: Gateway
    place: Place
    following: asyncio.Task[None] | None = None

    @property
    def can_follow(self) -> bool:
        return "events" in self.place.scopes

    @property
    def can_write(self) -> bool:
        return "write" in self.place.scopes


GatewayEntry = ConfigEntry[Runtime]


def chats_of(entry: GatewayEntry) -> dict[str, str]:
    """Returns the chats of the entry that have entities."""
    return dict(entry.options.get(CONF_CHATS, {}))


def error_of(entry: GatewayEntry, hass: Any, error: Exception) -> HomeAssistantError:
    """Make the error of an action. If the key was refused, also begin the dialogue in which the user enters another
    key."""
    if isinstance(error, Unauthorized):
        entry.async_start_reauth(hass)
    detail = str(error) if isinstance(error, GatewayError) else repr(error)
    return HomeAssistantError(
        detail, translation_domain=DOMAIN, translation_key="failed", translation_placeholders={"error": detail}
    )
