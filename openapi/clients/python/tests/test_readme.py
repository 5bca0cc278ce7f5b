"""Tests that run the programs of README.md unchanged."""

import asyncio
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest

from simplex_gateway import Gateway
from simplex_gateway.testing import FakeGateway, Pair

README = (pathlib.Path(__file__).parent.parent / "README.md").read_text()
BLOCKS: list[str] = re.findall(r"^```python\n(.*?)^```$", README, re.M | re.S)


def block(text: str) -> str:
    """Returns the code block of README.md that contains this text."""
    return next(one for one in BLOCKS if text in one)


def test_the_first_bot_has_fifteen_lines_and_answers(simplex_pair: Pair, tmp_path: pathlib.Path) -> None:
    program = block("async def echo")
    assert len([line for line in program.splitlines() if line]) <= 15
    (tmp_path / "echo.py").write_text(program)
    environment = {**os.environ, "SXGW_URL": simplex_pair.url, "SXGW_KEY": simplex_pair.bot_key(1)}
    command = [sys.executable, "-u", "echo.py"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as bot:
        try:
            assert bot.stdout
            address = bot.stdout.readline().strip()

            async def ask() -> None:
                async with simplex_pair.gateway() as gateway, asyncio.timeout(180):
                    while not (tmp_path / "echo.cursor").exists():
                        await asyncio.sleep(0.05)
                    carol = await gateway.create_user("carol")
                    contact = await carol.connect(address)
                    await contact.send("do you hear me?")
                    while ("alice", "do you hear me?") not in [
                        (message.sender, message.text) async for message in contact.messages(limit=5)
                    ]:
                        await asyncio.sleep(0.05)

            asyncio.run(ask())
        finally:
            bot.kill()


def test_messages_are_sent_and_read_as_in_the_readme(simplex_pair: Pair, tmp_path: pathlib.Path) -> None:
    image = pytest.importorskip("PIL.Image")
    (tmp_path / "plan.pdf").write_bytes(b"plan")
    image.new("RGB", (64, 64), "red").save(tmp_path / "photo.jpg")
    program = block('wait="delivered"').replace('"http://127.0.0.1:5225"', "url")
    code = "async def run(Gateway, url, key):\n" + textwrap.indent(program, "    ")
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        asyncio.run(names["run"](Gateway, simplex_pair.url, simplex_pair.bot_key(1)))  # type: ignore[operator]
    finally:
        os.chdir(before)


def test_the_test_in_the_readme_passes(fake_gateway: FakeGateway, tmp_path: pathlib.Path) -> None:
    names: dict[str, object] = {}
    exec(compile(block("def test_the_bot_answers"), "README.md", "exec"), names)
    names["test_the_bot_answers"](fake_gateway, tmp_path)  # type: ignore[operator]
