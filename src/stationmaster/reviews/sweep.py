"""Finds what no webhook told us: threads that changed since a watermark, and those that still have a review."""

import asyncio
import logging
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from stationmaster.postgres.queries import load
from stationmaster.reviews.agent_server import ThreadMissing
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.errors import AgentServerRefused, AgentServerUnavailable
from stationmaster.reviews.observe import observe
from stationmaster.reviews.remembering import Memory

QUERIES = load(Path(__file__).with_suffix(".sql"))
DUE, UNFINISHED_THREADS, DONE = QUERIES["due"], QUERIES["unfinished_threads"], QUERIES["done"]

OVERLAP = timedelta(seconds=60)
"""Looked at twice: a change may become visible later than its own time says."""
AT_ONCE = 8
PER_SECOND = 400.0
"""Requests to the Agent Server, which has runs to move as well."""
GIVE_UP = 20
"""Threads in one sweep of which it gives no answer, after which the server counts as away, if it gave one of none."""

logger = logging.getLogger(__name__)


@dataclass
class Swept:
    """What one sweep did. `failed`: threads that could not be looked at; the next sweep looks at them first. `away`:
    for how many of them the Agent Server gave no answer."""

    full: bool
    threads: int = 0
    opened: int = 0
    moved: int = 0
    lag_s: float = 0.0
    failed: set[str] = field(default_factory=set)
    away: int = 0


@dataclass
class Rate:
    """At most `per_second` turns a second, evenly."""

    per_second: float
    _next: float = 0.0

    async def turn(self) -> None:
        now = time.monotonic()
        self._next = max(self._next, now) + 1 / self.per_second
        await asyncio.sleep(self._next - now)


@dataclass(frozen=True)
class _Found:
    """Threads to look at, with the time of their last change where the list said it; and the newest time."""

    changed: dict[str, datetime]
    newest: datetime | None
    went_back: bool


async def sweep_if_due(
    desk: Desk,
    *,
    every_s: float,
    full_every_s: float,
    again: Collection[str] = (),
    memory: Memory | None = None,
) -> Swept | None:
    """Sweep, unless another process has done so within `every_s`."""
    async with desk.pool.connection() as conn:
        turn = await (await conn.execute(DUE, {"every_s": every_s, "full_every_s": full_every_s})).fetchone()
    if turn is None:
        return None
    return await sweep(desk, turn["watermark"], full=turn["full"], again=again, memory=memory)


async def sweep(
    desk: Desk,
    watermark: datetime | None,
    *,
    full: bool = False,
    again: Collection[str] = (),
    memory: Memory | None = None,
) -> Swept:
    """Look at every thread that changed since `watermark`, at those with unfinished reviews, and at `again`.

    What `memory` knows to be as it was is left out, until it is due again. `full`, no watermark, or a server that went
    back in time: all threads. AgentServerUnavailable when the server is away; the watermark then stays where it was.
    """
    found = await _changed(desk, None if full else watermark)
    if found.went_back:
        found, full = await _changed(desk, None), True
    async with desk.pool.connection() as conn:
        rows = await (await conn.execute(UNFINISHED_THREADS)).fetchall()
    unfinished = {row["thread_id"] for row in rows}
    swept = Swept(full or watermark is None)
    memory = memory or Memory()
    if swept.full:
        memory.forget()
    wanted = memory.due(found.changed, unfinished) | set(again)
    await _look_at(desk, found, wanted & unfinished | set(again), wanted, swept)
    memory.looked(wanted - swept.failed, found.changed, unfinished)
    async with desk.pool.connection() as conn:
        await conn.execute(DONE, {"watermark": found.newest, "full": swept.full, "lag_s": swept.lag_s})
    return swept


async def _changed(desk: Desk, watermark: datetime | None) -> _Found:
    """Down to the watermark, the newest first of those whose row is anything but idle, then the others: a row is only a
    hint, and where all have to be read it says where to begin. Nothing as new as the watermark means that the server
    forgot."""
    changed: dict[str, datetime] = {}
    idle: set[str] = set()
    newest: datetime | None = None
    floor = watermark - OVERLAP if watermark else None
    async for page in desk.server.threads():
        newest = newest or (page[0].state_updated_at if page else None)
        fresh = [row for row in page if floor is None or row.state_updated_at >= floor]
        changed.update((row.thread_id, row.state_updated_at) for row in fresh)
        idle.update(row.thread_id for row in fresh if row.status == "idle")
        if len(fresh) < len(page):
            break
    went_back = watermark is not None and (newest is None or newest < watermark)
    order = sorted(changed, key=idle.__contains__)  # stable: the newest first within each
    return _Found({thread_id: changed[thread_id] for thread_id in order}, newest, went_back)


async def _look_at(desk: Desk, found: _Found, surely: set[str], wanted: set[str], swept: Swept) -> None:
    """All that are wanted, a few at once: what has changed, and then the rest of those with a review. A thread that has
    none is looked at closely only if it waits.

    The server counts as away where it has answered for none: threads that it fails at hide no others.
    """
    rate, gate = Rate(PER_SECOND), asyncio.Semaphore(AT_ONCE)
    answered = False

    async def one(thread_id: str) -> None:
        nonlocal answered
        async with gate:
            if swept.away > GIVE_UP and not answered:
                return
            await rate.turn()
            try:
                await _look(desk, thread_id, surely, found, swept)
                answered = True
            except (AgentServerUnavailable, AgentServerRefused) as error:
                logger.warning("thread %s: %s", thread_id, error)
                if not isinstance(error, ThreadMissing) or len(swept.failed) < GIVE_UP:
                    swept.failed.add(thread_id)
                swept.away += isinstance(error, AgentServerUnavailable)
            except Exception:
                # A thread that nobody can read hides no other, and many of them are no server that is away.
                logger.exception("thread %s could not be looked at", thread_id)
                swept.failed.add(thread_id)

    async with asyncio.TaskGroup() as group:
        for thread_id in {**found.changed, **dict.fromkeys(surely)}:
            if thread_id in wanted:
                group.create_task(one(thread_id))
    if swept.away > GIVE_UP and not answered:
        raise AgentServerUnavailable(
            f"{swept.away} threads could not be read: the Agent Server is away or failing; see its log"
        )


async def _look(desk: Desk, thread_id: str, surely: set[str], found: _Found, swept: Swept) -> None:
    swept.threads += 1
    if thread_id not in surely and not await desk.server.waits(thread_id):
        return
    observed = await observe(desk, thread_id, "sweep")
    swept.opened += len(observed.opened)
    swept.moved += len(observed.moved)
    if observed.refused:
        swept.failed.add(thread_id)
    if observed.opened and (changed_at := found.changed.get(thread_id)):
        swept.lag_s = max(swept.lag_s, (datetime.now(UTC) - changed_at).total_seconds())
