"""Programs that are killed and started again, the clocks of the programs, and the connections between them."""

import asyncio
import datetime
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Unanswered(Exception):
    """Error of a request without an answer. The request may have been executed."""


def until(condition, what, seconds, pause=0.2):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if value := condition():
                return value
        except (OSError, Unanswered):
            pass
        time.sleep(pause)
    raise TimeoutError(f"Not in {seconds} seconds: {what}")


class Clock:
    """The wall clock of one program, moved by a library that is preloaded (clock.c)."""

    library = None

    @classmethod
    def prepare(cls, folder):
        """Compiles the library. Without a compiler, the clocks are never changed."""
        library, source = folder / "clock.so", pathlib.Path(__file__).with_name("clock.c")
        for compiler in ("cc", "clang"):
            if shutil.which(compiler):
                subprocess.run(
                    [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-o", library, source, "-ldl"], check=True
                )
                cls.library = library
                return

    def __init__(self, file):
        self.file = file
        self.jump(struct.unpack("=q", file.read_bytes())[0] if file.exists() else 0)

    def jump(self, seconds):
        """Sets the difference, in seconds, to the true time."""
        # The file is written in place, since the program has mapped it.
        with open(self.file, "r+b" if self.file.exists() else "w+b") as file:
            file.write(struct.pack("=q", seconds))
        self.offset = seconds

    def environment(self):
        return {"LD_PRELOAD": str(self.library), "SOAK_CLOCK": str(self.file)}


class Program:
    """A process that can be killed and started again."""

    def __init__(self, name, folder, command, clock=False):
        self.name, self.command, self.folder = name, command, folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.clock = Clock(folder / f"{name}.clock") if clock and Clock.library else None
        self.process, self.starts, self.started = None, 0, ""
        self.lock = threading.RLock()

    @property
    def log(self):
        return self.folder / f"{self.name}.log"

    def start(self):
        with self.lock, open(self.log, "a") as log:
            self.starts += 1
            self.started = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S")
            environment = {**os.environ, **(self.clock.environment() if self.clock else {})}
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
            )

    def kill(self, sign=signal.SIGKILL):
        with self.lock:
            process, self.process = self.process, None
            process.send_signal(sign)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def died(self):
        """Returns the exit status of a process that has ended by itself; otherwise nothing."""
        with self.lock:
            return self.process and self.process.poll()

    def figures(self):
        """Returns the resident bytes, the open files and the threads; nothing if the process has ended."""
        try:
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
            files = len(os.listdir(f"/proc/{self.process.pid}/fd"))
            return (
                int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024,
                files,
                int(re.search(r"Threads:\s+(\d+)", status)[1]),
            )
        except (OSError, TypeError, AttributeError):
            return None


class Line:
    """A connection between programs and a relay, which the test can cut or keep silent."""

    def __init__(self, loop, port=None, target=None):
        self.loop, self.port, self.target = loop, port or free_port(), target or free_port()
        self.writers, self.open, self.flows = set(), True, asyncio.Event()
        self.flows.set()
        asyncio.run_coroutine_threadsafe(self.serve(), loop).result()

    async def serve(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", self.port)

    async def accept(self, reader, writer):
        if not self.open:
            return writer.close()
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return writer.close()
        self.writers |= {writer, far_writer}
        await asyncio.gather(self.copy(reader, far_writer), self.copy(far_reader, writer))
        self.writers -= {writer, far_writer}

    async def copy(self, reader, writer):
        try:
            while data := await reader.read(65536):
                await self.flows.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    def cut(self, seconds):
        def close():
            self.open = False
            for writer in list(self.writers):
                writer.transport.abort()

        self.loop.call_soon_threadsafe(close)
        time.sleep(seconds)
        # This call runs on the event loop after the cut, because the loop runs calls in order.
        self.loop.call_soon_threadsafe(lambda: setattr(self, "open", True))

    def silence(self, seconds):
        self.loop.call_soon_threadsafe(self.flows.clear)
        time.sleep(seconds)
        self.loop.call_soon_threadsafe(self.flows.set)
