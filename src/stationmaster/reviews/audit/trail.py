"""Read the audit: one review's history, a page of it all, and the export that can be verified offline."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, TypeAlias

from psycopg import IsolationLevel

from stationmaster.reviews.audit.chain import Entry, Head, moment
from stationmaster.reviews.audit.recording import QUERIES
from stationmaster.reviews.audit.verdicts import Broken, Verified
from stationmaster.reviews.audit.verifying import Verifier
from stationmaster.reviews.database import Connection, Pool, in_time
from stationmaster.reviews.model import canonical

HEAD = QUERIES["head"]
ALL_ENTRIES = QUERIES["all_entries"]
HISTORY = QUERIES["history"]
SEARCH = QUERIES["search"]
BEGINNINGS, WITH_WORDS = QUERIES["beginnings"], QUERIES["with_words"]
BATCH = 500
MOST = 500
FEW = 5_000
Rows: TypeAlias = Sequence[Mapping[str, Any]]


async def history(conn: Connection, review_id: str) -> list[Entry]:
    """What happened with one review, oldest first. The caller has made sure that its reader may see it."""
    rows = await (await conn.execute(HISTORY, {"review_id": review_id})).fetchall()
    return [Entry.of_row(row) for row in rows]


async def search(
    conn: Connection, scope: Mapping[str, object], *, review_id: str | None = None, actor: str | None = None,
    action: str | None = None, words: str | None = None, before: int | None = None, limit: int = 100,
) -> list[Entry]:  # fmt: skip
    """A page, newest first; `before` is the last seq of the page before. `scope` is `Identity.scope()`. `words` are
    looked for in the detail, each from its beginning. TooSlow."""
    query = words and await _query_of(conn, words)
    if words is not None and not query:
        return []
    async with in_time(conn):
        parameters = {
            **scope, "review_id": review_id, "actor": actor, "action": action, "words": query, "before": before,
            "few": query and await _few(conn, query), "limit": min(limit, MOST),
        }  # fmt: skip
        # Never prepared: it is planned for what is asked.
        rows = await (await conn.execute(SEARCH, parameters, prepare=False)).fetchall()
    return [Entry.of_row(row) for row in rows]


async def _query_of(conn: Connection, words: str) -> str | None:
    """The words as they stand in details, which are ASCII, as a query; None if there is no word in them."""
    row = await (await conn.execute(BEGINNINGS, {"words": canonical(words)[1:-1]})).fetchone()
    return row["words"] if row else None


async def _few(conn: Connection, query: str) -> list[int] | None:
    """The entries with a rare word: a plan that goes from the newest until a page is full would go through all of them
    for a word that is in none. None for a frequent one, where that plan is right."""
    parameters = {"words": query, "limit": FEW + 1}
    rows = await (await conn.execute(WITH_WORDS, parameters, prepare=False)).fetchall()
    return None if len(rows) > FEW else [row["seq"] for row in rows]


async def head(conn: Connection) -> Head:
    """The end of the chain now. Keep it outside of this database: it shows later that nothing before it was cut."""
    row = await (await conn.execute(HEAD)).fetchone()
    return _head(row)


async def export(pool: Pool, *, key: str | None = None) -> AsyncGenerator[str]:
    """The whole chain as JSON lines (each with its line end) and the head as the last one, signed if there is a key.

    One snapshot: what is recorded meanwhile is not in it.
    """
    async with contextlib.aclosing(_stored(pool)) as parts:
        async for part in parts:
            if isinstance(part, Head):
                yield part.line(key) + "\n"
            else:
                for line in await asyncio.to_thread(_lines, part):
                    yield line


async def verify_stored(pool: Pool) -> Verified | Broken:
    """Check the chain where it is kept, a batch at a time and beside the event loop: others are served meanwhile."""
    verifier, end = Verifier(), None
    async with contextlib.aclosing(_stored(pool)) as parts:
        async for part in parts:
            if isinstance(part, Head):
                end = part
            else:
                await asyncio.to_thread(_take, verifier, part)
    return verifier.verdict(end)


async def _stored(pool: Pool) -> AsyncGenerator[Rows | Head]:
    """The entries in batches, as rows, then the head: one snapshot."""
    async with pool.connection() as conn:
        await conn.set_isolation_level(IsolationLevel.REPEATABLE_READ)
        try:
            async with conn.transaction():
                end = await head(conn)
                async with conn.cursor("audit_export") as cursor:
                    await cursor.execute(ALL_ENTRIES)
                    while rows := await cursor.fetchmany(BATCH):
                        yield rows
                yield end
        finally:
            await conn.set_isolation_level(None)


def _lines(rows: Rows) -> list[str]:
    return [Entry.of_row(row).line() + "\n" for row in rows]


def _take(verifier: Verifier, rows: Rows) -> None:
    for row in rows:
        verifier.take_entry(Entry.of_row(row))


def _head(row: Mapping[str, Any] | None) -> Head:
    if row is None:
        raise LookupError("reviews.audit_head has lost its row: restore the database from a backup")
    return Head(row["seq"], row["hash"], moment(row["at"]))
