"""Tests that each message is answered once and in order while the gateway and the bot are killed."""

import os
import pathlib
import random
import re
import subprocess
import sys
import time
from typing import Any

import httpx
import pytest

from simplex_gateway.sync import Gateway
from simplex_gateway.testing import Pair

BOT = pathlib.Path(__file__).parent / "echo_bot.py"
MESSAGES_BETWEEN_KILLS = 3


def start_bot(pair: Pair, key: str, cursor: pathlib.Path, *consumer: str) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "SXGW_URL": pair.url, "SXGW_KEY": key}
    with open(cursor.with_suffix(".log"), "ab") as log:
        return subprocess.Popen(
            [sys.executable, str(BOT), str(cursor), *consumer], env=environment, stdout=log, stderr=log
        )


# Records about a handler that the gateway left without an answer, or that took too long on a busy machine.
REPEATED = re.compile(r"WARNING:simplex_gateway:event \S+, attempt \d+: (TimeoutError|ConnectionFailed|Unavailable)\(")


# The traceback of a record begins after its first line, and those of causes begin after an empty line. A traceback after
# another line is that of a program that has ended.
DIED = re.compile(r"^(?!WARNING:).+\n(?:  \+ Exception Group )?Traceback \(most recent call last\):", re.M)


def faults(log: pathlib.Path) -> list[str]:
    """Returns the records of a bot's log that have a traceback, without those after which it repeats an event."""
    records = re.split(r"^(?=(?:WARNING|ERROR|CRITICAL):)", log.read_text(), flags=re.M)
    return [one for one in records if "Traceback" in one and (DIED.search(one) or not REPEATED.match(one))]


def answers(chat: Any) -> list[str]:
    return [message.text for message in chat.messages() if message.received and message.kind == "text"][::-1]


def test_a_killed_bot_with_a_cursor_file_answers_once(simplex_pair: Pair, tmp_path: pathlib.Path, kills: int) -> None:
    ends(simplex_pair, tmp_path / "cursor", kills)


def test_a_killed_bot_with_a_consumer_answers_once(simplex_pair: Pair, tmp_path: pathlib.Path, kills: int) -> None:
    try:
        simplex_pair.call("PUT", "/v1/consumers/probe", {})
    except httpx.HTTPStatusError:
        pytest.skip("This gateway has no consumers.")
    # The consumer hands an event of a killed bot out again after some seconds, so the test makes fewer kills.
    ends(simplex_pair, tmp_path / "cursor", (kills + 1) // 2, "echo")


def ends(pair: Pair, cursor: pathlib.Path, kills: int, *consumer: str) -> None:
    """Kills the bot and the gateway at random moments while messages arrive, and compares the answers."""
    key, chance = pair.bot_key(pair.alice), random.Random(kills)
    log = cursor.with_suffix(".log")
    bot = start_bot(pair, key, cursor, *consumer)
    expected: list[str] = []
    try:
        if not consumer:
            until(cursor.exists, "the bot has its place")
        with Gateway(pair.url, pair.key, retry_for=60) as gateway:
            chat = gateway.user("bob").contact("alice")
            for turn in range(2 * kills):
                for _ in range(MESSAGES_BETWEEN_KILLS):
                    expected.append(f"message {len(expected)}")
                    chat.send(expected[-1])
                # The kill comes at a random moment.
                time.sleep(chance.random() * 0.15)
                if turn % 2:
                    pair.kill()
                    pair.start()
                else:
                    bot.kill()
                    bot.wait()
                    bot = start_bot(pair, key, cursor, *consumer)
            until(lambda: len(answers(chat)) >= len(expected), "each message has its answer")
            # A repeated answer would arrive within this time.
            time.sleep(1)
            assert answers(chat) == expected, log.read_text()[-4000:]
    finally:
        bot.kill()
        bot.wait()
    assert not faults(log)


def until(condition: Any, what: str, seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"Not in {seconds} seconds: {what}"
        time.sleep(0.1)
