"""Dialogues that make and change an entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import voluptuous as vol
from homeassistant.config_entries import ConfigEntry, ConfigFlow, ConfigFlowResult, OptionsFlow
from homeassistant.const import CONF_API_KEY, CONF_URL, CONF_VERIFY_SSL
from homeassistant.core import callback
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)

from simplex_gateway import (
    CertificateRefused,
    ConnectionFailed,
    GatewayError,
    StoreLocked,
    Unauthorized,
    Unavailable,
    WrongVersion,
)

from .client import Place, find_place, open_gateway
from .const import CONF_CHATS, CONF_PROFILE, DOMAIN

SECRET = TextSelector(TextSelectorConfig(type=TextSelectorType.PASSWORD))
# The names of the texts of the dialogue for each error. A special class comes before its base class.
ERRORS: list[tuple[type[Exception], str]] = [
    (CertificateRefused, "certificate"),
    (WrongVersion, "wrong_version"),
    (Unauthorized, "invalid_auth"),
    (StoreLocked, "locked"),
    (ConnectionFailed, "cannot_connect"),
    (Unavailable, "cannot_connect"),
    (ValueError, "invalid_url"),
    (GatewayError, "refused"),
]


def form(url: str, verified: bool) -> vol.Schema:
    return vol.Schema(
        {
            vol.Required(CONF_URL, default=url): TextSelector(TextSelectorConfig(type=TextSelectorType.URL)),
            vol.Required(CONF_API_KEY): SECRET,
            vol.Required(CONF_VERIFY_SSL, default=verified): bool,
        }
    )


def choice(chats: Mapping[str, str], chosen: list[str]) -> vol.Schema:
    options = [SelectOptionDict(value=ref, label=f"{name} ({ref})") for ref, name in chats.items()]
    config = SelectSelectorConfig(options=options, multiple=True)
    return vol.Schema({vol.Required(CONF_CHATS, default=chosen): SelectSelector(config)})


async def examine(data: Mapping[str, Any]) -> tuple[Place, dict[str, str]]:
    """Returns the profile of the key and its chats. Raises an error of ERRORS."""
    async with open_gateway(data, retry_for=5) as gateway:
        place = await find_place(gateway)
        return place, await place.chats()


async def tried(data: Mapping[str, Any], errors: dict[str, str]) -> tuple[Place, dict[str, str]] | None:
    """Like `examine`, but puts the name of an error into `errors` and returns None."""
    try:
        place, chats = await examine(data)
    except tuple(kind for kind, _ in ERRORS) as error:
        errors["base"] = next(name for kind, name in ERRORS if isinstance(error, kind))
        return None
    if "write" not in place.scopes and "events" not in place.scopes:
        errors["base"] = "missing_scope"
        return None
    return place, chats


class SimplexGatewayFlow(ConfigFlow, domain=DOMAIN):
    """The dialogues that add an entry, and that change its key or its address."""

    VERSION = 1

    def __init__(self) -> None:
        self.data: dict[str, Any] = {}
        self.chats: dict[str, str] = {}

    @staticmethod
    @callback
    def async_get_options_flow(config_entry: ConfigEntry) -> OptionsFlow:
        return ChatsFlow()

    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        errors: dict[str, str] = {}
        if user_input is not None and (found := await tried(user_input, errors)):
            place, self.chats = found
            await self.async_set_unique_id(place.unique_id)
            self._abort_if_unique_id_configured()
            self.data = {**user_input, CONF_PROFILE: place.user.name}
            return await self.async_step_chats()
        given = user_input or {}
        url, verified = given.get(CONF_URL, "http://127.0.0.1:5225"), given.get(CONF_VERIFY_SSL, True)
        return self.async_show_form(step_id="user", data_schema=form(url, verified), errors=errors)

    async def async_step_chats(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        if user_input is None:
            only = list(self.chats) if len(self.chats) == 1 else []
            return self.async_show_form(step_id="chats", data_schema=choice(self.chats, only))
        options = {CONF_CHATS: {ref: self.chats[ref] for ref in user_input[CONF_CHATS]}}
        title = self.data[CONF_PROFILE] or "SimpleX"
        return self.async_create_entry(title=title, data=self.data, options=options)

    async def async_step_reauth(self, entry_data: Mapping[str, Any]) -> ConfigFlowResult:
        return await self.async_step_reauth_confirm()

    async def async_step_reauth_confirm(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        entry = self._get_reauth_entry()
        errors: dict[str, str] = {}
        if user_input is not None and (found := await tried({**entry.data, **user_input}, errors)):
            await self.async_set_unique_id(found[0].unique_id)
            self._abort_if_unique_id_mismatch(reason="other_profile")
            return self.async_update_reload_and_abort(entry, data_updates=user_input)
        schema = vol.Schema({vol.Required(CONF_API_KEY): SECRET})
        return self.async_show_form(step_id="reauth_confirm", data_schema=schema, errors=errors)

    async def async_step_reconfigure(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """The dialogue for another address of the same profile, for example an address with TLS."""
        entry = self._get_reconfigure_entry()
        errors: dict[str, str] = {}
        if user_input is not None and (found := await tried(user_input, errors)):
            place = found[0]
            if not str(entry.unique_id).endswith(f"#{place.store}/{place.user.id}"):
                return self.async_abort(reason="other_profile")
            return self.async_update_reload_and_abort(entry, unique_id=place.unique_id, data_updates=user_input)
        given = user_input or entry.data
        schema = form(given[CONF_URL], given[CONF_VERIFY_SSL])
        return self.async_show_form(step_id="reconfigure", data_schema=schema, errors=errors)


class ChatsFlow(OptionsFlow):
    """The dialogue that chooses chats. A chat that no longer exists keeps its entities until the user removes it
    here."""

    def __init__(self) -> None:
        self.chats: dict[str, str] = {}

    async def async_step_init(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        known = dict(self.config_entry.options.get(CONF_CHATS, {}))
        if user_input is not None:
            chosen = {ref: self.chats[ref] for ref in user_input[CONF_CHATS]}
            return self.async_create_entry(data={CONF_CHATS: chosen})
        errors: dict[str, str] = {}
        found = await tried(self.config_entry.data, errors)
        self.chats = {**known, **(found[1] if found else {})}
        return self.async_show_form(step_id="init", data_schema=choice(self.chats, list(known)), errors=errors)
