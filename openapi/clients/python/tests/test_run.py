"""Tests of the command that starts a gateway and a bot, restarts both, and ends both."""

import asyncio
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from simplex_gateway import ConnectionFailed, Gateway
from simplex_gateway.testing import Pair

pytestmark = pytest.mark.anyio
BOT = """
import asyncio, os, sys
from simplex_gateway import Gateway

gateway = Gateway.from_env()

@gateway.on_message()
async def echo(message):
    if message.text == "end":
        os._exit(0)
    await message.reply(f"{message.text} {sys.argv[1]}")

async def main():
    print(os.getpid(), await (await gateway.user()).address())
    await gateway.run(consumer="echo", start="oldest", timeout=2, attempts=100)

asyncio.run(main())
"""


# Seconds within which a step happens, even on a machine that is busy with other tests.
SECONDS = 300


@contextlib.contextmanager
def start(tmp_path: pathlib.Path) -> Iterator[subprocess.Popen[str]]:
    (tmp_path / "echo.py").write_text(BOT)
    command = [sys.executable, "-m", "simplex_gateway", "run", "--local", "echo.py", "again"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True) as runner:
        try:
            yield runner
        finally:
            # The gateway and the bot end with the runner.
            runner.terminate()


def first_line(runner: subprocess.Popen[str]) -> tuple[str, str, str]:
    """Returns the URL of the gateway, the process id of the bot, and the address of the bot."""
    assert runner.stdout and runner.stderr
    found = re.search(r"at (http://\S+),", runner.stderr.readline())
    assert found
    number, address = runner.stdout.readline().split()
    return found[1], number, address


async def test_a_bot_answers_after_kills_of_bot_and_gateway(tmp_path: pathlib.Path) -> None:
    with start(tmp_path) as runner:
        url, number, address = first_line(runner)
        folder = tmp_path / "echo.gateway"
        assert os.stat(folder / "bot.key").st_mode & 0o777 == 0o600
        async with Gateway(url, (folder / "admin.key").read_text().strip()) as gateway, asyncio.timeout(SECONDS):
            carol = await gateway.create_user("carol")
            contact = await carol.connect(address)

            async def answered(text: str) -> None:
                await contact.send(text)
                while f"{text} again" not in [one.text async for one in contact.messages(limit=5)]:
                    await asyncio.sleep(0.05)

            await answered("hello")
            os.kill(int(number), signal.SIGKILL)
            await answered("hello after the end of the bot")
            assert runner.stdout and runner.stdout.readline().split()[0] != number
            children = pathlib.Path(f"/proc/{runner.pid}/task/{runner.pid}/children").read_text().split()
            for child in children:
                if b"serve" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
                    os.kill(int(child), signal.SIGKILL)
            await answered("hello after the end of the gateway")
        runner.send_signal(signal.SIGINT)
        assert await asyncio.to_thread(runner.wait, SECONDS) == 0
    async with Gateway(url, "key", retry_for=0) as gateway:
        with pytest.raises(ConnectionFailed):
            await gateway.check()
    # The next start uses the same profile and key. The command ends when the bot ends with 0.
    with start(tmp_path) as runner:
        url, number, again = first_line(runner)
        assert again == address
        async with Gateway(url, (folder / "admin.key").read_text().strip()) as gateway:
            await (await gateway.user("carol")).send("echo", "end")
        assert await asyncio.to_thread(runner.wait, SECONDS) == 0


async def test_a_gateway_that_cannot_start_ends_the_run(tmp_path: pathlib.Path) -> None:
    (tmp_path / "echo.py").write_text("")
    (tmp_path / "echo.gateway").mkdir()
    environment = {**os.environ, "SXGW_PORTS": "1"}
    command = [sys.executable, "-m", "simplex_gateway", "run", "echo.py"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 2 and "SXGW_PORTS" in done.stderr


async def test_the_key_command_makes_a_profile_and_a_key(tmp_path: pathlib.Path, simplex_pair: Pair) -> None:
    command = [sys.executable, "-m", "simplex_gateway", "key", "--url", simplex_pair.url, "--name", "bob"]
    command += ["--admin-key-file", str(simplex_pair.folder / "data/admin.key"), str(tmp_path / "key")]
    for _ in range(2):
        subprocess.run(command, check=True, timeout=SECONDS)
    async with Gateway(simplex_pair.url, (tmp_path / "key").read_text().strip()) as gateway:
        assert (await gateway.user()).name == "bob"
        key = await gateway.api.get_current_key()
    async with simplex_pair.gateway() as gateway:
        keys = (await gateway.api.list_keys())["keys"]
    assert key["scopes"] == ["read", "write", "events"] and len(keys) == 2
