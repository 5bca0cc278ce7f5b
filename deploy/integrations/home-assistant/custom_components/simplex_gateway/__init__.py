"""The integration of SimpleX Chat through simplex-gateway: it sends messages to chats, and makes events of received
messages."""

from __future__ import annotations

import asyncio
import logging

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ConfigEntryAuthFailed, ConfigEntryError, ConfigEntryNotReady
from homeassistant.helpers.dispatcher import async_dispatcher_send

from simplex_gateway import CertificateRefused, Forbidden, GatewayError, Message, NotFound, Unauthorized, WrongVersion

from .client import GatewayEntry, Runtime, chats_of, find_place, open_gateway
from .const import DOMAIN, PLATFORMS

# Seconds within which an event must be answered. Five seconds after this time, the gateway repeats an event without an
# answer.
SECONDS_OF_EVENT = 5
_LOGGER = logging.getLogger(__name__)


async def async_setup_entry(hass: HomeAssistant, entry: GatewayEntry) -> bool:
    # This client does not repeat requests, because Home Assistant itself tries again later.
    gateway = open_gateway(entry.data, retry_for=0)
    try:
        place = await find_place(gateway)
    except Unauthorized as error:
        raise ConfigEntryAuthFailed(str(error)) from error
    except (WrongVersion, CertificateRefused, Forbidden) as error:
        raise ConfigEntryError(str(error)) from error
    except GatewayError as error:
        raise ConfigEntryNotReady(str(error)) from error
    finally:
        await gateway.close()
    acting = open_gateway(entry.data)
    place.user.gateway = acting
    entry.runtime_data = Runtime(acting, place)
    await hass.config_entries.async_forward_entry_setups(entry, PLATFORMS)
    if entry.runtime_data.can_follow and chats_of(entry):
        entry.runtime_data.following = entry.async_create_background_task(
            hass, follow(hass, entry), f"events of {DOMAIN}"
        )
    entry.async_on_unload(entry.add_update_listener(reload))
    return True


async def async_unload_entry(hass: HomeAssistant, entry: GatewayEntry) -> bool:
    if not await hass.config_entries.async_unload_platforms(entry, PLATFORMS):
        return False
    if (task := entry.runtime_data.following) is not None:
        task.cancel()
        await asyncio.wait([task])
    await entry.runtime_data.gateway.close()
    return True


async def async_remove_entry(hass: HomeAssistant, entry: GatewayEntry) -> None:
    """Delete the consumer of the entry on the gateway."""
    async with open_gateway(entry.data, retry_for=2) as gateway:
        try:
            await gateway.api.delete_consumer(consumer_of(entry))
        except (NotFound, Forbidden):
            pass
        except GatewayError as error:
            _LOGGER.warning("The consumer %s stays on the gateway: %s", consumer_of(entry), error)


async def reload(hass: HomeAssistant, entry: GatewayEntry) -> None:
    await hass.config_entries.async_reload(entry.entry_id)


def consumer_of(entry: GatewayEntry) -> str:
    """Returns the name of the consumer in which the gateway keeps the place of this entry in the events."""
    return f"home-assistant-{entry.entry_id.lower()}"


def signal_of(entry: GatewayEntry, ref: str) -> str:
    """Returns the name of the signal with the messages of a chat. The message None means that no further messages
    come."""
    return f"{DOMAIN}-{entry.entry_id}-{ref}"


async def follow(hass: HomeAssistant, entry: GatewayEntry) -> None:
    """Pass messages to the entities. If a crash comes before a message is passed, the gateway sends the message
    again."""
    gateway = open_gateway(entry.data)
    chats = chats_of(entry)
    for ref in chats:

        async def passed(message: Message, ref: str = ref) -> None:
            async_dispatcher_send(hass, signal_of(entry, ref), message)

        gateway.on_message(chat=ref)(passed)
    try:
        await gateway.run(consumer=consumer_of(entry), timeout=SECONDS_OF_EVENT)
    except Unauthorized as error:
        _LOGGER.error("No messages come any more: %s", error)
        entry.async_start_reauth(hass)
    except GatewayError as error:
        _LOGGER.error("No messages come any more: %s", error)
    ended(hass, entry)


@callback
def ended(hass: HomeAssistant, entry: GatewayEntry) -> None:
    for ref in chats_of(entry):
        async_dispatcher_send(hass, signal_of(entry, ref), None)
