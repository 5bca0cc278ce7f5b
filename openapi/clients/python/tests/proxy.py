"""A connection to the gateway that breaks after a number of bytes."""

import asyncio
from types import TracebackType


class BreakingLine:
    """A TCP proxy. Each of the first `breaks` connections ends after `limit` bytes in one direction."""

    def __init__(self, port: int, limit: int, breaks: int) -> None:
        self.port = port
        self.limit = limit
        self.breaks = breaks
        self.server: asyncio.Server | None = None
        self.tasks = set[asyncio.Task[None]]()

    async def __aenter__(self) -> str:
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.server:
            self.server.close()
        await asyncio.wait_for(asyncio.gather(*self.tasks, return_exceptions=True), 120)

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.tasks.add(asyncio.create_task(self.serve(reader, writer)))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self.port)

        async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            count = 0
            while data := await source.read(65536):
                count += len(data)
                if count > self.limit and self.breaks > 0:
                    self.breaks -= 1
                    break
                target.write(data)
                await target.drain()

        tasks = [asyncio.create_task(copy(reader, back)), asyncio.create_task(copy(there, writer))]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for one in (back, writer):
            one.close()
            await asyncio.gather(one.wait_closed(), return_exceptions=True)
