"""The composition root of the console process: database, workers, API, pages, webhook receiver, one app."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from stationmaster.console import api, sign_in
from stationmaster.console.changes import Changes
from stationmaster.console.errors import Page, handlers
from stationmaster.console.headers import SecurityHeaders, SizeLimit
from stationmaster.console.json import JSONResponse
from stationmaster.console.services import Services, services
from stationmaster.console.session import SameSiteOnly
from stationmaster.postgres import ensure
from stationmaster.reviews.access.oidc import provider_from
from stationmaster.reviews.database import open_pool
from stationmaster.reviews.errors import ReviewError
from stationmaster.reviews.lifecycle import run_workers
from stationmaster.settings import Settings
from starlette.exceptions import HTTPException

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
        async with open_pool(uri) as pool, changes.listening(uri):
            made = Services(settings, pool, changes, provider)
            async with _running(made) if workers else contextlib.nullcontext():
                yield {"services": made}

    answers = handlers(_page())
    refuse = answers[ReviewError], answers[HTTPException]
    app = Starlette(
        routes=_routes(), lifespan=lifespan, exception_handlers=dict(answers),
        middleware=[
            Middleware(SecurityHeaders, https=(settings.public_url or "").startswith("https://")),
            Middleware(SizeLimit, refuse=refuse[1]),
            Middleware(SameSiteOnly, refuse=refuse[0]),
        ],
    )  # fmt: skip
    app.state.changes = changes
    return app


def _routes() -> Sequence[BaseRoute]:
    return [
        Route("/healthz", healthz),
        *sign_in.routes(),
        Mount("/api/v1", api.app(handlers())),
    ]


def _page() -> Page | None:
    return None


async def healthz(request: Request) -> Response:
    """200 when the database answers and the workers run: only then does an answer reach its graph."""
    at_hand = services(request)
    problems: dict[str, str] = {}
    try:
        async with asyncio.timeout(HEALTH_S), at_hand.pool.connection() as conn:
            await conn.execute("SELECT 1")
    except (TimeoutError, *DATABASE_AWAY) as error:
        problems["database"] = type(error).__name__
    if at_hand.workers is not None and at_hand.workers.done():
        problems["workers"] = "ended"
    return JSONResponse({"ok": not problems, **problems}, 503 if problems else 200)
