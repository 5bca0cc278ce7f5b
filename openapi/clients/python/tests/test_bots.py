"""Tests of bots: commands, conversations, limits, broadcasts and their state, also with kills."""

import asyncio
import contextlib
import os
import pathlib
import random
import subprocess
import sys
import time
from collections.abc import AsyncIterator

import pytest

from simplex_gateway import FileCursor
from simplex_gateway.bots import Bot, Store, Turn
from simplex_gateway.sync import Gateway
from simplex_gateway.testing import FakeGateway, Pair
from test_kills import answers, faults, until

pytestmark = pytest.mark.anyio


@contextlib.asynccontextmanager
async def running(bot: Bot, folder: pathlib.Path) -> AsyncIterator[None]:
    run = asyncio.create_task(bot.run(cursor=FileCursor(folder / "cursor")))
    try:
        await becomes(lambda: (folder / "cursor").exists() or run.done())
        if run.done():
            run.result()
        yield
    finally:
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)


async def becomes(condition: object, seconds: float = 120) -> None:
    assert callable(condition)
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


def bot_of(fake: FakeGateway, folder: pathlib.Path, limit: tuple[int, float] | None = None) -> Bot:
    """Makes a bot with a conversation of two steps."""
    bot = Bot(fake.gateway(), folder / "state", limit=limit)

    @bot.command("name", "Tell your name", params="title", menu="You")
    async def name(turn: Turn) -> None:
        turn.state["title"] = turn.arguments
        await turn.ask("Which name?", named)

    @bot.step
    async def named(turn: Turn) -> None:
        await turn.reply(f"Hello, {turn.state['title']} {turn.text}")

    @bot.command("secret", admin=True)
    async def secret(turn: Turn) -> None:
        await turn.reply("secret")

    @bot.otherwise
    async def other(turn: Turn) -> None:
        await turn.reply(f"Nothing: {turn.text}")

    return bot


async def test_a_conversation_continues_after_a_restart(fake_gateway: FakeGateway, tmp_path: pathlib.Path) -> None:
    fake_gateway.contact("bob")
    async with running(bot_of(fake_gateway, tmp_path), tmp_path):
        menu = fake_gateway.user["profile"]
        command = {"type": "command", "keyword": "name", "label": "Tell your name", "params": "title"}
        assert menu == {
            "displayName": "bot",
            "fullName": "",
            "peerType": "bot",
            "preferences": {"commands": [{"type": "menu", "label": "You", "commands": [command]}]},
        }
        fake_gateway.receive("bob", "/name  Dr. ")
        await becomes(lambda: fake_gateway.sent("bob") == ["Which name?"])
    async with running(bot_of(fake_gateway, tmp_path), tmp_path):
        assert [one for one in fake_gateway.requests if one[0] == "PATCH"] == [("PATCH", "/v1/users/1")]
        for text in ("Bob", "again", "/secret", "/unknown"):
            fake_gateway.receive("bob", text)
        answers = ["Hello, Dr. Bob", "Nothing: again", "Nothing: /secret", "Nothing: /unknown"]
        await becomes(lambda: fake_gateway.sent("bob")[1:] == answers)


async def test_a_failed_handler_runs_again_without_changes(fake_gateway: FakeGateway, tmp_path: pathlib.Path) -> None:
    fake_gateway.contact("bob")
    bot, seen = Bot(fake_gateway.gateway(), tmp_path / "state"), list[object]()

    @bot.otherwise
    async def count(turn: Turn) -> None:
        turn.set("count", turn.get("count", 0) + 1)
        turn.state["left"] = True
        seen.append((turn.get("count"), turn.random.random()))
        if len(seen) == 1:
            raise RuntimeError("for the test")
        await turn.reply(str(turn.get("count")))

    async with running(bot, tmp_path):
        fake_gateway.receive("bob", "one")
        fake_gateway.receive("bob", "two")
        await becomes(lambda: fake_gateway.sent("bob") == ["1", "2"])
        assert seen[0] == seen[1] != seen[2]


async def test_a_handler_with_a_refused_message_runs_once(fake_gateway: FakeGateway, tmp_path: pathlib.Path) -> None:
    number = fake_gateway.contact("bob")
    bot = Bot(fake_gateway.gateway(), tmp_path / "state")

    @bot.otherwise
    async def count(turn: Turn) -> None:
        turn.set("count", turn.get("count", 0) + 1)
        if turn.text == "leave":
            del fake_gateway.contacts[number]
        await turn.reply("never")

    async with running(bot, tmp_path):
        fake_gateway.receive("bob", "leave")
        await becomes(lambda: bot.store.get("count") == 1)
    assert len([one for one in fake_gateway.requests if one[1].endswith("/messages")]) == 1


