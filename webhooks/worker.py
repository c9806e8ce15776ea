"""Works on what the receiver kept. A delivery is a hint: the thread is read, whatever the body said."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from stationmaster.errors import StationmasterError
from stationmaster.postgres.queries import load
from stationmaster.reviews.database import Pool
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.errors import AgentServerUnavailable
from stationmaster.reviews.model import Gone
from stationmaster.reviews.observe import Observed, observe
from webhooks.waking import woken

LOG = logging.getLogger(__name__)
QUERIES = load(Path(__file__).with_name("deliveries.sql"))
CLAIM, FINISH, POSTPONE = QUERIES["claim"], QUERIES["finish"], QUERIES["postpone"]
HOLD, GIVE_UP, FORGET = QUERIES["hold"], QUERIES["give_up"], QUERIES["forget"]
FORGET_CANARIES = QUERIES["forget_canaries"]

CHANNEL = "webhooks"
BATCH, AT_ONCE = 200, 8
# A look ends before the claim does. One that is claimed again all the same finds nothing left to change.
LOOK_S, LEASE_S = 45.0, 60.0
TRIES, FIRST_PAUSE_S, LONGEST_PAUSE_S = 8, 1.0, 60.0
AWAY_PAUSE_S = 5.0
# NOTIFY may be lost: the clock is what guarantees.
POLL_S = 2.0
FORGET_EVERY_S = 3600.0
DONE_DAYS, BAD_DAYS, CANARY_DAYS = 7, 30, 180

DatabaseAway = (psycopg.OperationalError, PoolTimeout, PoolClosed)


@dataclass(frozen=True)
class Claimed:
    """What several deliveries of one thread ask for together: one look at it."""

    thread_id: str
    delivery_ids: tuple[int, ...]
    run_ids: frozenset[str]
    tries: int


async def run(desk: Desk, stop: asyncio.Event) -> None:
    """Work until `stop` is set; what is under way then is brought to its end."""
    loop = asyncio.get_running_loop()
    forget_at = loop.time()
    async with woken(desk.pool, CHANNEL, stop) as wake:
        while not stop.is_set():
            wake.clear()
            try:
                if await work_due(desk):
                    continue
                if loop.time() >= forget_at:
                    await forget(desk.pool)
                    forget_at = loop.time() + FORGET_EVERY_S
            except* DatabaseAway as errors:
                LOG.warning("webhooks wait for the database: %s", errors.exceptions[0])
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await wake.wait()


async def work_due(desk: Desk) -> int:
    """Have the thread of every due delivery looked at, once each; how many deliveries that were.

    Safe in several processes at once. Raises, as a group, when the database is away: the claims then run out by
    the clock.
    """
    claimed = await claim(desk.pool)
    waiting = list(reversed(claimed))
    async with asyncio.TaskGroup() as group:
        for _ in range(min(AT_ONCE, len(claimed))):
            group.create_task(_work_off(desk, waiting))
    return sum(len(each.delivery_ids) for each in claimed)


async def forget(pool: Pool) -> None:
    """Drop deliveries of long ago; their reviews stay."""
    async with pool.connection() as conn:
        await conn.execute(FORGET, {"done_days": DONE_DAYS, "bad_days": BAD_DAYS})
        await conn.execute(FORGET_CANARIES, {"days": CANARY_DAYS})


async def claim(pool: Pool) -> list[Claimed]:
    """Take what is due, put together by thread."""
    async with pool.connection() as conn:
        rows = await (await conn.execute(CLAIM, {"amount": BATCH, "lease_s": LEASE_S})).fetchall()
    by_thread: dict[str, list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: row["delivery_id"]):
        by_thread.setdefault(row["thread_id"], []).append(row)
    return [_together(thread_id, rows) for thread_id, rows in by_thread.items()]


def _together(thread_id: str, rows: Sequence[Mapping[str, Any]]) -> Claimed:
    return Claimed(
        thread_id,
        tuple(row["delivery_id"] for row in rows),
        frozenset(row["run_id"] for row in rows if row["run_id"]),
        max(row["tries"] for row in rows),
    )


async def _work_off(desk: Desk, waiting: list[Claimed]) -> None:
    """Take from `waiting` until nothing is left. Once the Agent Server is away it is not asked for each of them:
    to find that out takes seconds."""
    while waiting:
        outcome = await _settle(desk, waiting.pop())
        if isinstance(outcome, AgentServerUnavailable) and waiting:
            rest = [delivery_id for each in waiting for delivery_id in each.delivery_ids]
            waiting.clear()
            await _write(desk.pool, HOLD, rest, _held(outcome))


async def _settle(desk: Desk, claimed: Claimed) -> Observed | Exception:
    """One look. Whatever goes wrong with it is written on its deliveries, so that it stops nobody else's."""
    looking = asyncio.wait_for(observe(desk, claimed.thread_id, "hook"), LOOK_S)
    (outcome,) = await asyncio.gather(looking, return_exceptions=True)
    if isinstance(outcome, Observed):
        query, parameters = _seen(outcome, claimed)
    elif isinstance(outcome, Exception):
        query, parameters = _failed(outcome, claimed)
    else:
        raise outcome
    await _write(desk.pool, query, claimed.delivery_ids, parameters)
    return outcome


async def _write(pool: Pool, query: Any, delivery_ids: Sequence[int], parameters: Mapping[str, Any]) -> None:
    async with pool.connection() as conn:
        await conn.execute(query, {"delivery_ids": list(delivery_ids), **parameters})


def _seen(observed: Observed, claimed: Claimed) -> tuple[Any, dict[str, Any]]:
    """Done, unless a run that is said to have ended still moves the thread: then the look came too early."""
    seen = observed.seen
    early = not isinstance(seen, Gone) and any(
        run.active and run.run_id in claimed.run_ids for run in seen.runs
    )
    if early and claimed.tries < TRIES:
        return POSTPONE, _paused("its run had not ended when the thread was looked at")
    return FINISH, {}


def _failed(error: Exception, claimed: Claimed) -> tuple[Any, dict[str, Any]]:
    """Held while the Agent Server or the database is away, which is not its fault; else tried again, TRIES times."""
    if isinstance(error, (AgentServerUnavailable, *DatabaseAway)):
        return HOLD, _held(error)
    LOG.error("a webhook could not be worked on, thread %s", claimed.thread_id, exc_info=error)
    if claimed.tries >= TRIES:
        return GIVE_UP, {"error": _reason(error)}
    return POSTPONE, _paused(_reason(error))


def _held(error: Exception) -> dict[str, Any]:
    return {"error": _reason(error), "pause_s": AWAY_PAUSE_S}


def _paused(reason: str) -> dict[str, Any]:
    return {"error": reason, "base_s": FIRST_PAUSE_S, "cap_s": LONGEST_PAUSE_S}


def _reason(error: Exception) -> str:
    """In words that a text column takes: no NUL, no lone surrogate, no novel."""
    said = str(error) if isinstance(error, StationmasterError) else f"{type(error).__name__}: {error}"
    return said.replace("\0", " ").encode("utf-8", "replace").decode()[:1000]
