"""Starts a gateway and a bot with one command, and restarts each of them when it ends:

    python -m simplex_gateway run echo.py

The bot gets the URL of the gateway in SXGW_URL, and the key of its profile in SXGW_KEY. Ctrl+C ends both.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable

from .errors import GatewayError, Unauthorized
from .gateway import Gateway
from .testing import program_path

# Exit statuses after which a gateway is not started again: wrong settings, a wrong database key, a folder in use.
LASTING = (2, 3, 4)
# A program that has run for so many seconds is restarted without a pause when it ends.
GOOD = 60
# The longest pause before a restart, in seconds.
PAUSE = 30
# Seconds within which a started gateway must answer, and within which a program must end before it is killed.
START, END = 120, 30
CLIENT = ("SXGW_URL", "SXGW_KEY", "SXGW_KEY_FILE")


def say(text: str) -> None:
    print(f"simplex_gateway: {text}", file=sys.stderr, flush=True)


def _dies_with_parent() -> None:
    """Makes the system end a child process when this program is killed (Linux)."""
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


Process = asyncio.subprocess.Process


async def keep(
    name: str, start: Callable[[], contextlib.AbstractAsyncContextManager[Process]], ends: tuple[int, ...]
) -> int:
    """Run a program, and restart it until its exit status is one of `ends`. Returns this status."""
    failures = 0
    while True:
        began = time.monotonic()
        async with start() as process:
            status = await process.wait()
        if status in ends:
            return status
        failures = 0 if time.monotonic() - began > GOOD else failures + 1
        seconds = min(2**failures // 2, PAUSE)
        say(f"The {name} has ended with {status}, and starts again in {seconds} s.")
        await asyncio.sleep(seconds)


@contextlib.asynccontextmanager
async def started(*command: str, env: dict[str, str], log: pathlib.Path | None = None):  # type: ignore[no-untyped-def]
    """Run a program in a separate session, which Ctrl+C does not reach. The end of the block ends the program."""
    with open(log, "ab") if log else contextlib.nullcontext() as output:
        process = await asyncio.create_subprocess_exec(
            *command,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
            start_new_session=True,
            preexec_fn=_dies_with_parent,
        )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            try:
                await asyncio.wait_for(process.wait(), END)
            except TimeoutError:
                process.kill()
                await process.wait()


def system_ports(count: int) -> list[int]:
    """Return free ports that the system chooses."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]


def relays_of_machine(folder: pathlib.Path) -> list[str]:
    """Options for relays on fixed ports, since the addresses of profiles contain the ports."""
    path = folder / "relay-ports"
    if not path.exists():
        path.write_text(" ".join(map(str, system_ports(2))))
    relay, files = path.read_text().split()
    return ["--relay-port", relay, "--file-relay-port", files]


async def key_of_bot(url: str, admin: pathlib.Path, path: pathlib.Path, name: str) -> str:
    """Return the key of the bot's profile from its file. Creates profile, key and file if they are missing."""
    async with Gateway(url, admin.read_text().strip()) as gateway:
        await gateway.check()
        users = {user.name: user async for user in gateway.users()}
        user = users.get(name) or (next(iter(users.values())) if users else await gateway.create_user(name))
        if path.exists():
            async with Gateway(url, path.read_text().strip()) as bot:
                with contextlib.suppress(Unauthorized):
                    await bot.api.get_current_key()
                    return path.read_text().strip()
        key = (await gateway.api.create_key({"name": name, "userId": user.id}))["key"]
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(key + "\n")
    return key


async def answers(url: str, admin: pathlib.Path, gateway: asyncio.Task[int]) -> None:
    """Wait until a gateway that has just been started answers."""
    async with asyncio.timeout(START):
        while not gateway.done():
            if admin.exists():
                with contextlib.suppress(GatewayError):
                    async with Gateway(url, admin.read_text().strip(), retry_for=0) as client:
                        await client.check()
                        return
            await asyncio.sleep(0.1)


async def run(options: argparse.Namespace) -> int:
    """Run the gateway and the bot until the bot ends with 0, the gateway cannot run, or a signal arrives."""
    bot = pathlib.Path(options.bot)
    if not bot.exists():
        say(f"There is no program {bot}.")
        return 2
    folder = pathlib.Path(options.data or bot.with_suffix(".gateway")).absolute()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    port = options.port or system_ports(1)[0]
    url, log = f"http://127.0.0.1:{port}", folder / "gateway.log"
    command = [options.program or program_path(), "serve", "--data", str(folder), "--port", str(port)]
    command += relays_of_machine(folder) if options.local else ["--servers", "network", "--no-relay"]
    environment = {name: value for name, value in os.environ.items() if name not in CLIENT}
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    tasks = [asyncio.create_task(keep("gateway", lambda: started(*command, env=environment, log=log), LASTING))]
    stopping = asyncio.create_task(stop.wait())
    try:
        await answers(url, folder / "admin.key", tasks[0])
        if not tasks[0].done():
            key = await key_of_bot(url, folder / "admin.key", folder / "bot.key", options.name or bot.stem)
            say(f"The gateway is at {url}, its data is in {folder}, and {bot} starts.")
            programs = {**environment, "SXGW_URL": url, "SXGW_KEY": key}
            line = sys.executable, "-u", str(bot), *options.arguments
            tasks.append(asyncio.create_task(keep("bot", lambda: started(*line, env=programs), (0,))))
            await asyncio.wait([stopping, *tasks], return_when=asyncio.FIRST_COMPLETED)
        if tasks[0].done():
            say(f"The gateway has ended with {tasks[0].result()}:\n{log.read_text(errors='replace')[-2000:]}")
            return tasks[0].result()
        return 0
    finally:
        # The bot is ended first, since it needs the gateway until its end.
        for task in (stopping, *reversed(tasks)):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def make_key(options: argparse.Namespace) -> int:
    """Create the profile and the key file of a bot at a gateway that runs elsewhere, such as in another container."""
    await key_of_bot(options.url, pathlib.Path(options.admin_key_file), pathlib.Path(options.file), options.name)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m simplex_gateway", description=(__doc__ or "").split(":")[0])
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run", help="start a gateway and a bot, and keep both running")
    command.add_argument("--data", help="folder of the gateway (default: the bot's path, with the ending .gateway)")
    command.add_argument("--program", help="the gateway (default: SIMPLEX_GATEWAY_PROGRAM, or simplex-gateway in PATH)")
    command.add_argument("--name", help="name of the bot's profile, made if there is none (default: that of its file)")
    command.add_argument("--port", type=int, help="port of the gateway (default: a free one)")
    command.add_argument("--local", action="store_true", help="use relays of this machine, not of the public network")
    command.add_argument("bot", help="the program of the bot")
    command.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    command.set_defaults(action=run)
    command = commands.add_parser("key", help="make a bot's profile and the file with its key on a running gateway")
    command.add_argument("--url", default="http://127.0.0.1:5225")
    command.add_argument("--admin-key-file", required=True)
    command.add_argument("--name", default="bot")
    command.add_argument("file", help="the file for the key")
    command.set_defaults(action=make_key)
    options = parser.parse_args()
    try:
        return int(asyncio.run(options.action(options)))
    except (GatewayError, OSError, TimeoutError) as error:
        say(str(error) or "The gateway does not answer.")
        return 1


if __name__ == "__main__":
    sys.exit(main())
