"""Tests of requests, retries, idempotency keys, events and models, with the fake gateway."""

import asyncio
import json
import os
import pathlib
import ssl
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from simplex_gateway import (
    AlreadyDone,
    ChatError,
    Conflict,
    ConnectionFailed,
    CursorExpired,
    Event,
    FileCursor,
    Gateway,
    GatewayError,
    GatewayFault,
    Message,
    NotFound,
    RateLimited,
    SendFailed,
    StorageFull,
    StoreLocked,
    Unauthorized,
    User,
    WrongVersion,
    once,
)
from simplex_gateway.errors import Forbidden
from simplex_gateway.model import apply_patch
from simplex_gateway.testing import FakeGateway

pytestmark = pytest.mark.anyio


async def run_until(gateway: Gateway, condition: Any, **options: Any) -> None:
    """Runs the handlers until the condition is met."""
    task = asyncio.create_task(gateway.run(**options))
    try:
        async with asyncio.timeout(120):
            while not condition() and not task.done():
                await asyncio.sleep(0.005)
    finally:
        task.cancel()
        result = (await asyncio.gather(task, return_exceptions=True))[0]
    if isinstance(result, Exception):
        raise result


def echo_of(fake: FakeGateway) -> Gateway:
    gateway = fake.gateway()

    @gateway.on_message()
    async def echo(message: Message) -> None:
        await message.reply(message.text)

    return gateway


async def test_a_message_is_sent_once_if_answers_are_lost(fake_gateway: FakeGateway) -> None:
    fake_gateway.contact("bob")
    async with fake_gateway.gateway() as gateway:
        bob = await (await gateway.user()).contact("bob")
        fake_gateway.lose_answers(2)
        message = await bob.send("hello")
        fake_gateway.lose_requests(2)
        await bob.send("again")
    assert message.text == "hello" and fake_gateway.sent("bob") == ["hello", "again"]


async def test_a_request_waits_as_retry_after_says(fake_gateway: FakeGateway) -> None:
    fake_gateway.contact("bob")
    async with fake_gateway.gateway() as gateway:
        user = await gateway.user()
        loop = asyncio.get_running_loop()
        began = loop.time()
        fake_gateway.fail(429, "tooManyRequests", retry_after=0.3)
        fake_gateway.fail(503, "unavailable", retry_after=0.3)
        await user.send("bob", "hello")
        assert loop.time() - began >= 0.6
    async with fake_gateway.gateway(retry_for=1) as gateway:
        fake_gateway.fail(429, "tooManyRequests", retry_after=60)
        with pytest.raises(RateLimited) as error:
            await gateway.user()
        assert error.value.retry_after == 60


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, "unauthorized", Unauthorized),
        (404, "notFound", NotFound),
        (404, "unknownRoute", WrongVersion),
        (409, "conflict", Conflict),
        (410, "cursorExpired", CursorExpired),
        (422, "chatError", ChatError),
        (422, "idempotencyKeyReused", AlreadyDone),
        (500, "internalError", GatewayFault),
        (503, "storeLocked", StoreLocked),
    ],
)
async def test_each_problem_raises_the_error_class_of_its_code(
    fake_gateway: FakeGateway, status: int, code: str, kind: type[GatewayError]
) -> None:
    async with fake_gateway.gateway() as gateway:
        fake_gateway.fail(status, code, detail="Because.", chatError={"type": "error"}, oldest="fake-0")
        with pytest.raises(kind) as error:
            await gateway.user()
    assert error.value.code == code and error.value.request_id == "fake" and "Because." in str(error.value)


async def test_a_request_in_progress_is_sent_again(fake_gateway: FakeGateway) -> None:
    fake_gateway.contact("bob")
    async with fake_gateway.gateway() as gateway:
        user = await gateway.user()
        fake_gateway.fail(409, "requestInProgress", times=2)
        await user.send("bob", "hello")
    assert fake_gateway.sent("bob") == ["hello"]


async def test_an_unreachable_gateway_is_an_error_after_retry_for() -> None:
    async with Gateway("http://127.0.0.1:1", "key", retry_for=0.5) as gateway:
        with pytest.raises(ConnectionFailed, match="Is the gateway running"):
            await gateway.user()


async def test_another_version_is_refused_by_number(fake_gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch) -> None:
    async with fake_gateway.gateway() as gateway:
        assert (await gateway.check())["api"] == "1"

        async def index(request: httpx.Request) -> Any:
            return {"versions": {"program": "9.0.0", "api": "9", "core": "x"}}

        monkeypatch.setattr(fake_gateway, "_routes", [("GET", __import__("re").compile("/v1"), index)])
        with pytest.raises(WrongVersion, match=r"install simplex-gateway==9\.0\.0"):
            await gateway.check()


