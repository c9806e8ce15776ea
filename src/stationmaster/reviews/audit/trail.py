"""Read the audit: one review's history, a page of it all, and the export that can be verified offline."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any

from psycopg import IsolationLevel

from stationmaster.reviews.audit.chain import Entry, Head, moment
from stationmaster.reviews.audit.recording import QUERIES
from stationmaster.reviews.database import Connection, Pool

HEAD = QUERIES["head"]
ALL_ENTRIES = QUERIES["all_entries"]
HISTORY = QUERIES["history"]
SEARCH = QUERIES["search"]
BATCH = 500
MOST = 500


async def history(conn: Connection, review_id: str) -> list[Entry]:
    """What happened with one review, oldest first. The caller has made sure that its reader may see it."""
    rows = await (await conn.execute(HISTORY, {"review_id": review_id})).fetchall()
    return [Entry.of_row(row) for row in rows]


async def search(
    conn: Connection, scope: Mapping[str, object], *, review_id: str | None = None, actor: str | None = None,
    action: str | None = None, words: str | None = None, before: int | None = None, limit: int = 100,
) -> list[Entry]:  # fmt: skip
    """A page, newest first; `before` is the last seq of the page before. `scope` is `Identity.scope()`."""
    parameters = {
        **scope, "review_id": review_id, "actor": actor, "action": action, "words": words, "before": before,
        "limit": min(limit, MOST),
    }  # fmt: skip
    return [Entry.of_row(row) for row in await (await conn.execute(SEARCH, parameters)).fetchall()]


async def head(conn: Connection) -> Head:
    """The end of the chain now. Keep it outside of this database: it shows later that nothing before it was cut."""
    row = await (await conn.execute(HEAD)).fetchone()
    return _head(row)


async def export(pool: Pool, *, key: str | None = None) -> AsyncGenerator[str]:
    """The whole chain as JSON lines (each with its line end) and the head as the last one, signed if there is a key.

    One snapshot: what is recorded meanwhile is not in it.
    """
    async with pool.connection() as conn:
        await conn.set_isolation_level(IsolationLevel.REPEATABLE_READ)
        try:
            async with conn.transaction():
                end = await head(conn)
                async with conn.cursor("audit_export") as cursor:
                    cursor.itersize = BATCH
                    await cursor.execute(ALL_ENTRIES)
                    async for row in cursor:
                        yield Entry.of_row(row).line() + "\n"
                yield end.line(key) + "\n"
        finally:
            await conn.set_isolation_level(None)


def _head(row: Mapping[str, Any] | None) -> Head:
    if row is None:
        raise LookupError("reviews.audit_head has lost its row: restore the database from a backup")
    return Head(row["seq"], row["hash"], moment(row["at"]))
