"""The line between a client and its server, to be cut: a TCP proxy on loopback."""

import asyncio
import re
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tests.fakes.agent_server import free_port

STREAM = re.compile(rb"(GET|POST) /threads/\S+/stream[? ]")
END_OF_BODY = b"0\r\n\r\n"


@dataclass
class Line:
    """`cuts`: after how many bytes of its answer each of the next event streams is cut; what comes later is whole.

    With `politely` a cut ends the answer as if it were complete, as proxies do that tire of long ones. `deaf` takes
    every connection and drops it; while `through` is not set all connections stay open and let nothing through.
    """

    upstream: int
    port: int = field(default_factory=free_port)
    cuts: deque[int] = field(default_factory=deque)
    politely: bool = False
    deaf: bool = False
    through: asyncio.Event = field(default_factory=asyncio.Event)
    streams: int = 0
    """How many event streams were asked for."""
    cut_off: int = 0
    """How many of them were cut."""
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)
    _server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def hang_up(self) -> None:
        """The server is gone: connections break, and new ones are refused."""
        if self._server:
            self._server.close()
            self.cut_all()
            await self._server.wait_closed()
            self._server = None

    async def pick_up(self) -> None:
        """The server is there (again)."""
        self.through.set()
        self._server = await asyncio.start_server(self.connected, "127.0.0.1", self.port)

    def cut_all(self) -> None:
        """Every connection that is open breaks."""
        for writer in self._writers:
            writer.transport.abort()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of the client."""
        if self.deaf:
            writer.transport.abort()
            return
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.upstream)
        self._writers |= {writer, up_writer}
        budget: list[int] = []
        try:
            await asyncio.gather(
                self._requests(reader, up_writer, budget), self._answers(up_reader, writer, budget)
            )
        except ConnectionError:
            pass
        finally:
            for each in (writer, up_writer):
                each.transport.abort()
                self._writers.discard(each)

    async def _requests(
        self, reader: asyncio.StreamReader, up: asyncio.StreamWriter, budget: list[int]
    ) -> None:
        while data := await reader.read(65536):
            if STREAM.match(data):
                self.streams += 1
                budget[:] = [self.cuts.popleft()] if self.cuts else []
            up.write(data)
        up.transport.abort()

    async def _answers(
        self, up: asyncio.StreamReader, writer: asyncio.StreamWriter, budget: list[int]
    ) -> None:
        while data := await up.read(65536):
            await self.through.wait()
            if budget:
                if len(data) >= budget[0] and (not self.politely or data.endswith(b"\r\n")):
                    self.cut_off += 1
                    writer.write(data + END_OF_BODY if self.politely else data[: budget[0]])
                    await writer.drain()
                    break
                budget[0] = max(budget[0] - len(data), 0)
            writer.write(data)
            await writer.drain()
        if writer.transport.get_write_buffer_size() == 0:
            writer.close()  # what was written arrives first
        raise ConnectionResetError


@asynccontextmanager
async def line(url: str) -> AsyncIterator[Line]:
    """A line to the server at `url`, for as long as the block lasts."""
    made = Line(upstream=urlsplit(url).port or 80)
    await made.pick_up()
    try:
        yield made
    finally:
        await made.hang_up()
