"""What has been idle for long goes: in batches, checked again under the threads' locks, flagged ones exported first."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from psycopg.rows import DictRow

from stationmaster.postgres.queries import load
from stationmaster.upkeep.database import Connection, one, rows
from stationmaster.upkeep.exporting import Export
from stationmaster.upkeep.turns import Done, Turn, turn

QUERIES = load(Path(__file__).with_name("pruning.sql"))
BATCH = 100


@dataclass(frozen=True)
class Rule:
    """Threads idle for `days` go; flagged ones are written to a file in `exports` first."""

    days: float
    exports: Path


async def prune(conn: Connection, rule: Rule, *, nightly: bool = False, batch: int = BATCH) -> Done | None:
    """One pass; what it did. None for a nightly one that is not due, or that another process does.

    Each batch is a transaction: a pass that is cut off has done what it did, and the next goes on. PruneAtWork where
    another pass is under way.
    """
    async with turn(conn, rule.days, nightly=nightly) as mine:
        if mine is None:
            return None
        async with Export.into(rule.exports) as export:
            ripe = [row["thread_id"] for row in await rows(conn, QUERIES["ripe"], {"days": rule.days})]
            for start in range(0, len(ripe), batch):
                await _batch(mine, rule, export, ripe[start : start + batch])
                await mine.progress()
        mine.done.webhooks = len(await rows(conn, QUERIES["forget_webhooks"], {"days": rule.days}))
    return mine.done


async def _batch(mine: Turn, rule: Rule, export: Export, threads: Sequence[UUID]) -> None:
    """Remove those of them that are still ripe once nobody can begin anything there."""
    conn, done = mine.conn, Done()
    async with conn.transaction():
        held = [row["thread_id"] for row in await rows(conn, QUERIES["lock"], {"threads": list(threads)})]
        doomed = await rows(conn, QUERIES["still_ripe"], {"days": rule.days, "threads": held})
        if flagged := [row["thread_id"] for row in doomed if row["export"]]:
            kept = await _exported(conn, export, rule, flagged, done)
            doomed = [row for row in doomed if row["thread_id"] not in kept]
        gone = {"threads": _ids(doomed, stays=False)}
        await conn.execute(QUERIES["drop_webhooks"], gone)
        dropped = await one(conn, QUERIES["drop"], gone)
        trimmed = await one(conn, QUERIES["trim"], {"threads": _ids(doomed, stays=True)})
    total = mine.done  # once it is committed
    total.deleted += dropped["threads"]
    total.trimmed += trimmed["threads"]
    total.bytes += dropped["bytes"] + trimmed["bytes"]
    total.exported += done.exported
    total.problem = done.problem or total.problem


async def _exported(
    conn: Connection, export: Export, rule: Rule, flagged: Sequence[UUID], done: Done
) -> Collection[UUID]:
    """Write flagged threads down; those that could not be stay, which holds up no others."""
    try:
        unreadable = await export.write(conn, flagged)
    except OSError as error:
        done.problem = f"flagged threads stay: {rule.exports} can't be written ({error})"
        return flagged
    done.exported = len(flagged) - len(unreadable)
    if unreadable:
        thread, why = next(iter(unreadable.items()))
        done.problem = f"{len(unreadable)} flagged threads stay that can't be exported, as {thread}: {why}"
    return unreadable


def _ids(doomed: Sequence[DictRow], *, stays: bool) -> list[UUID]:
    return [row["thread_id"] for row in doomed if row["stays"] is stays]
