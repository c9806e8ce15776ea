"""The table of slots: what each was planned for, when it was decided, which run it became, and how that ended.

Every function works inside the caller's transaction.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from stationmaster.crons.model import UNFINISHED, Outcome, Policy, Tick, Trigger, tick_from
from stationmaster.postgres.queries import load
from stationmaster.reconcile.resources import ServedCron
from stationmaster.reviews.database import Connection

QUERIES = load(Path(__file__).with_suffix(".sql"))
OPEN, AT_SLOT, ADD, SETTLE = QUERIES["open"], QUERIES["at_slot"], QUERIES["add"], QUERIES["settle"]
DUE, QUEUED, START_QUEUED = QUERIES["due"], QUERIES["queued"], QUERIES["start_queued"]
DROP_QUEUED, NEWEST = QUERIES["drop_queued"], QUERIES["newest"]
PAGE_OF, PAGE_OF_ALL = QUERIES["page_of"], QUERIES["page_of_all"]
RECENT_ENDS, RIPE = QUERIES["recent_ends"], QUERIES["ripe"]
PRUNED, FORGET = QUERIES["pruned"], QUERIES["forget"]
UNFINISHED_RUNS, GET, DECIDED = QUERIES["unfinished"], QUERIES["get"], QUERIES["decided"]

FORGET_DAYS = 400
MOST = 500
"""Rows a page may hold."""
NEWEST_ID = 2**63 - 1


async def open_ticks(conn: Connection, cron: str) -> list[Tick]:
    """What is at work, waits for a person or for its turn, oldest first."""
    return await _all(conn, OPEN, {"cron": cron})


async def at_slot(conn: Connection, cron: str, planned_at: datetime) -> Tick | None:
    """What was decided for this slot before."""
    return await _one(conn, AT_SLOT, {"cron": cron, "planned_at": planned_at})


async def undecided(conn: Connection, cron: str, slots: Sequence[datetime]) -> list[datetime]:
    """Those of these slots, oldest first, of which nothing is recorded: a server that was killed comes back to
    slots that it had run already."""
    if not slots:
        return []
    rows = await (await conn.execute(DECIDED, {"cron": cron, "since": slots[0]})).fetchall()
    spans = [(row["planned_at"], row["last_planned_at"]) for row in rows]
    return [at for at in slots if not any(first <= at <= last for first, last in spans)]


async def add(
    conn: Connection, cron: ServedCron, policy: Policy, outcome: Outcome, *, at: datetime,
    trigger: Trigger = "schedule", planned_at: datetime | None = None, last_planned_at: datetime | None = None,
    slots: int = 1, reason: str | None = None, run_id: str | None = None, started_by: str | None = None,
) -> Tick | None:  # fmt: skip
    """Note a tick. None when its slot is decided already: somebody else was faster."""
    values = {
        "cron": policy.cron, "cron_id": cron.cron_id, "assistant_id": cron.assistant_id, "trigger": trigger,
        "planned_at": planned_at, "last_planned_at": last_planned_at or planned_at, "slots": slots, "at": at,
        "outcome": outcome, "reason": reason, "run_id": run_id, "thread_id": cron.thread_id if run_id else None,
        "fresh": cron.thread_id is None, "keep_days": policy.keep_days, "started_by": started_by,
    }  # fmt: skip
    return await _one(conn, ADD, values)


async def start_queued(conn: Connection, tick: Tick, run_id: str, thread_id: str | None) -> Tick | None:
    """Its turn has come. None when somebody else was faster."""
    return await _one(conn, START_QUEUED, {"id": tick.id, "run_id": run_id, "thread_id": thread_id})


async def drop_queued(conn: Connection, tick: Tick, reason: str) -> Tick | None:
    """It will not come to its turn."""
    return await _one(conn, DROP_QUEUED, {"id": tick.id, "reason": reason})


async def settle(
    conn: Connection, tick: Tick, outcome: Outcome, *, reason: str | None = None,
    thread_id: str | None = None, pause_s: float = 1.0,
) -> Tick | None:  # fmt: skip
    """Write what became of a run; `pause_s`: when to look again, if it has not ended. None if it had ended."""
    values = {"id": tick.id, "outcome": outcome, "reason": reason, "thread_id": thread_id, "pause_s": pause_s}
    return await _one(conn, SETTLE, values)


async def due(conn: Connection, most: int) -> list[Tick]:
    """Open ticks to look at now; no other process takes the same for half a minute."""
    return await _all(conn, DUE, {"limit": most})


async def unfinished(conn: Connection) -> list[Tick]:
    """Runs of all crons that have not ended, oldest first."""
    return await _all(conn, UNFINISHED_RUNS, {})


async def get(conn: Connection, tick_id: int) -> Tick | None:
    """One tick."""
    return await _one(conn, GET, {"id": tick_id})


async def queued(conn: Connection) -> list[Tick]:
    """Slots of all crons that wait for their turn."""
    return await _all(conn, QUEUED, {})


async def page(
    conn: Connection, cron: str | None = None, *, before: int | None = None, limit: int = 50
) -> list[Tick]:
    """Newest first; `before` is the id of the last tick of the page before this one."""
    values = {"cron": cron, "before": NEWEST_ID if before is None else before, "limit": min(limit, MOST)}
    return await _all(conn, PAGE_OF_ALL if cron is None else PAGE_OF, values)


async def newest(conn: Connection, crons: Iterable[str]) -> dict[str, Tick]:
    """The newest tick of each cron that has one."""
    return {tick.cron: tick for tick in await _all(conn, NEWEST, {"crons": list(crons)})}


async def recent_ends(conn: Connection, crons: Iterable[str], most: int) -> dict[str, list[Tick]]:
    """How the newest runs of each cron went, newest first; skipped and missed slots left out."""
    found: dict[str, list[Tick]] = {}
    for tick in await _all(conn, RECENT_ENDS, {"crons": list(crons), "most": most}):
        found.setdefault(tick.cron, []).append(tick)
    return found


async def ripe(conn: Connection, now: datetime, after: int, limit: int) -> list[Tick]:
    """Ticks whose own threads were kept long enough at `now`, in order of id."""
    return await _all(conn, RIPE, {"now": now, "after": after, "limit": limit})


async def pruned(conn: Connection, tick: Tick) -> None:
    """Its thread is gone."""
    await conn.execute(PRUNED, {"id": tick.id})


async def forget(conn: Connection, days: int = FORGET_DAYS) -> int:
    """Drop what is older; how many rows that were."""
    return (await conn.execute(FORGET, {"days": days})).rowcount


def is_open(tick: Tick) -> bool:
    """Whether it has a run that has not ended."""
    return tick.outcome in UNFINISHED


async def _one(conn: Connection, query: Any, values: dict[str, Any]) -> Tick | None:
    row = await (await conn.execute(query, values)).fetchone()
    return tick_from(row) if row else None


async def _all(conn: Connection, query: Any, values: dict[str, Any]) -> list[Tick]:
    rows: Sequence[Any] = await (await conn.execute(query, values)).fetchall()
    return [tick_from(row) for row in rows]
