"""Tests notifications of a browser: another implementation decrypts them, and a notification from another sender is
refused."""

import json
import pathlib
import subprocess
import sys
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import BOUND, Gateway, free_port

HERE = pathlib.Path(__file__).parent
port = free_port()

with Gateway("--webhook-allow", "127.0.0.1", "--push-contact", "mailto:me@example.org") as gateway:
    key = gateway.call("GET", "/v1/push-subscriptions/key")["publicKey"]
    browser = subprocess.Popen(
        [*BOUND, "node", HERE / "receiver.mjs", key, str(port)], stdout=subprocess.PIPE, text=True
    )
    try:
        body = json.loads(browser.stdout.readline())
        made = gateway.call("POST", "/v1/push-subscriptions", {**body, "users": [1], "content": True})
        gateway.bob_says("hello alice")
        seen = json.loads(browser.stdout.readline())
        assert (seen["type"], seen["userId"], seen["chat"]) == ("newChatItems", 1, f"direct/{gateway.bob}"), seen
        assert (seen["title"], seen["text"]) == ("bob", "hello alice"), seen
        assert (
            gateway.call("PATCH", f"/v1/push-subscriptions/{made['subscriptionId']}", {"content": False})["content"]
            is False
        )
        gateway.stop()
        gateway.start()
        gateway.bob_says("hello again")
        seen = json.loads(browser.stdout.readline())
        assert seen["chat"] == f"direct/{gateway.bob}" and "text" not in seen and "title" not in seen, seen
        forged = urllib.request.Request(
            f"{body['endpoint']}",
            b"x" * 120,
            {"Content-Encoding": "aes128gcm", "TTL": "60", "Authorization": f"vapid t=a.b.c, k={key}x"},
        )
        try:
            urllib.request.urlopen(forged)
            raise AssertionError("a forged notification was taken")
        except urllib.error.HTTPError as error:
            assert error.code == 403
        assert (
            gateway.call("POST", f"/v1/push-subscriptions/{made['subscriptionId']}/test", {})["outcome"] == "delivered"
        )
        # A notification that was sent just before the restart may arrive a second time, so the test skips it.
        while json.loads(browser.stdout.readline())["type"] != "test":
            pass
    finally:
        browser.kill()
        browser.wait()
