"""The package without `await`: each class of `simplex_gateway` has a synchronous class here.

from simplex_gateway.sync import Gateway

with Gateway.from_env() as gateway:
    gateway.user().send("bob", "hello")

Requests run in one event loop in a separate thread. Coroutines are functions here, and async iterators are iterators.
The types are in sync.pyi, which deploy/python-types makes from the asynchronous modules.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, cast

import simplex_gateway

from ._events import FileCursor as FileCursor
from ._http import once as once


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="simplex-gateway", daemon=True).start()
    return loop


def _wait(coroutine: Any) -> Any:
    future = asyncio.run_coroutine_threadsafe(coroutine, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _iterate(values: AsyncIterator[Any]) -> Iterator[Any]:
    end = object()

    async def following() -> Any:
        return await anext(values, end)

    try:
        while (value := _wait(following())) is not end:
            yield _twin(value)
    finally:
        if inspect.isasyncgen(values):
            _wait(values.aclose())


def _result(value: Any) -> Any:
    if inspect.iscoroutine(value):
        return _twin(_wait(value))
    return _iterate(value) if inspect.isasyncgen(value) else _twin(value)


def _original(value: Any) -> Any:
    if isinstance(value, Twin):
        return value.original
    if inspect.isfunction(value):
        # A handler or another function of the program gets synchronous objects instead of asynchronous ones.
        return functools.wraps(value)(lambda *values: value(*map(_twin, values)))
    return value


class Twin:
    """A synchronous object: the methods of an object of `simplex_gateway`, which wait for their results."""

    original: Any

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.original, name)
        if not callable(value):
            return _result(value)

        def called(*arguments: Any, **options: Any) -> Any:
            given = {option: _original(value) for option, value in options.items()}
            result = value(*map(_original, arguments), **given)
            return _decorator(result) if name in ("on", "on_message") else _result(result)

        return called

    def __iter__(self) -> Iterator[Any]:
        return _iterate(self.original.__aiter__())

    def __repr__(self) -> str:
        return repr(self.original)


def _decorator(decorate: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def decorated(function: Any) -> Any:
        decorate(_original(function))
        return function

    return decorated


class Gateway(Twin):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.original = simplex_gateway.Gateway(*arguments, **options)

    @classmethod
    def from_env(cls, **options: Any) -> Gateway:
        return cast(Gateway, _twin(simplex_gateway.Gateway.from_env(**options)))

    def __enter__(self) -> Gateway:
        return self

    def __exit__(self, *error: object) -> None:
        _wait(self.original.close())


class Chat(Twin): ...


Contact, Group, Notes = (type(name, (Chat,), {}) for name in ("Contact", "Group", "Notes"))
PLAIN = ("Event", "File", "Message", "Model", "User", "Operations")
Event, File, Message, Model, User, Operations = (type(name, (Twin,), {}) for name in PLAIN)


TWINS = {twin.__name__: twin for twin in (Chat, Contact, Group, Notes, Event, File, Gateway, Message, Model, User)}
TWINS["Connection"] = Operations


def _twin(value: Any) -> Any:
    """Return the synchronous object of an object of `simplex_gateway`; other values unchanged."""
    if isinstance(value, list):
        return [_twin(one) for one in value]
    twin = TWINS.get(type(value).__name__)
    if twin is None or not type(value).__module__.startswith("simplex_gateway."):
        return value
    made = twin.__new__(twin)
    made.original = value
    return made
