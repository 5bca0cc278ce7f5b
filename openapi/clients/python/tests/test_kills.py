"""Each message is answered once and in order, while the gateway and the bot are killed."""

import os
import pathlib
import random
import subprocess
import sys
import time
from typing import Any

from simplex_gateway.sync import Gateway
from simplex_gateway.testing import Pair

BOT = pathlib.Path(__file__).parent / "echo_bot.py"
MESSAGES_BETWEEN_KILLS = 3


def start_bot(pair: Pair, key: str, cursor: pathlib.Path) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "SXGW_URL": pair.url, "SXGW_KEY": key}
    with open(cursor.with_suffix(".log"), "ab") as log:
        return subprocess.Popen([sys.executable, str(BOT), str(cursor)], env=environment, stdout=log, stderr=log)


def answers(chat: Any) -> list[str]:
    return [message.text for message in chat.messages() if message.received and message.kind == "text"][::-1]


def test_each_message_is_answered_once_through_kills(simplex_pair: Pair, tmp_path: pathlib.Path, kills: int) -> None:
    pair, chance = simplex_pair, random.Random(kills)
    key, cursor = pair.bot_key(pair.alice), tmp_path / "cursor"
    bot = start_bot(pair, key, cursor)
    expected: list[str] = []
    try:
        until(cursor.exists, "the bot has its place")
        with Gateway(pair.url, pair.key, retry_for=60) as gateway:
            chat = gateway.user("bob").contact("alice")
            for turn in range(2 * kills):
                for _ in range(MESSAGES_BETWEEN_KILLS):
                    expected.append(f"message {len(expected)}")
                    chat.send(expected[-1])
                # In the middle of whatever happens now.
                time.sleep(chance.random() * 0.15)
                if turn % 2:
                    pair.kill()
                    pair.start()
                else:
                    bot.kill()
                    bot.wait()
                    bot = start_bot(pair, key, cursor)
            until(lambda: len(answers(chat)) >= len(expected), "each message has its answer")
            # Long enough for an answer too many.
            time.sleep(1)
            assert answers(chat) == expected, cursor.with_suffix(".log").read_text()[-4000:]
    finally:
        bot.kill()
        bot.wait()
    assert "Traceback" not in cursor.with_suffix(".log").read_text()


def until(condition: Any, what: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"Not in {seconds} seconds: {what}"
        time.sleep(0.1)
