"""The receiver behind a real socket, on a real database: what a sender sees, and what is kept."""

import asyncio
import json
import socket
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import uvicorn
from standardwebhooks import Webhook
from starlette.applications import Starlette
from starlette.types import ASGIApp

from stationmaster.reviews.database import Pool, open_pool
from stationmaster.settings import Settings
from webhooks import receiver

SECRET = "a-secret-of-the-tests"
WHSEC = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OLDER = "the-secret-before-that"


def hook(thread_id: str | None = None, **more: Any) -> bytes:
    """A body as the stock server sends it."""
    return json.dumps({"thread_id": thread_id or str(uuid.uuid4()), "status": "success", **more}).encode()


def signed(
    body: bytes, secret: str = WHSEC, *, message_id: str = "msg_1", ago: timedelta = timedelta()
) -> dict[str, str]:
    """The headers of a Standard Webhooks delivery, made by the library that senders use."""
    at = datetime.now(UTC) - ago
    key = Webhook(secret if secret.startswith("whsec_") else secret.encode())
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": key.sign(message_id, at, body.decode()),
    }


def bearer(secret: str = SECRET) -> dict[str, str]:
    return {"authorization": f"Bearer {secret}"}


async def until(true: Callable[[], Awaitable[bool]], timeout_s: float = 30) -> None:
    """Return once it is so; TimeoutError if it never is."""
    async with asyncio.timeout(timeout_s):
        while not await true():  # noqa: ASYNC110 - what is waited for is elsewhere: a row, an answer
            await asyncio.sleep(0.05)


@asynccontextmanager
async def serving(app: ASGIApp, port: int = 0) -> AsyncIterator[int]:
    """The app on this or a free port of this machine, in this loop; the port."""
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", port))
        config = uvicorn.Config(app, log_level="warning", lifespan="off", ws="none", access_log=False)
        server = uvicorn.Server(config)
        served = asyncio.create_task(server.serve(sockets=[sock]))
        try:
            yield sock.getsockname()[1]
        finally:
            server.should_exit = True
            await served


@dataclass
class Reception:
    """A running receiver."""

    port: int
    pool: Pool
    http: httpx.AsyncClient

    async def post(self, body: bytes, headers: dict[str, str] | None = None) -> httpx.Response:
        return await self.http.post(receiver.PATH, content=body, headers=headers or {})

    async def rows(self) -> list[dict[str, Any]]:
        """All deliveries, oldest first."""
        async with self.pool.connection() as conn:
            return await (
                await conn.execute("select * from webhooks.deliveries order by delivery_id")
            ).fetchall()

    async def refusals(self, expected: int) -> dict[str, int]:
        """The counts by reason, once they are `expected` altogether: they are written a moment later."""
        counts: dict[str, int] = {}

        async def written() -> bool:
            async with self.pool.connection() as conn:
                rows = await (await conn.execute("select reason, n from webhooks.refusals")).fetchall()
            counts.update({row["reason"]: row["n"] for row in rows})
            return sum(counts.values()) >= expected

        await until(written)
        return counts


def settings(*, secret: str | None = SECRET, more: tuple[str, ...] = (WHSEC, OLDER)) -> Settings:
    return Settings.model_validate({"webhook_secret": secret, "webhook_secrets": ",".join(more)})


def app(pool: Pool, given: Settings) -> Starlette:
    return Starlette(routes=receiver.routes(given, lambda _: pool))


@asynccontextmanager
async def reception(database: str, given: Settings) -> AsyncIterator[Reception]:
    async with (
        open_pool(database) as pool,
        serving(app(pool, given)) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False) as http,
    ):
        yield Reception(port, pool, http)
