"""The crons' gate in the server process: on the agents' database, with this server as its own client."""

from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from langgraph_sdk import Auth, get_client

from agents.shared import database
from agents.shared.errors import TransientError
from stationmaster.crons.admission import Gate
from stationmaster.crons.errors import HistoryAway, SlotRefused
from stationmaster.crons.server import CronServer
from stationmaster.reviews.database import Connection
from stationmaster.server import scheduler_log
from stationmaster.server.origin import in_request


async def admit_slot(run: MutableMapping[str, Any], caller: str) -> None:
    """Decide and note a run that is a cron's, and let all others pass; 409 where it must not be made.

    In the stock scheduler a refusal is a line in the log: the cron's next date is set and the other crons go on.
    """
    asked = in_request()
    try:
        await _gate().admit(run, in_request=asked, caller=caller)
    except SlotRefused as refusal:
        if not asked:
            scheduler_log.say_instead(str(refusal))
        raise Auth.exceptions.HTTPException(status_code=409, detail=str(refusal)) from None


@cache
def _gate() -> Gate:
    scheduler_log.install()
    return Gate(CronServer(get_client(url=None, api_key=None), "this server"), _connections)


@asynccontextmanager
async def _connections() -> AsyncIterator[Connection]:
    """One transaction; HistoryAway while the database is away."""
    try:
        async with database.connection() as conn:
            yield conn
    except TransientError as error:
        raise HistoryAway(f"the database is away ({error}): the history goes on when it is back") from error