@pytest.mark.parametrize(("url", "key"), [("127.0.0.1:5225", "key"), ("http://x", ""), ("http://x", "a b")])
def test_a_wrong_url_or_key_is_refused_immediately(url: str, key: str) -> None:
    with pytest.raises(ValueError, match=r"URL|key"):
        Gateway(url, key)


def test_the_environment_names_the_gateway(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SXGW_URL", "http://127.0.0.1:7/")
    with pytest.raises(ValueError, match="There is no key"):
        Gateway.from_env()
    (tmp_path / "key").write_text("secret\n")
    monkeypatch.setenv("SXGW_KEY_FILE", str(tmp_path / "key"))
    assert Gateway.from_env().api.url == "http://127.0.0.1:7"


async def test_the_effects_of_a_once_block_happen_once(fake_gateway: FakeGateway) -> None:
    fake_gateway.contact("bob")
    async with fake_gateway.gateway() as gateway:
        bob = await (await gateway.user()).contact("bob")
        for _ in range(3):
            with once("order-17"):
                await bob.send("Your order is on its way.")
                await bob.send("It arrives tomorrow.")
        with once("order-17"), pytest.raises(AlreadyDone):
            await bob.send("Another text.")
    assert fake_gateway.sent("bob") == ["Your order is on its way.", "It arrives tomorrow."]


async def test_messages_are_edited_deleted_quoted_and_listed(fake_gateway: FakeGateway) -> None:
    fake_gateway.contact("bob")
    fake_gateway.receive("bob", "question")
    async with fake_gateway.gateway() as gateway:
        user = await gateway.user()
        bob = await user.contact("bob")
        question = await anext(bob.messages())
        assert question.received and question.sender == "bob" and question.kind == "text"
        answer = await question.reply("answer", quote=True)
        assert answer.data["quotedItem"]["itemId"] == question.id and answer.sender == "bot"
        assert (await answer.edit("better")).text == "better"
        await question.react("👍")
        await answer.delete(for_all=True)
        for number in range(250):
            await bob.send(str(number))
        texts = [message.text async for message in bob.messages()]
        assert texts == [*map(str, reversed(range(250))), "question"]
        assert [chat.name async for chat in user.chats()] == ["bob"]
        with pytest.raises(NotFound):
            await user.contact("carol")


async def test_an_unsent_message_is_an_error(fake_gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_gateway.contact("bob")
    made = fake_gateway._item

    def failed(*arguments: Any, **members: Any) -> Any:
        item = made(*arguments, **members)
        item["meta"]["itemStatus"] = {"type": "sndErrorAuth"}
        return item

    monkeypatch.setattr(fake_gateway, "_item", failed)
    async with fake_gateway.gateway() as gateway:
        with pytest.raises(SendFailed):
            await (await gateway.user()).send("bob", "hello", wait="delivered")


async def test_bytes_paths_and_streams_are_uploaded(fake_gateway: FakeGateway, tmp_path: pathlib.Path) -> None:
    fake_gateway.contact("bob")
    (tmp_path / "note.txt").write_bytes(b"of a path")
    seen: list[tuple[int, int | None]] = []

    async def stream() -> AsyncIterator[bytes]:
        for part in (b"of ", b"a ", b"stream"):
            yield part

    async with fake_gateway.gateway() as gateway:
        bob = await (await gateway.user()).contact("bob")
        message = await bob.send("see", file=tmp_path / "note.txt", progress=lambda *values: seen.append(values))
        assert message.file and message.file.name == "note.txt" and seen == [(9, 9)]
        await bob.send(file=stream(), name="stream")
        with open(tmp_path / "note.txt", "rb") as file:
            await bob.send(file=file, name="open")
        await bob.send(file=b"bytes", name="bytes")
        with pytest.raises(FileNotFoundError):
            await bob.send(file=tmp_path / "gone")
    wanted = {"note.txt": b"of a path", "stream": b"of a stream", "open": b"of a path", "bytes": b"bytes"}
    assert fake_gateway.files == wanted


async def test_a_sent_picture_has_a_preview(fake_gateway: FakeGateway) -> None:
    fake_gateway.contact("bob")
    image = pytest.importorskip("PIL.Image")
    import io

    out = io.BytesIO()
    image.effect_noise((1200, 900), 90).convert("RGB").save(out, "PNG")
    async with fake_gateway.gateway() as gateway:
        bob = await (await gateway.user()).contact("bob")
        message = await bob.send("noise", image=out.getvalue())
        preview = message.data["content"]["msgContent"]["image"]
        assert preview.startswith("data:image/jpg;base64,") and 1000 < len(preview) <= 13_000
        message = await bob.send("no picture", image=b"text")
        assert message.data["content"]["msgContent"]["image"].startswith("data:image/png;base64,")


async def test_a_repeated_event_sends_no_second_message(fake_gateway: FakeGateway, tmp_path: pathlib.Path) -> None:
    fake_gateway.contact("bob")
    cursor = FileCursor(tmp_path / "cursor")
    await run_until(echo_of(fake_gateway), (tmp_path / "cursor").exists, cursor=cursor)
    before = (tmp_path / "cursor").read_text()
    fake_gateway.receive("bob", "one")
    fake_gateway.receive("bob", "two")
    for _ in range(3):
        # The old file simulates a program that was killed before it could save its cursor.
        (tmp_path / "cursor").write_text(before)
        handled = f"fake-{len(fake_gateway.entries)}"
        await run_until(
            echo_of(fake_gateway),
            lambda handled=handled: json.loads((tmp_path / "cursor").read_text())["cursor"] == handled,
            cursor=FileCursor(tmp_path / "cursor"),
        )
    assert fake_gateway.sent("bob") == ["one", "two"]


async def test_a_failed_handler_is_called_again_up_to_the_limit(
    fake_gateway: FakeGateway, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gateway.contact("bob")
    gateway, calls, failed = fake_gateway.gateway(), list[str](), list[str]()
    sleep = asyncio.sleep
    monkeypatch.setattr("simplex_gateway._events.asyncio.sleep", lambda seconds: sleep(0))

    @gateway.on_message()
    async def flaky(message: Message) -> None:
        await message.reply(f"seen {message.text}")
        calls.append(message.text)
        if message.text == "hang":
            await asyncio.Event().wait()
        if message.text == "poison" or len(calls) == 1:
            raise ValueError("no")

    @gateway.on_failure
    def give_up(event: Event, error: BaseException) -> None:
        failed.append(event.messages[0].text)

    for text in ("first", "poison", "hang", "last"):
        fake_gateway.receive("bob", text)
    cursor = FileCursor(tmp_path / "cursor", start="oldest")
    await run_until(gateway, lambda: "last" in calls, cursor=cursor, attempts=3, timeout=0.2)
    assert calls == ["first", "first", "poison", "poison", "poison", "hang", "hang", "hang", "last"]
    assert failed == ["poison", "hang"]
    assert fake_gateway.sent("bob") == ["seen first", "seen poison", "seen hang", "seen last"]


async def test_network_failures_do_not_count_as_attempts(
    fake_gateway: FakeGateway, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gateway.contact("bob")
    sleep = asyncio.sleep
    monkeypatch.setattr("simplex_gateway._events.asyncio.sleep", lambda seconds: sleep(0))
    gateway, calls = fake_gateway.gateway(retry_for=0), list[str]()

    @gateway.on_message()
    async def echo(message: Message) -> None:
        calls.append(message.text)
        if len(calls) == 1:
            fake_gateway.lose_requests(10)
        await message.reply(message.text)

    fake_gateway.receive("bob", "hello")
    cursor = FileCursor(tmp_path / "cursor", start="oldest")
    await run_until(gateway, lambda: fake_gateway.sent("bob"), cursor=cursor, attempts=2)
    assert fake_gateway.sent("bob") == ["hello"] and len(calls) == 11


async def test_a_wrong_key_ends_the_run(fake_gateway: FakeGateway, tmp_path: pathlib.Path) -> None:
    fake_gateway.fail(401, "unauthorized", times=2)
    with pytest.raises(Unauthorized, match="simplex-gateway key add"):
        await run_until(echo_of(fake_gateway), lambda: False, cursor=FileCursor(tmp_path / "cursor"))


async def test_lost_events_call_the_handler_of_gaps(fake_gateway: FakeGateway, tmp_path: pathlib.Path) -> None:
    (tmp_path / "cursor").write_text('{"name": "n", "cursor": "fake-99"}')
    fake_gateway.contact("bob")
    gateway, gaps = echo_of(fake_gateway), list[Event]()

    @gateway.on("gap")
    async def lost(event: Event) -> None:
        gaps.append(event)

    fake_gateway.receive("bob", "kept")
    await run_until(gateway, lambda: fake_gateway.sent("bob"), cursor=FileCursor(tmp_path / "cursor"))
    assert fake_gateway.sent("bob") == ["kept"] and len(gaps) == 1


async def test_handlers_of_the_same_name_have_separate_effects(
    fake_gateway: FakeGateway, tmp_path: pathlib.Path
) -> None:
    fake_gateway.contact("bob")
    gateway = fake_gateway.gateway()
    for answer in ("one", "two"):

        @gateway.on_message()
        async def reply(message: Message, text: str = answer) -> None:
            await message.reply(text)

    fake_gateway.receive("bob", "hello")
    cursor = FileCursor(tmp_path / "cursor", start="oldest")
    await run_until(gateway, lambda: len(fake_gateway.sent("bob")) == 2, cursor=cursor)
    assert fake_gateway.sent("bob") == ["one", "two"]


async def test_events_of_a_later_version_are_passed_on(fake_gateway: FakeGateway, tmp_path: pathlib.Path) -> None:
    gateway, seen = fake_gateway.gateway(), list[Event]()

    @gateway.on()
    async def anything(event: Event) -> None:
        seen.append(event)

    @gateway.on_message()
    async def message(message: Message) -> None:
        raise AssertionError(message)

    fake_gateway.event("somethingNew", value=5)
    item = {"chatDir": {"type": "somethingNew"}, "meta": {"itemId": 1, "itemText": "x"}, "content": {"type": "new"}}
    fake_gateway.event("newChatItems", chatItems=[{"chatInfo": {"type": "somethingNew"}, "chatItem": item}])
    fake_gateway.event(
        "newChatItems",
        chatItems=[
            {"chatInfo": {"type": "direct", "contact": {"contactId": 1, "localDisplayName": "x"}}, "chatItem": item}
        ],
    )
    await run_until(gateway, lambda: len(seen) == 3, cursor=FileCursor(tmp_path / "cursor", start="oldest"))
    assert seen[0].type == "somethingNew" and seen[0].data["value"] == 5 and seen[1].messages == []


async def test_a_handler_gets_only_its_selected_messages(fake_gateway: FakeGateway, tmp_path: pathlib.Path) -> None:
    fake_gateway.contact("bob")
    fake_gateway.contact("carol")
    gateway, seen = fake_gateway.gateway(), list[str]()
    selections: dict[str, dict[str, Any]] = {
        "voices": {"kind": "voice"},
        "of carol": {"chat": "direct/2"},
        "questions": {"where": lambda message: message.text.endswith("?")},
        "sent": {"direction": "sent"},
    }
    for name, options in selections.items():

        def handler(message: Message, name: str = name) -> None:
            seen.append(f"{name}: {message.text}")

        gateway.on_message(**options)(handler)
    fake_gateway.receive("bob", "hello")
    fake_gateway.receive("bob", "who?")
    fake_gateway.receive("carol", "hello")
    fake_gateway.receive("bob", "", type="voice", duration=3)
    fake_gateway.receive("bob", "end?")
    await run_until(gateway, lambda: len(seen) >= 4, cursor=FileCursor(tmp_path / "cursor", start="oldest"))
    assert seen == ["questions: who?", "of carol: hello", "voices: ", "questions: end?"]


async def test_a_second_program_cannot_use_a_cursor_file(fake_gateway: FakeGateway, tmp_path: pathlib.Path) -> None:
    async with fake_gateway.gateway() as gateway:
        cursor = FileCursor(tmp_path / "cursor")
        await cursor.open(gateway)
        with pytest.raises(RuntimeError, match="Another program"):
            await FileCursor(tmp_path / "cursor").open(gateway)
        cursor.close()
        (tmp_path / "cursor").write_text("damaged")
        with pytest.raises(RuntimeError, match="not the file of a FileCursor"):
            await FileCursor(tmp_path / "cursor").open(gateway)


async def test_a_consumer_repeats_an_event_until_it_is_handled(
    fake_gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gateway.contact("bob")
    gateway, calls, failed = fake_gateway.gateway(), list[str](), list[str]()
    monkeypatch.setattr("simplex_gateway._events.MAX_DELAY", 0)

    @gateway.on_message()
    async def flaky(message: Message) -> None:
        await message.reply(message.text)
        calls.append(message.text)
        if message.text == "poison" or len(calls) == 1:
            raise ValueError("no")

    gateway.on_failure(lambda event, error: failed.append(event.messages[0].text))
    for text in ("one", "poison", "two"):
        fake_gateway.receive("bob", text)
    fake_gateway.event("contactConnected")
    await run_until(gateway, lambda: failed and "two" in calls, consumer="echo", start="oldest", attempts=2)
    assert sorted(calls) == ["one", "one", "poison", "poison", "two"] and failed == ["poison"]
    assert fake_gateway.sent("bob") == ["one", "poison", "two"]
    assert fake_gateway.consumers["echo"]["body"]["filter"] == {"types": ["newChatItems"]}
    assert len(fake_gateway.consumers["echo"]["dead"]) == 1


async def test_a_long_model_is_read_in_pages() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        match request.url.path.rsplit("/", 1)[1], request.url.params.get("cursor"):
            case "model", _:
                return httpx.Response(200, json={"id": "m-1", "cursor": "e-1", "model": {"chats": [1]}, "next": "p"})
            case "chats", "p":
                return httpx.Response(200, json={"id": "m-1", "chats": [2], "next": None})
        patch = [{"op": "add", "path": "/chats/-", "value": 3}]
        event = {"type": "modelPatch", "cursor": "e-2", "patch": patch}
        return httpx.Response(200, text=json.dumps({"document": "/v1/users/1/model", "id": "m-2", "event": event}))

    seen: list[list[Any]] = []
    user: Any = {"userId": 1, "localDisplayName": "alice"}
    async with Gateway("http://localhost", "key", transport=httpx.MockTransport(answer)) as gateway:
        async for model in User(gateway, user).model():
            seen.append([*model.chats])
            if len(seen) == 2:
                break
    assert seen == [[1, 2], [1, 2, 3]]


async def test_models_share_one_stream_also_after_an_interruption_and_a_gap() -> None:
    reads = {"1": 0, "2": 0}
    queries: list[dict[str, str]] = []
    alice, bob = "/v1/users/1/model", "/v1/users/2/model"

    def changed(document: str, number: int, value: int) -> dict[str, Any]:
        patch = [{"op": "add", "path": "/chats/-", "value": value}]
        event = {"type": "modelPatch", "cursor": "e-2", "patch": patch}
        return {"document": document, "id": f"m-{number}", "createdAt": "2026-11-28T00:00:00Z", "event": event}

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/model"):
            user = request.url.path.split("/")[3]
            reads[user] += 1
            model: dict[str, Any] = {"id": f"m-{reads[user]}", "cursor": "e-1", "model": {"chats": []}, "next": None}
            return httpx.Response(200, json=model)
        queries.append(dict(request.url.params))
        gap = {"type": "ended", "problem": {"status": 410, "code": "cursorExpired", "oldest": "m-9"}}
        entries = [
            [{"document": alice, "id": "m-1", "event": {"type": "followed"}}, changed(bob, 2, 7)],
            [changed(alice, 2, 8), {"document": bob, "event": gap}],
            [changed(bob, 3, 9)],
        ][len(queries) - 1]
        return httpx.Response(200, text="\n".join(json.dumps(entry) for entry in entries) + "\n\n")

    seen: list[tuple[int, list[Any]]] = []
    users: list[Any] = [{"userId": 1, "localDisplayName": "alice"}, {"userId": 2, "localDisplayName": "bob"}]
    async with Gateway("http://localhost", "key", transport=httpx.MockTransport(answer)) as gateway:
        async for model in gateway.models(*[User(gateway, user) for user in users]):
            seen.append((model.user.id, [*model.chats]))
            if len(seen) == 6:
                break
    assert seen == [(1, []), (2, []), (2, [7]), (1, [8]), (2, []), (2, [9])] and reads == {"1": 1, "2": 2}
    assert [query["cursor"] for query in queries] == ["m-1,m-1", "m-1,m-2", "m-2,m-2"]
    assert {query["documents"] for query in queries} == {f"{alice},{bob}"}


async def test_a_model_that_the_key_may_not_read_ends_the_loop() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/model"):
            return httpx.Response(200, json={"id": "m-1", "cursor": "e-1", "model": {"chats": []}, "next": None})
        refusal = {"type": "ended", "problem": {"status": 403, "code": "forbidden", "detail": "Not yours."}}
        return httpx.Response(200, text=json.dumps({"document": "/v1/users/1/model", "event": refusal}) + "\n")

    user: Any = {"userId": 1, "localDisplayName": "alice"}
    async with Gateway("http://localhost", "key", transport=httpx.MockTransport(answer)) as gateway:
        with pytest.raises(Forbidden, match="Not yours"):
            async for _ in gateway.models(User(gateway, user)):
                pass


async def test_an_operation_is_followed_to_its_end() -> None:
    states = ["running", "done", "failed"]

    def answer(request: httpx.Request) -> httpx.Response:
        operation: dict[str, Any] = {"type": "operation", "operationId": "op-1", "state": "running"}
        if request.method == "POST":
            return httpx.Response(202, json=operation, headers={"Location": "/v1/operations/op-1"})
        operation["state"] = states.pop(0)
        if operation["state"] == "done":
            operation["result"] = {"folder": "/copy", "files": 1, "bytes": 2}
        if operation["state"] == "failed":
            operation |= {"status": 507, "problem": {"code": "storageFull", "detail": "The disk is full."}}
        return httpx.Response(200, json=operation)

    async with Gateway("http://localhost", "key", transport=httpx.MockTransport(answer)) as gateway:
        assert await gateway.api.create_backup({"folder": "/copy"}) == {"folder": "/copy", "files": 1, "bytes": 2}
        with pytest.raises(StorageFull):
            await gateway.api.create_backup({"folder": "/copy"})
        operation: Any = await gateway.api.create_backup({"folder": "/copy"}, prefer="respond-async")
        assert operation["state"] == "running" and states == []
        states += ["running", "done"]
        seen: list[str] = []
        copy = await gateway.follow(operation, lambda state: seen.append(state["state"]))
        assert copy["files"] == 1 and seen == ["running", "running"]


def test_a_json_patch_changes_a_document() -> None:
    patch: list[dict[str, Any]] = [
        {"op": "add", "path": "/list/1", "value": "b"},
        {"op": "add", "path": "/list/-", "value": "d"},
        {"op": "replace", "path": "/list/0", "value": "A"},
        {"op": "move", "from": "/list/0", "path": "/list/3"},
        {"op": "remove", "path": "/a~1b~0c"},
        {"op": "add", "path": "/new", "value": {"x": 1}},
        {"op": "replace", "path": "/new/x", "value": 2},
    ]
    document = {"list": ["a", "c"], "a/b~c": 1}
    assert apply_patch(document, patch) == {"list": ["b", "c", "d", "A"], "new": {"x": 2}}
    assert apply_patch(document, [{"op": "replace", "path": "", "value": []}]) == []
    with pytest.raises(ValueError, match="unknown operation"):
        apply_patch([], [{"op": "swap", "path": "/0"}])


async def test_the_error_for_an_invalid_certificate_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no") from ssl.SSLCertVerificationError("self-signed certificate")

    async with Gateway("https://localhost", "key", transport=httpx.MockTransport(refused)) as gateway:
        with pytest.raises(ConnectionFailed, match=r"certificate.*verify"):
            await gateway.user()


async def test_an_answer_that_is_not_json_is_an_error() -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(200, text="<html>"))
    async with Gateway("http://localhost", "key", transport=transport) as gateway:
        with pytest.raises(GatewayFault, match="is this the URL of a gateway"):
            await gateway.user()


def test_the_package_has_the_version_of_the_project() -> None:
    import simplex_gateway

    root = pathlib.Path(__file__).resolve().parents[4]
    if (root / "VERSION").exists():
        assert simplex_gateway.__version__ == (root / "VERSION").read_text().strip()
    assert os.path.exists(os.path.join(os.path.dirname(simplex_gateway.__file__), "py.typed"))


def test_the_client_has_at_most_1500_lines_of_code() -> None:
    import ast
    import io
    import tokenize

    import simplex_gateway

    # Counts the lines of code of the modules that are written by hand, without docstrings and comments, and without the
    # modules for bots, tests and `run`.
    count = 0
    others = {"_generated", "bots", "_store", "_turn", "testing", "_pytest", "__main__"}
    for path in pathlib.Path(simplex_gateway.__file__).parent.glob("*.py"):
        if path.stem in others:
            continue
        source, lines = path.read_text(), set[int]()
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.string.strip() and token.type != tokenize.COMMENT:
                lines.update(range(token.start[0], token.end[0] + 1))
        for node in ast.walk(ast.parse(source)):
            body: Any = getattr(node, "body", None)
            first = body[0] if isinstance(body, list) and body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                if isinstance(first.value.value, str):
                    lines.difference_update(range(first.lineno, (first.end_lineno or 0) + 1))
        count += len(lines)
    assert count <= 1500
