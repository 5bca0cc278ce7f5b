"""Starts a gateway on this machine for the test of an example, and sends requests to it."""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / ".build/release/simplex-gateway"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Gateway:
    """A running gateway with two profiles that are contacts: 1, alice, and 2, bob."""

    def __init__(self, *arguments):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        # The ports are fixed, so that the gateway has the same address after a restart.
        self.arguments = list(arguments)
        for option in ("--port", "--relay-port", "--file-relay-port"):
            self.arguments += [option, str(free_port())]
        self.process = None
        self.start()
        for name in ("alice", "bob"):
            self.call("POST", "/v1/users", {"profile": {"displayName": name, "fullName": ""}})
        link = self.call("POST", "/v1/users/1/connections/invitations", {})["connLinkInvitation"]["connFullLink"]
        self.call("POST", "/v1/users/2/connections", {"connLink": link})
        cursor, connected = "", set()
        while connected != {1, 2}:
            page = self.call("GET", "/v1/events?timeout=20&types=contactConnected" + cursor)
            cursor = "&cursor=" + page["cursor"]
            connected |= {entry["userId"] for entry in page["events"]}
        self.bob = self.call("GET", "/v1/users/1/contacts")["contacts"][0]["contactId"]
        self.alice = self.call("GET", "/v1/users/2/contacts")["contacts"][0]["contactId"]

    def start(self):
        with open(self.folder / "log", "w") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "serve", "--data", self.folder / "data", *self.arguments],
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.url = self.until(
            lambda: self.process.poll() is None and re.search(r"^URL: *(\S+)", self.log(), re.M), "the gateway starts"
        ).group(1)
        self.key = (
            self.until((self.folder / "data/admin.key").exists, "it has a key")
            and (self.folder / "data/admin.key").read_text().strip()
        )

    def stop(self):
        self.process.terminate()
        self.process.wait(30)

    def kill(self):
        self.process.kill()
        self.process.wait(30)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.stop()
        if error:
            print(self.log()[-2000:])
        shutil.rmtree(self.folder)

    def log(self):
        return (self.folder / "log").read_text()

    @staticmethod
    def until(condition, what, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := condition():
                return value
            time.sleep(0.05)
        raise TimeoutError(f"Not in {seconds} seconds: {what}")

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "Bearer " + self.key, "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def run(self, script, *arguments):
        """Runs a shell script, which must succeed, and returns its output."""
        environment = {"PATH": os.environ["PATH"], "SXGW_URL": self.url, "SXGW_KEY": self.key}
        command = [script, *map(str, arguments)]
        return subprocess.check_output(command, env=environment, text=True, timeout=120)

    def texts(self, user, chat):
        """Returns the texts of the last items of a chat, including events."""
        items = self.call("GET", f"/v1/users/{user}/chats/{chat}")["chat"]["chatItems"]
        return [item["meta"]["itemText"] for item in items]

    def bob_says(self, text):
        return self.call(
            "POST",
            f"/v1/users/2/chats/direct/{self.alice}/messages",
            {"composedMessages": [{"msgContent": {"type": "text", "text": text}, "mentions": {}}]},
        )
