"""Fixtures for pytest, which loads them by the entry point of the package."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .testing import FakeGateway, Pair


@pytest.fixture
def simplex_pair() -> Iterator[Pair]:
    """Provide a real gateway with its relay and two connected profiles."""
    with Pair() as pair:
        yield pair


@pytest.fixture
def fake_gateway() -> FakeGateway:
    """Provide a fake gateway inside the process."""
    return FakeGateway()
