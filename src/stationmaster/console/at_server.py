"""The Agent Server as pages and API ask it: the ways to it, patience with it, and what its refusals are in HTTP."""

import asyncio
import time
from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

from stationmaster.assistants.editing import HeldByFile
from stationmaster.assistants.errors import (
    AssistantsError,
    CanaryRuns,
    KeptOtherwise,
    NoCanary,
    NoSuchAssistant,
    NothingToDo,
    NotOurs,
)
from stationmaster.assistants.overlay import Unfit
from stationmaster.assistants.routes import BadSpec
from stationmaster.console.services import Services
from stationmaster.crons.desk import CronDesk
from stationmaster.crons.errors import BadMoment, CronError, HistoryAway, NoSuchCron, SlotRefused
from stationmaster.crons.server import CronServer
from stationmaster.crons.worker import pooled
from stationmaster.errors import StationmasterError
from stationmaster.reconcile.errors import Conflict, Missing, ReconcileError, ServerUnavailable
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reviews.errors import AgentServerUnavailable

SCHEMAS_KEPT_S = 60.0
"""A graph's schema changes with a deploy: looked at again after this long."""
LISTENS_S = 1.0
AWAY_S = 3.0
REFUSALS: tuple[tuple[type[StationmasterError], int, str], ...] = (
    (NoSuchAssistant, 404, "no_such_assistant"), (NoSuchCron, 404, "no_such_cron"), (NoCanary, 404, "no_canary"),
    (Missing, 404, "not_on_the_server"), (ServerUnavailable, 503, "server_away"),
    (AgentServerUnavailable, 503, "server_away"), (HistoryAway, 503, "database_away"), (NotOurs, 403, "not_ours"),
    (Conflict, 409, "conflict"), (HeldByFile, 409, "held_by_file"), (NothingToDo, 409, "nothing_to_do"),
    (CanaryRuns, 409, "canary_runs"), (Unfit, 409, "unfit"), (SlotRefused, 409, "slot_refused"),
    (KeptOtherwise, 502, "kept_otherwise"), (BadSpec, 422, "bad_request"), (AssistantsError, 409, "refused"),
    (BadMoment, 422, "bad_request"), (CronError, 409, "refused"), (ReconcileError, 502, "server_refused"),
)  # fmt: skip
"""The first that fits: its status, and a code that never changes."""
_kept: dict[str, tuple[float, dict[str, Mapping[str, Any]]]] = {}
Result = TypeVar("Result")


def gateway(at_hand: Services) -> Gateway:
    """The server's assistants and crons; what graphs say of themselves is kept for a minute."""
    server = at_hand.server
    until, schemas = _kept.get(server.url, (0.0, {}))
    if until < time.monotonic():
        schemas = {}
        _kept[server.url] = (time.monotonic() + SCHEMAS_KEPT_S, schemas)
    return Gateway(server.client, server.url, schemas)


def cron_desk(at_hand: Services) -> CronDesk:
    """What the crons' room needs: the server and the history."""
    return CronDesk(CronServer(at_hand.server.client, at_hand.server.url), pooled(at_hand.pool))


async def in_time(at_hand: Services, work: Awaitable[Result]) -> Result:
    """The SDK tries a connection for eight seconds before it says that there is none: nobody looks at a white page for
    so long. A connection that fails is a hint only, since there may be a proxy between."""
    url = at_hand.server.url
    if await _listens(url):
        return await work
    try:
        async with asyncio.timeout(AWAY_S):
            return await work
    except TimeoutError:
        raise ServerUnavailable(
            f"{url} does not answer: start it with `stationmaster up`, then look again"
        ) from None


def refusal_of(error: StationmasterError) -> tuple[int, str] | None:
    """HTTP's word for what these rooms refuse, and its code; None for what is none of it."""
    return next(((status, code) for kind, status, code in REFUSALS if isinstance(error, kind)), None)


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
