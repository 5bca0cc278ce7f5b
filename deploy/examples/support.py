"""Starts a gateway on this machine for the test of an example, and sends requests to it."""

import json
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / ".build/release/simplex-gateway"


# Debian's /usr/bin/chromium-headless-shell is a script that starts this program as its child. A signal that ends the
# script would leave the browser.
CHROMIUM = "/usr/lib/chromium/chromium-headless-shell"
# Begins commands of programs that end with the thread that starts them, also when a signal ends the test.
BOUND = ["setpriv", "--pdeathsig", "TERM"]
# Seconds within which a step of a test happens, even on a machine that is busy with other tests.
SECONDS = 180
# Ports below those that the system itself gives to sockets.
PORTS = range(10_000, 32_000)
# Sockets of UDP by the texts of their ports. They keep a port for this process also while its gateway is stopped.
reserved = {}


def free_port():
    """Reserves a port that no test in another process gets."""
    while True:
        port = random.choice(PORTS)
        holder = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            holder.bind(("127.0.0.1", port))
            with socket.socket() as listener:
                listener.bind(("127.0.0.1", port))
        except OSError:
            holder.close()
            continue
        reserved[str(port)] = holder
        return port


def end(process):
    """Ends a process. No process outlives its test."""
    process.terminate()
    try:
        process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


class Gateway:
    """A running gateway with two profiles that are contacts: 1, alice, and 2, bob."""

    def __init__(self, *arguments):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        # The ports are fixed, so that the gateway has the same address after a restart.
        self.arguments = list(arguments)
        for option in ("--port", "--relay-port", "--file-relay-port"):
            self.arguments += [option, str(free_port())]
        try:
            self.start()
            self.connect()
        except BaseException:
            self.kill()
            self.delete()
            raise

    def connect(self):
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
                [*BOUND, PROGRAM, "serve", "--data", self.folder / "data", *self.arguments],
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        try:
            self.url = self.until(self.shown, "the gateway starts")[1]
            self.until((self.folder / "data/admin.key").exists, "it has a key")
        except BaseException:
            self.kill()
            print(self.log()[-2000:])
            raise
        self.key = (self.folder / "data/admin.key").read_text().strip()

    def shown(self):
        assert self.process.poll() is None, "the gateway has ended"
        return re.search(r"^URL: *(\S+)", self.log(), re.M)

    def stop(self):
        end(self.process)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        try:
            self.stop()
        finally:
            if error:
                print(self.log()[-2000:])
            self.delete()

    def delete(self):
        """Gives the ports back, and deletes the folder."""
        for word in self.arguments:
            if holder := reserved.pop(word, None):
                holder.close()
        shutil.rmtree(self.folder)

    def log(self):
        return (self.folder / "log").read_text()

    @staticmethod
    def until(condition, what, seconds=SECONDS):
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
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def run(self, script, *arguments):
        """Runs a shell script, which must succeed, and returns its output."""
        environment = {"PATH": os.environ["PATH"], "SXGW_URL": self.url, "SXGW_KEY": self.key}
        command = [script, *map(str, arguments)]
        return subprocess.check_output(command, env=environment, text=True, timeout=10 * SECONDS)

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
