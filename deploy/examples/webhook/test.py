"""Tests a webhook whose receiver is killed and started again: the receiver prints every event once, and nothing from
other senders."""

import os
import pathlib
import subprocess
import sys
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import BOUND, Gateway, free_port

HERE = pathlib.Path(__file__).parent
port = free_port()


def receiver(secret):
    return subprocess.Popen(
        [*BOUND, sys.executable, HERE / "receiver.py", str(port)],
        env={**os.environ, "WEBHOOK_SECRET": secret},
        stdout=subprocess.PIPE,
        text=True,
    )


with Gateway("--webhook-allow", "127.0.0.1") as gateway:
    made = gateway.call("POST", "/v1/webhooks", {"url": f"http://127.0.0.1:{port}/", "types": ["newChatItems"]})
    process = receiver(made["secret"])
    try:
        gateway.call("POST", f"/v1/users/1/chats/direct/{gateway.bob}/messages", {"text": "hello"})
        assert process.stdout.readline().split()[1:] == ["2", "newChatItems"]
        forged = urllib.request.Request(
            f"http://127.0.0.1:{port}/",
            b'{"id":"x","event":{"type":"newChatItems"}}',
            {"webhook-id": "x", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA"},
        )
        try:
            urllib.request.urlopen(forged)
            raise AssertionError("a forged event was taken")
        except urllib.error.HTTPError as error:
            assert error.code == 401
        process.kill()
        process.wait()
        gateway.call("POST", f"/v1/users/2/chats/direct/{gateway.alice}/messages", {"text": "hi"})
        process = receiver(made["secret"])
        # The next attempt sends the new event. If the receiver was killed before its answer, the gateway first sends
        # the first event again.
        again = ["2", "newChatItems"]
        events = (line.split()[1:] for line in iter(process.stdout.readline, ""))
        assert next(event for event in events if event != again) == ["1", "newChatItems"]
        webhook = f"/v1/webhooks/{made['webhook']['webhookId']}"
        assert gateway.call("POST", webhook + "/test", {})["outcome"] == "delivered"
        assert process.stdout.readline().split()[2] == "test"
    finally:
        process.kill()
        process.wait()
