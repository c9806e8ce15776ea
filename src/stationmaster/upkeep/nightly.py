"""Every night one of all the server processes on a database prunes it."""

import asyncio
import logging

import psycopg

from stationmaster.errors import StationmasterError
from stationmaster.upkeep.database import has_server, opened
from stationmaster.upkeep.pruning import Rule, prune
from stationmaster.upkeep.turns import Done

FIRST_LOOK_S, LOOK_S = 5.0, 300.0
logger = logging.getLogger(__name__)


async def every_night(uri: str, rule: Rule) -> None:
    """Until cancelled: look now and then whether last night's pass is still to do, and do it. Trouble is logged."""
    await asyncio.sleep(FIRST_LOOK_S)
    while True:
        try:
            await turn_of(uri, rule)
        except (StationmasterError, psycopg.Error) as error:
            logger.warning("the nightly prune failed, and comes again: %s", error)
        await asyncio.sleep(LOOK_S)


async def turn_of(uri: str, rule: Rule) -> Done | None:
    """Do the nightly pass if it is due and nobody else does it; what was done."""
    if not await has_server(uri):
        return None
    async with opened(uri) as conn:
        done = await prune(conn, rule, nightly=True)
    if done is not None:
        logger.warning(  # a server's log begins at warnings, and what was removed should be found in it
            "nightly prune: %s threads idle for %g days deleted, the history of %s trimmed, %s exported, %s bytes, "
            "%s webhooks forgotten%s",
            done.deleted, rule.days, done.trimmed, done.exported, done.bytes, done.webhooks,
            f"; {done.problem}" if done.problem else "",
        )  # fmt: skip
    return done
