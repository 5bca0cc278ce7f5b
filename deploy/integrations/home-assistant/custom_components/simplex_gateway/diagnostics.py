"""Data for the report of an error, without keys, texts and names of people."""

from __future__ import annotations

from typing import Any

from homeassistant.components.diagnostics import async_redact_data
from homeassistant.const import CONF_API_KEY, CONF_URL
from homeassistant.core import HomeAssistant

from simplex_gateway import GatewayError, __version__

from . import consumer_of
from .client import GatewayEntry, chats_of
from .const import CONF_PROFILE

HIDDEN = {CONF_API_KEY, CONF_PROFILE, CONF_URL, "keyId"}


async def async_get_config_entry_diagnostics(hass: HomeAssistant, entry: GatewayEntry) -> dict[str, Any]:
    runtime = entry.runtime_data
    found: dict[str, Any] = {
        "package": __version__,
        "data": async_redact_data(dict(entry.data), HIDDEN),
        "chats": sorted(chats_of(entry)),
        "scopes": runtime.place.scopes,
        "bound": runtime.place.is_bound,
        "encrypted": str(entry.data[CONF_URL]).startswith("https:"),
        "following": runtime.following is not None and not runtime.following.done(),
    }
    try:
        found["versions"] = await runtime.gateway.check()
        if runtime.can_follow and chats_of(entry):
            consumer: Any = await runtime.gateway.api.get_consumer(consumer_of(entry))
            found["consumer"] = {name: consumer.get(name) for name in ("lag", "handedOut", "setAside")}
    except GatewayError as error:
        found["error"] = error.code or type(error).__name__
    return found
