"""Requests with retries and idempotency keys."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import ssl
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import ContextVar
from typing import Any

import httpx

from . import _generated as g
from . import errors
from ._contract import path_of
from ._generated import PATHS, VERSION, Operations

# The longest time in seconds without bytes from the gateway, which writes to a stream at least every 15 seconds.
SILENCE = 60.0


class Effects:
    """The idempotency keys of one task: the name of the task and a counter. A repetition of the task makes the same
    keys."""

    def __init__(self, name: str) -> None:
        self.name = name if len(name) <= 200 else str(uuid.uuid5(uuid.NAMESPACE_URL, name))
        self.count = 0
        # The time until which requests are repeated, which replaces `retry_for`.
        self.end: float | None = None

    def next(self) -> str:
        self.count += 1
        return f"{self.name}-{self.count}"


_effects: ContextVar[Effects | None] = ContextVar("effects", default=None)


@contextlib.contextmanager
def once(name: str) -> Iterator[Effects]:
    """Each effect in this block happens once within a day, even if a killed program runs the block again.

    with once("order-17"):
        await chat.send("Your order is on its way.")
    """
    effects = Effects(name)
    token = _effects.set(effects)
    try:
        yield effects
    finally:
        _effects.reset(token)


def effects_name() -> str:
    """Return the name of the present task, which a repetition of the task has too; empty outside of handlers and
    `once`."""
    effects = _effects.get()
    return effects.name if effects else ""


def new_key() -> str:
    effects = _effects.get()
    return effects.next() if effects else str(uuid.uuid4())


class Patience:
    """The pauses between the attempts of one request, until its time limit."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds
        self.attempt = 0

    def delay(self, error: errors.GatewayError) -> float | None:
        """Return the seconds until the next attempt; None if it is useless or the time limit is reached."""
        if isinstance(error, errors.StoreLocked | errors.CertificateRefused | errors.AlreadyDone):
            return None
        passing = isinstance(error, errors.ConnectionFailed | errors.RateLimited | errors.Unavailable)
        if not passing and error.code != "requestInProgress":
            return None
        self.attempt += 1
        pause = min(0.1 * 2**self.attempt, 5.0) * random.uniform(0.5, 1.0)
        seconds = pause if error.retry_after is None else error.retry_after
        return seconds if time.monotonic() + seconds < self.end else None


def _caused_by_certificate(error: BaseException | None) -> bool:
    while error:
        if isinstance(error, ssl.SSLCertVerificationError):
            return True
        error = error.__cause__ or error.__context__
    return False


