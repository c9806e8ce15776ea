"""POST requests at a steady rate over kept connections, written to the socket: a client that costs next to nothing."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

Seconds = float
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
CONNECTIONS = 64


@dataclass(frozen=True)
class Post:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes

    def encoded(self) -> bytes:
        headers = {**self.headers, "host": "127.0.0.1", "content-length": str(len(self.body))}
        lines = [f"POST {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode() + self.body


async def send(port: int, posts: Sequence[Post], *, rate: float) -> tuple[list[Seconds], int]:
    """The latencies in order, and how many were answered by anything but 204 No Content.

    The load is open: a request is due when its time has come, whether those before are answered or not, and its
    latency counts from then, the wait for a free connection included.
    """
    ready = [post.encoded() for post in posts]
    free: asyncio.Queue[Connection] = asyncio.Queue()
    async with AsyncExitStack() as stack:
        for _ in range(CONNECTIONS):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            stack.callback(writer.close)
            free.put_nowait((reader, writer))
        start = time.perf_counter() + 0.1

        async def one(number: int) -> tuple[Seconds, bool]:
            due = start + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            reader, writer = await free.get()
            writer.write(ready[number])
            head = await reader.readuntil(b"\r\n\r\n")
            free.put_nowait((reader, writer))
            return time.perf_counter() - due, head.startswith(b"HTTP/1.1 204 ")

        answers = await asyncio.gather(*(one(number) for number in range(len(ready))))
    return [took for took, _ in answers], sum(not taken for _, taken in answers)
