"""A real HTTP receiver on loopback that behaves, and misbehaves, as a test says: request by request."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal

Behaviour = int | Literal["hang", "cut", "endless", "dribble"]


@dataclass(frozen=True)
class Request:
    """What came in; header names in lower case."""

    path: str
    headers: dict[str, str]
    body: str


@dataclass
class Receiver:
    """`script` says what is done with the next requests; when it is used up, they are accepted."""

    port: int = 0
    script: deque[Behaviour] = field(default_factory=deque)
    requests: list[Request] = field(default_factory=list)
    arrived: asyncio.Queue[Request] = field(default_factory=asyncio.Queue)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                request = await self._read(reader)
                self.requests.append(request)
                self.arrived.put_nowait(request)
                await self._answer(self.script.popleft() if self.script else 204, writer)
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Request:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head[1:] if line)
        }
        body = await reader.readexactly(int(headers["content-length"]))
        return Request(head[0].split()[1], headers, body.decode())

    async def _answer(self, behaviour: Behaviour, writer: asyncio.StreamWriter) -> None:
        match behaviour:
            case "hang":
                await asyncio.Event().wait()
            case "cut":
                writer.write(b"HTTP/1.1 20")
            case "endless":
                writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
                while True:
                    writer.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
                    await writer.drain()
            case "dribble":
                writer.write(b"HTTP/1.1 200 OK\r\n")
                while True:
                    writer.write(b"x-more: of it\r\n")
                    await writer.drain()
                    await asyncio.sleep(0.05)
            case status:
                location = f"location: {self.url}/elsewhere\r\n" if 300 <= status < 400 else ""
                writer.write(f"HTTP/1.1 {status} X\r\n{location}content-length: 0\r\n\r\n".encode())


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    tasks = set[asyncio.Task[None]]()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(receiver.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
