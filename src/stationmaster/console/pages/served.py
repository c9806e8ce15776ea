"""What pages about the Agent Server share: the ways to ask it, and how they say that it is away or refused."""

import asyncio
import time
from collections.abc import Mapping
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.assistants.errors import AssistantsError, NoSuchAssistant, NotOurs
from stationmaster.console.pages.people import Endpoint, View, signed_in
from stationmaster.console.pages.render import page
from stationmaster.console.services import services
from stationmaster.crons.desk import CronDesk
from stationmaster.crons.errors import CronError, HistoryAway, NoSuchCron
from stationmaster.crons.server import CronServer
from stationmaster.crons.worker import pooled
from stationmaster.errors import StationmasterError
from stationmaster.reconcile.errors import Conflict, Missing, ReconcileError, ServerUnavailable
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.errors import AgentServerUnavailable, ReviewError

SCHEMAS_KEPT_S = 60.0
"""A graph's schema changes with a deploy: looked at again after this long."""
LISTENS_S = 1.0
AWAY_S = 3.0
_kept: dict[str, tuple[float, dict[str, Mapping[str, Any]]]] = {}


def gateway(request: Request) -> Gateway:
    """The server's assistants and crons; what graphs say of themselves is kept for a minute."""
    server = services(request).server
    until, schemas = _kept.get(server.url, (0.0, {}))
    if until < time.monotonic():
        schemas = {}
        _kept[server.url] = (time.monotonic() + SCHEMAS_KEPT_S, schemas)
    return Gateway(server.client, server.url, schemas)


def cron_desk(request: Request) -> CronDesk:
    """What the crons' room needs: the server and the history."""
    at_hand = services(request)
    return CronDesk(CronServer(at_hand.server.client, at_hand.server.url), pooled(at_hand.pool))


def served(view: View) -> Endpoint:
    """An endpoint for those who are signed in; a server that is away, or has no such thing, is told as such."""

    @wraps(view)
    async def told(request: Request, viewer: Identity) -> Response:
        try:
            return await _in_time(view, request, viewer)
        except ReviewError:
            raise
        except StationmasterError as error:
            status = status_of(error)
            if status is None:
                raise
            return page(
                request, "failure.html", viewer, status=status, head=_head(status), detail=str(error).rstrip("."),
                code=status,
            )  # fmt: skip

    return signed_in(told)


async def _in_time(view: View, request: Request, viewer: Identity) -> Response:
    """The SDK tries a connection for eight seconds before it says that there is none: nobody looks at a white page for
    so long. A connection that fails is a hint only, since there may be a proxy between."""
    server = services(request).server
    if await _listens(server.url):
        return await view(request, viewer)
    try:
        async with asyncio.timeout(AWAY_S):
            return await view(request, viewer)
    except TimeoutError:
        raise ServerUnavailable(
            f"{server.url} does not answer: start it with `stationmaster up`, then look again"
        ) from None


async def _listens(url: str) -> bool:
    parts = urlsplit(url)
    try:
        async with asyncio.timeout(LISTENS_S):
            _, writer = await asyncio.open_connection(
                parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
            )
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


def status_of(error: StationmasterError) -> int | None:
    """HTTP's word for what these rooms refuse; None for what is none of it."""
    match error:
        case NoSuchAssistant() | NoSuchCron() | Missing():
            return 404
        case ServerUnavailable() | AgentServerUnavailable() | HistoryAway():
            return 503
        case NotOurs():
            return 403
        case Conflict() | AssistantsError() | CronError():
            return 409
        case ReconcileError():
            return 502
        case _:
            return None


def sentence(error: StationmasterError, name: str = "") -> str:
    """A message as a sentence of a page; one that begins with this name keeps it as it is written."""
    text = str(error).rstrip(".")
    return f"{text}." if name and text.startswith(name) else f"{text[:1].upper()}{text[1:]}."


def _head(status: int) -> str:
    heads = {404: "Not here", 403: "Not changed here", 409: "That did not work", 502: "The server refused"}
    return heads.get(status, "The Agent Server does not answer")
