"""The composition root of the console process: database, workers, API, pages, webhook receiver, one app."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from functools import cache, partial
from typing import Any

import psycopg
from fastapi import FastAPI
from psycopg_pool import PoolClosed, PoolTimeout
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from stationmaster.console import acting, api, pages, sign_in
from stationmaster.console.changes import Changes
from stationmaster.console.errors import Failures
from stationmaster.console.headers import SecurityHeaders, SizeLimit
from stationmaster.console.json import JSONResponse
from stationmaster.console.services import Services, services
from stationmaster.console.session import SameSiteOnly
from stationmaster.crons import worker as crons_worker
from stationmaster.postgres import ensure
from stationmaster.reviews.access.oidc import provider_from
from stationmaster.reviews.agent_server import connect
from stationmaster.reviews.database import open_pool
from stationmaster.reviews.lifecycle import run_workers, target
from stationmaster.reviews.supervising import keep
from stationmaster.settings import Settings
from webhooks import receiver, worker

HEALTH_S = 2.0
STOP_WORKERS_S = 10.0


def create_app(settings: Settings, *, workers: bool = True) -> Starlette:
    """The app of one console process; several may run on one database.

    `app.state.changes.close()` ends the event streams: whoever runs the HTTP server calls it at the signal,
    since the server waits for open streams before the lifespan ends. `workers` False serves only.
    """
    changes = Changes()
    provider = provider_from(settings)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[dict[str, Any]]:
        uri = await ensure(settings)
        async with (
            open_pool(uri) as pool,
            connect(*target(settings)) as server,
            changes.listening(uri),
        ):
            made = Services(settings, pool, changes, server, provider)
            async with _working(made) if workers else contextlib.nullcontext():
                yield {"services": made}

    failures = Failures(pages.failure)
    app = Starlette(
        routes=_routes(settings), lifespan=lifespan, exception_handlers=dict(failures.handlers()),
        middleware=[
            Middleware(SecurityHeaders, https=(settings.public_url or "").startswith("https://")),
            Middleware(SizeLimit, refuse=failures.http),
            Middleware(SameSiteOnly, refuse=failures.refused),
        ],
    )  # fmt: skip
    app.state.changes = changes
    return app


@contextlib.asynccontextmanager
async def _working(at_hand: Services) -> AsyncIterator[None]:
    """The review service's loops, for as long as the block lasts; then they get a while to put down what they hold."""
    stop = asyncio.Event()
    also = {"webhooks": worker.run, "crons": crons_worker.run}
    run = partial(run_workers, at_hand.settings, stop, also=also, health=at_hand.health)
    at_hand.workers = asyncio.create_task(keep("workers", run, stop, at_hand.health), name="workers")
    try:
        yield
    finally:
        stop.set()
        _, late = await asyncio.wait([at_hand.workers], timeout=STOP_WORKERS_S)
        for task in late:
            task.cancel()
        await asyncio.wait([at_hand.workers])


def _routes(settings: Settings) -> Sequence[BaseRoute]:
    return [
        Route("/healthz", healthz),
        *sign_in.routes(),
        *acting.routes(),
        Mount("/api/v1", _api()),
        *receiver.routes(settings, lambda request: services(request).pool),
        *pages.routes(),
    ]


@cache
def _api() -> FastAPI:
    """One a process: FastAPI needs a tenth of a second to read fifty functions, and none of it is one console's own."""
    return api.app(Failures().handlers())


async def healthz(request: Request) -> Response:
    """200 when the database answers and every loop runs: only then does an answer reach its graph."""
    at_hand = services(request)
    problems: dict[str, Any] = {}
    try:
        async with asyncio.timeout(HEALTH_S), at_hand.pool.connection() as conn:
            await conn.execute("SELECT 1")
    except (TimeoutError, PoolTimeout, PoolClosed, psycopg.OperationalError) as error:
        problems["database"] = type(error).__name__
    if at_hand.workers is not None and at_hand.workers.done():
        problems["workers"] = "ended"
    elif down := at_hand.health.down:
        problems["workers"] = dict.fromkeys(down, "failed, and starts again")
    return JSONResponse({"ok": not problems, **problems}, 503 if problems else 200)
