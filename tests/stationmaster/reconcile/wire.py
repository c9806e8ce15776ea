"""The wire to a real server, which can be cut at any write: before it arrives, after it took effect, or by a 500."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

import httpx

Cut = Literal["before", "after", "500"]


@dataclass
class Wire(httpx.AsyncBaseTransport):
    """Writes are what changes assistants and crons; the lock's threads are kept apart."""

    inner: httpx.AsyncBaseTransport
    writes: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    cut_at: int | None = None
    cut: Cut = "before"
    before_write: Callable[[httpx.Request], Awaitable[None]] | None = None
    after_write: Callable[[httpx.Request], Awaitable[None]] | None = None

    def reset(self, cut_at: int | None = None, cut: Cut = "before") -> None:
        """Count anew; the write with number `cut_at` (from 0) and all later ones are cut."""
        self.writes, self.others, self.cut_at, self.cut = [], [], cut_at, cut

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if request.method == "GET" or path.endswith(("/search", "/versions")):
            return await self.inner.handle_async_request(request)
        if path.startswith("/threads") and not path.endswith("/crons"):
            self.others.append(f"{request.method} {path}")
            return await self.inner.handle_async_request(request)
        if self.before_write is not None:
            await self.before_write(request)
        number = len(self.writes)
        self.writes.append(f"{request.method} {path}")
        if self.cut_at is None or number < self.cut_at:
            response = await self.inner.handle_async_request(request)
            if self.after_write is not None:
                await response.aread()
                await self.after_write(request)
            return response
        if self.cut == "500":
            return httpx.Response(500, json={"detail": "the disk is full"}, request=request)
        if self.cut == "after" and number == self.cut_at:
            response = await self.inner.handle_async_request(request)
            await response.aread()
            raise httpx.ReadError("the cable was pulled", request=request)
        raise httpx.ConnectError("the cable was pulled", request=request)

    async def aclose(self) -> None:
        await self.inner.aclose()
