"""Fixtures for tests: MCP servers with a real gateway, and the official client."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import secrets
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, ElicitResult

from simplex_gateway.testing import Pair, free_ports

# Seconds within which a step happens, even on a machine that is busy with other tests.
SECONDS = 180
# The longest wait for a delivery that the gateway allows, in seconds.
DELIVERY = 60
COMMAND = [sys.executable, "-m", "simplex_gateway_mcp"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def pair() -> Iterator[Pair]:
    with Pair() as started:
        yield started


class Asked:
    """The simulated user of a client: remembers the questions, and gives the same answer to each."""

    def __init__(self, *, yes: bool) -> None:
        self.yes = yes
        self.questions: list[str] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        self.questions.append(params.message)
        if not self.yes:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content={"confirmed": True})


class Tools:
    """Calls of tools through a client."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def result(self, name: str, **arguments: Any) -> CallToolResult:
        return await self.client.call_tool(name, arguments)

    async def __call__(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Returns the answer of a tool, and checks that its two forms are equal."""
        result = await self.result(name, **arguments)
        assert not result.is_error, result.content
        found: dict[str, Any] = json.loads(text_of(result))
        assert found == result.structured_content
        return found

    async def error(self, name: str, **arguments: Any) -> str:
        """Returns the error of a tool."""
        result = await self.result(name, **arguments)
        assert result.is_error, result.content
        return text_of(result)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    return str(getattr(content, "text", ""))


@contextlib.asynccontextmanager
async def over_stdio(
    pair: Pair,
    *options: str,
    key: str | None = None,
    log: pathlib.Path | None = None,
    retry: int | None = None,
    **client: Any,
) -> AsyncIterator[Tools]:
    """Yields a client whose server runs as its child process. `retry` replaces its `limits.RETRY`."""
    variables = {"SXGW_URL": pair.url, "SXGW_KEY": key or pair.bot_key(1)}
    if path := os.environ.get("PYTHONPATH"):
        variables["PYTHONPATH"] = path
    program = COMMAND[1:]
    if retry is not None:
        patch = f"from simplex_gateway_mcp import __main__, limits; limits.RETRY = {retry}; __main__.main()"
        program = ["-c", patch]
    parameters = StdioServerParameters(command=COMMAND[0], args=[*program, *options], env=variables)
    with contextlib.ExitStack() as stack:
        if log is not None:
            from mcp.client.stdio import stdio_client

            errors = stack.enter_context(open(log, "w"))
            async with Client(stdio_client(parameters, errlog=errors), **client) as opened:
                yield Tools(opened)
        else:
            async with Client(parameters, **client) as opened:
                yield Tools(opened)


class WebServer:
    """A server over HTTP that requires a token."""

    def __init__(self, pair: Pair, folder: pathlib.Path, *options: str) -> None:
        self.token = secrets.token_hex(32)
        (self.port,) = free_ports(1)
        self.url = f"http://127.0.0.1:{self.port}/mcp"
        self.log = folder / "log"
        environment = {**os.environ, "SXGW_URL": pair.url, "SXGW_KEY": pair.bot_key(1)}
        environment["SIMPLEX_GATEWAY_MCP_TOKEN"] = self.token
        with open(self.log, "w") as log:
            command = ["setpriv", "--pdeathsig", "TERM", *COMMAND, "--http", str(self.port), *options]
            self.process = subprocess.Popen(command, env=environment, stderr=log)
        end = time.monotonic() + SECONDS
        while True:
            with contextlib.suppress(httpx.TransportError):
                httpx.get(self.url, trust_env=False)
                break
            if self.process.poll() is not None or time.monotonic() > end:
                self.process.kill()
                raise RuntimeError(self.log.read_text())
            time.sleep(0.05)

    @contextlib.asynccontextmanager
    async def client(self, **options: Any) -> AsyncIterator[Tools]:
        headers = {"Authorization": f"Bearer {self.token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=SECONDS, trust_env=False) as connection:
            async with Client(streamable_http_client(self.url, http_client=connection), **options) as client:
                yield Tools(client)

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


@pytest.fixture(scope="session")
def web(pair: Pair, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    server = WebServer(pair, tmp_path_factory.mktemp("web"))
    yield server
    server.close()


@pytest.fixture(params=["stdio", "stdio of 2025", "http", "http of 2025"])
def transport(request: pytest.FixtureRequest, pair: Pair, web: WebServer) -> Any:
    """Returns a function that opens a client, for each transport and each generation of the protocol."""
    options: dict[str, Any] = {"mode": "legacy"} if request.param.endswith("2025") else {}

    def opened(**more: Any) -> Any:
        if request.param.startswith("http"):
            return web.client(**options, **more)
        return over_stdio(pair, **options, **more)

    return opened
