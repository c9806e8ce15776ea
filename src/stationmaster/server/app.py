"""Composition root of the server process, named in langgraph.json: database, payments, guards of HTTP."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from agents.shared import database, payments
from agents.shared.prices import price_of
from agents.shared.retrieval.sources import folder, web
from agents.sql_operator import access as sql_access
from agents.treasury import bank
from stationmaster.errors import StationmasterError
from stationmaster.postgres import ensure
from stationmaster.postgres.errors import DatabaseUnreachable
from stationmaster.server.about import ROUTES
from stationmaster.server.admission import Policy
from stationmaster.server.hardening import Admission, ClosedPaths
from stationmaster.server.origin import Requests
from stationmaster.server.policy import policy_from, server_settings
from stationmaster.settings import Settings
from stationmaster.tracing import starting as tracing

# What a browser's SDK reads of the stock server's answers.
EXPOSED_HEADERS = ("x-pagination-total", "x-pagination-next", "content-location")


def create_app(settings: Settings) -> Starlette:
    """The app that the stock server merges with its own; our middleware then runs outermost."""
    # The stock lifespan starts the run queue before ours: a run may ask for the database first. So the
    # agents get a function to await, not a URI.
    database.configure(partial(ensure, settings), unreachable=DatabaseUnreachable)
    reader, writer = settings.sql_reader_uri, settings.sql_writer_uri
    sql_access.configure(
        reader=reader.get_secret_value() if reader else None,
        writer=writer.get_secret_value() if writer else None,
        own_server=settings.database_uri is None,
    )
    if settings.payments_url:
        key = settings.payments_key.get_secret_value() if settings.payments_key else ""
        payments.configure(payments.HttpProvider(settings.payments_url, key))
        bank.configure(bank.HttpBank(settings.payments_url, key))
    tracing.start(settings, price_of)
    folder.configure(settings.research_root)
    if settings.web_search_key:
        web.configure(web.WebSearch(settings.web_search_url, settings.web_search_key.get_secret_value()))
    guards = _middleware(policy_from(settings))
    return Starlette(routes=ROUTES, lifespan=_lifespan(settings), middleware=guards)


def _middleware(policy: Policy) -> list[Middleware]:
    """CORS stands before admission, so that a refused page can read why; langgraph.json allows no origin."""
    cors = Middleware(
        CORSMiddleware,
        allow_origins=sorted(policy.origins),
        allow_methods=["*"],
        allow_headers=["*"],
        allow_credentials=True,
        expose_headers=EXPOSED_HEADERS,
        # A public page (Studio) calls a loopback address: browsers ask for leave first.
        allow_private_network=bool(policy.origins),
    )
    return [Middleware(Requests), Middleware(ClosedPaths), cors, Middleware(Admission, policy=policy)]


def _lifespan(settings: Settings) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    """Ready, and so `/ok`, only once the database answers; pools are closed at the end."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        try:
            await ensure(settings)
        except StationmasterError as error:
            # The server prints a traceback of its own; this is the line to read.
            sys.stderr.write(f"error: {error}\n")
            raise
        try:
            yield
        finally:
            # Runs may still be at work for a few seconds: for them the pool opens again. The embedded server
            # is not released here, for the same reason; it stops by itself once the process is gone.
            await database.close()
            await asyncio.to_thread(tracing.ending)

    return lifespan


app = create_app(server_settings())
