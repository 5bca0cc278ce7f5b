"""Tests the bot: it answers each message once and in order, although the bot and the gateway end at any moment."""

import os
import pathlib
import subprocess
import sys
import time

FOLDER = pathlib.Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
import support

MESSAGES = 24


def texts(gateway):
    chat = gateway.call("GET", f"/v1/users/2/chats/direct/{gateway.alice}?limit=1000")["chat"]
    items = [item for item in chat["chatItems"] if "msgContent" in item["content"]]
    sent = [item["content"]["msgContent"]["text"] for item in items if item["chatDir"]["type"] == "directSnd"]
    return sent, [item["content"]["msgContent"]["text"] for item in items if item["chatDir"]["type"] == "directRcv"]


with support.Gateway() as gateway:
    # The key is bound to alice's profile. The gateway also has the profile of bob, for whom the bot must not answer.
    key = gateway.call("POST", "/v1/keys", {"name": "bot", "userId": 1})["key"]
    environment = {"PATH": os.environ["PATH"], "SXGW_URL": gateway.url, "SXGW_KEY": key}
    cursor, log = gateway.folder / "cursor", open(gateway.folder / "bot", "w+")

    def start():
        return subprocess.Popen(
            [*support.BOUND, sys.executable, "-u", FOLDER / "echo_bot.py", cursor],
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )

    bot = start()
    try:
        support.Gateway.until(cursor.exists, "the bot follows")
        expected = [f"message {number}" for number in range(MESSAGES)]
        for number, text in enumerate(expected):
            gateway.bob_says(text)
            if number % 5 == 3:
                bot.kill()
                bot.wait()
                bot = start()
            if number in (9, 16):
                gateway.process.kill()
                gateway.process.wait()
                gateway.start()
        support.Gateway.until(lambda: len(texts(gateway)[1]) >= MESSAGES, "each message has its answer")
        # A wrong second answer would arrive within this time.
        time.sleep(2)
        sent, answers = texts(gateway)
    finally:
        bot.kill()
        bot.wait()
    log.seek(0)
    said = log.read()
    assert sent == expected and answers == expected, (sent, answers, said)
    assert "Traceback" not in said, said
