"""Command-line options of the tests, and the backend of asynchronous tests."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", type=int, default=6, help="How often the test of kills ends the gateway and the bot.")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--kills"))
