"""Fixtures for tests in which Apprise sends to a real gateway."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import apprise
import pytest

import simplex_gateway_apprise
from simplex_gateway.testing import Pair


@pytest.fixture(scope="session")
def pair() -> Iterator[Pair]:
    with Pair() as started:
        yield started


@pytest.fixture(autouse=True)
def registered() -> None:
    simplex_gateway_apprise.register()


class Line:
    """Makes URLs of services for Apprise, and reads the messages that the contact has received."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.host = pair.url.removeprefix("http://")
        self.key = pair.bot_key(pair.alice)
        contact = pair.call("GET", "/v1/users/2/contacts?name=alice")["contacts"][0]
        # The chat of bob with alice.
        self.chat = f"direct/{contact['contactId']}"

    def service(self, path: str = "bob", key: str | None = None) -> apprise.Apprise:
        found = apprise.Apprise()
        assert found.add(f"simplexgw://{key or self.key}@{self.host}/{path}")
        return found

    def items(self, chat: str | None = None, user: int = 2) -> list[dict[str, Any]]:
        found: list[Any] = self.pair.call("GET", f"/v1/users/{user}/chats/{chat or self.chat}")["chat"]["chatItems"]
        return [item for item in found if "msgContent" in item["content"]]

    def texts(self, chat: str | None = None, user: int = 2) -> list[str]:
        return [item["content"]["msgContent"]["text"] for item in self.items(chat, user)]

    @property
    def last(self) -> str:
        return ["", *self.texts()][-1]

    def until(self, condition: Callable[[], object]) -> None:
        """Wait until the messages have arrived."""
        end = time.monotonic() + 180
        while not condition():
            assert time.monotonic() < end, self.texts()
            time.sleep(0.05)


@pytest.fixture(scope="session")
def line(pair: Pair) -> Line:
    return Line(pair)
