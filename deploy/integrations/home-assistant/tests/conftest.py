"""Fixtures for tests with Home Assistant and a real gateway."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import pytest_socket
from homeassistant.core import HomeAssistant
from pytest_homeassistant_custom_component.common import MockConfigEntry

from simplex_gateway.testing import Pair


def allow_sockets() -> None:
    """Allow sockets to this machine, which the test environment of Home Assistant forbids before each test."""
    pytest_socket.enable_socket()
    pytest_socket.socket_allow_hosts(["127.0.0.1"])


@pytest.fixture(scope="session")
def pair() -> Iterator[Pair]:
    allow_sockets()
    with Pair() as started:
        yield started


@pytest.fixture(autouse=True)
def prepared(enable_custom_integrations: None) -> None:
    """Let Home Assistant load the component in this folder."""
    allow_sockets()


class World:
    """Entries for the profile alice, and its contact bob."""

    def __init__(self, hass: HomeAssistant, pair: Pair) -> None:
        self.hass = hass
        self.pair = pair
        self.alice = f"direct/{self._contact(1, 'bob')}"
        self.bob = f"direct/{self._contact(2, 'alice')}"

    def _contact(self, user: int, name: str) -> int:
        found = self.pair.call("GET", f"/v1/users/{user}/contacts?name={name}")["contacts"]
        return int(found[0]["contactId"])

    def key(self, **members: Any) -> dict[str, Any]:
        """Make a key. Returns its secret and its record."""
        made: dict[str, Any] = self.pair.call("POST", "/v1/keys", {"name": "test", "userId": 1, **members})
        return made

    async def entry(self, key: str | None = None, chats: dict[str, str] | None = None) -> MockConfigEntry:
        data = {"url": self.pair.url, "api_key": key or self.key()["key"], "verify_ssl": True, "profile": "alice"}
        entry = MockConfigEntry(
            domain="simplex_gateway",
            title="alice",
            data=data,
            options={"chats": {self.alice: "bob"} if chats is None else chats},
            unique_id=f"{self.pair.url}#default/1",
        )
        entry.add_to_hass(self.hass)
        await self.hass.config_entries.async_setup(entry.entry_id)
        await self.hass.async_block_till_done()
        return entry

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        return await self.hass.async_add_executor_job(self.pair.call, method, path, body)

    async def items(self) -> list[dict[str, Any]]:
        """Returns the messages in the chat of bob."""
        answer = await self.call("GET", f"/v1/users/2/chats/{self.bob}")
        return [item for item in answer["chat"]["chatItems"] if "msgContent" in item["content"]]

    async def texts(self) -> list[str]:
        return [item["content"]["msgContent"]["text"] for item in await self.items()]

    async def say(self, text: str) -> None:
        """Send a message of bob, and wait until alice has received it."""
        await self.call("POST", f"/v1/users/2/chats/{self.bob}/messages?wait=delivered&timeout=60", {"text": text})


@pytest.fixture
def world(hass: HomeAssistant, pair: Pair) -> World:
    return World(hass, pair)