async def test_the_limit_counts_each_sender_separately(fake_gateway: FakeGateway, tmp_path: pathlib.Path) -> None:
    fake_gateway.contact("bob")
    fake_gateway.contact("carol")
    async with running(bot_of(fake_gateway, tmp_path, limit=(2, 60)), tmp_path):
        for number in range(5):
            fake_gateway.receive("bob", str(number))
        fake_gateway.receive("carol", "me")
        await becomes(lambda: fake_gateway.sent("carol"))
        assert fake_gateway.sent("bob") == ["Nothing: 0", "Nothing: 1", "You write too fast: wait a minute."]
        assert fake_gateway.sent("carol") == ["Nothing: me"]


async def test_a_broadcast_reaches_each_contact_once(fake_gateway: FakeGateway, tmp_path: pathlib.Path) -> None:
    names = [f"contact{number}" for number in range(20)]
    for name in names:
        fake_gateway.contact(name)
    bot = bot_of(fake_gateway, tmp_path)

    @bot.command("tell")
    async def tell(turn: Turn) -> None:
        turn.broadcast(turn.arguments)

    async with running(bot, tmp_path):
        fake_gateway.receive("contact3", "/tell hello")
        await becomes(lambda: sum(bool(fake_gateway.sent(name)) for name in names) > 5)
    async with running(bot_of(fake_gateway, tmp_path), tmp_path):
        await becomes(lambda: all(fake_gateway.sent(name) for name in names))
        await asyncio.sleep(1.2)
    assert all(fake_gateway.sent(name) == ["hello"] for name in names)


def test_a_store_keeps_its_values_and_refuses_a_second_program(tmp_path: pathlib.Path) -> None:
    store = Store(tmp_path / "state")
    store.save({"a/1": (1, None), "a/2": ({"b": [None]}, None), "b": (1, None)}, "event")
    store.set("gone", 1, seconds=-1)
    assert (store.keys("a/"), store.get("a/2"), store.get("gone")) == (["a/1", "a/2"], {"b": [None]}, None)
    with pytest.raises(RuntimeError, match="another program uses it"):
        Store(tmp_path / "state")
    with pytest.raises(ValueError, match="more than 65536 characters"):
        store.save({"a/1": (2, None), "long": ("x" * 70_000, None)}, "other")
    store.close()
    store = Store(tmp_path / "state")
    assert store.get("a/1") == 1 and store.is_handled("event") and not store.is_handled("other")
    store.close()
    (tmp_path / "text").write_text("no state " * 1000)
    with pytest.raises(RuntimeError, match="move it away"):
        Store(tmp_path / "text")


def test_wrong_use_of_a_bot_is_an_error(fake_gateway: FakeGateway, tmp_path: pathlib.Path) -> None:
    bot = bot_of(fake_gateway, tmp_path)
    with pytest.raises(ValueError, match="one new word"):
        bot.command("name")
    with pytest.raises(ValueError, match="one new word"):
        bot.command("two words")
    with pytest.raises(RuntimeError, match="does not run yet"):
        print(bot.user)
    bot.store.close()


@pytest.mark.parametrize("consumer", [[], ["orders"]], ids=["file", "consumer"])
def test_conversations_continue_after_kills(
    simplex_pair: Pair, tmp_path: pathlib.Path, kills: int, consumer: list[str]
) -> None:
    pair, chance = simplex_pair, random.Random(kills)
    environment = {**os.environ, "SXGW_URL": pair.url, "SXGW_KEY": pair.bot_key(pair.alice)}
    program = pathlib.Path(__file__).parent / "order_bot.py"

    def start() -> "subprocess.Popen[bytes]":
        with open(tmp_path / "log", "ab") as log:
            command = [sys.executable, str(program), str(tmp_path), *consumer]
            return subprocess.Popen(command, env=environment, stdout=log, stderr=log)

    bot = start()
    expected: list[str] = []
    try:
        until((tmp_path / ("order.state" if consumer else "cursor")).exists, "the bot has its place")
        with Gateway(pair.url, pair.key, retry_for=60) as gateway:
            chat = gateway.user("bob").contact("alice")
            for turn in range(kills):
                for text in ("/order", f"size {turn}", f"street {turn}"):
                    chat.send(text)
                expected += ["Which size?", "Which street?", f"Order {turn + 1}: size {turn} to street {turn}"]
                time.sleep(chance.random() * 0.15)
                if turn % 2:
                    pair.kill()
                    pair.start()
                else:
                    bot.kill()
                    bot.wait()
                    bot = start()
            until(lambda: len(answers(chat)) >= len(expected) + kills, "each message has its answer")
            # A repeated answer would arrive within this time.
            time.sleep(1)
            found = answers(chat)
            assert [one for one in found if not one.endswith("minutes")] == expected
            assert len(found) == len(expected) + kills
    finally:
        bot.kill()
        bot.wait()
    assert not faults(tmp_path / "log")