class Connection(Operations):
    """The connection to one gateway. Each operation of the contract is a method, such as `list_tags`."""

    def __init__(self, url: str, key: str, *, retry_for: float, timeout: float, **options: Any) -> None:
        """`options` are the options of httpx.AsyncClient."""
        self.url = url.rstrip("/")
        self.retry_for, self.timeout = retry_for, timeout
        self._key, self._options = key, options
        self._client: httpx.AsyncClient | None = None

    @property
    def client(self) -> httpx.AsyncClient:
        """The HTTP client, which is created in the event loop of its first request."""
        if self._client is None or self._client.is_closed:
            # Loading certificates takes long, so they are loaded only for HTTPS.
            options = self._options if self.url.startswith("https:") else {**self._options, "verify": False}
            self._client = httpx.AsyncClient(
                base_url=self.url,
                headers={"Authorization": f"Bearer {self._key}", "User-Agent": f"simplex-gateway-python/{VERSION}"},
                limits=httpx.Limits(max_connections=100, keepalive_expiry=30),
                # A gateway on this machine is reached without the proxies of the environment.
                trust_env=not self.url.startswith(("http://127.", "http://localhost", "http://[::1]")),
                **options,
            )
        return self._client

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def once(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Make one attempt, with the options of `stream`."""
        async with self.stream(method, path, **options) as response:
            await response.aread()
            return response

    @contextlib.asynccontextmanager
    async def stream(
        self,
        method: str,
        path: str,
        query: dict[str, Any] | None = None,
        body: Any = None,
        content: bytes | None = None,
        headers: dict[str, str] | None = None,
        seconds: float = 0,
    ) -> AsyncIterator[httpx.Response]:
        """Send a request, and give an answer whose body is not read yet. An error status and a lost connection raise an
        error.

        `seconds` is the time for which the gateway may wait before it answers.
        """
        headers = {**(headers or {})}
        if body is not None:
            content = json.dumps(body, ensure_ascii=False).encode()
            headers["Content-Type"] = "application/json"
        request = self.client.build_request(
            method,
            path,
            params=httpx.QueryParams(plain(query)) if query else None,
            content=content,
            headers=headers,
            timeout=httpx.Timeout(self.timeout + seconds, connect=min(self.timeout, 10.0)),
        )
        try:
            response = await self.client.send(request, stream=True)
            try:
                if not response.is_success:
                    problem: Any = None
                    with contextlib.suppress(ValueError):
                        problem = json.loads(await response.aread())
                    raise errors.error_of(response.status_code, problem, response.headers)
                yield response
            finally:
                await response.aclose()
        except httpx.TransportError as error:
            if _caused_by_certificate(error):
                text = f"The certificate of {self.url} is refused ({error}). Give its authority as `verify`."
                raise errors.CertificateRefused(text) from error
            text = f"No answer from {self.url}: {error or type(error).__name__}. Is the gateway running?"
            raise errors.ConnectionFailed(text) from error

    async def request(
        self, method: str, path: str, *, headers: dict[str, str] | None = None, **options: Any
    ) -> httpx.Response:
        """Send a request. Repeats it with the same idempotency key until an answer or the end of `retry_for`."""
        headers = {**(headers or {})}
        if method == "POST":
            headers.setdefault("Idempotency-Key", new_key())
        effects = _effects.get()
        patience = Patience(self.retry_for)
        if effects and effects.end is not None:
            patience.end = min(patience.end, effects.end)
        while True:
            try:
                return await self.once(method, path, headers=headers, **options)
            except errors.GatewayError as error:
                if method == "DELETE" and patience.attempt and isinstance(error, errors.NotFound):
                    # An earlier attempt, whose answer was lost, has deleted the resource. So the call succeeds.
                    return httpx.Response(204)
                delay = patience.delay(error)
                if delay is None:
                    raise
                await asyncio.sleep(delay)

    async def call(self, operation: str, body: Any = None, query: dict[str, Any] | None = None, **place: Any) -> Any:
        """Call an operation of the contract by its name, and return its JSON answer. `place` has the values for the
        path."""
        method, path = PATHS[operation][0], path_of(operation, **place)
        return await self._call(method, path, query or {}, body)

    async def _call(
        self, method: str, path: str, query: dict[str, Any], body: Any = None, headers: dict[str, Any] | None = None
    ) -> Any:
        sent, seconds = plain(headers or {}), sum(v for v in map(query.get, ("wait", "timeout")) if isinstance(v, int))
        response = await self.request(method, path, query=query, body=body, headers=sent, seconds=seconds)
        answer = self.json_of(response)
        # With the header `Prefer`, the caller itself waits for long work.
        if "Prefer" in sent or response.status_code != 202 or "location" not in response.headers:
            return answer
        return await self.follow(answer) if answer.get("type") == "operation" else answer

    async def follow(self, operation: Any, progress: Callable[[g.LongOperation], object] | None = None) -> Any:
        """Wait until long work has ended, and return the answer that its request would have had."""
        delay = 0.1
        while operation["state"] == "running":
            if progress:
                progress(operation)
            await asyncio.sleep(delay)
            delay = min(2 * delay, 1)
            operation = await self.get_operation(operation["operationId"])
        if operation["state"] == "done":
            return operation.get("result")
        cancelled = {"code": "conflict", "detail": "The operation was cancelled."}
        raise errors.error_of(operation.get("status", 409), operation.get("problem", cancelled), {})

    @staticmethod
    def json_of(response: httpx.Response) -> Any:
        if not response.content:
            return None
        try:
            return response.json()
        except ValueError as error:
            raise errors.GatewayFault("The answer is not JSON: is this the URL of a gateway?") from error


def plain(values: dict[str, Any]) -> dict[str, str]:
    """Return values in the form of queries and headers of the contract."""

    def text(value: Any) -> str:
        if isinstance(value, list | tuple | set | frozenset):
            return ",".join(map(text, value))
        return str(value).lower() if isinstance(value, bool) else str(value)

    return {name: text(value) for name, value in values.items() if value is not None}
