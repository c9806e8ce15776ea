"""One statement, one connection, one transaction: as a restricted role, with a ticket for one tenant, and limits.

A connection is not used again: what a statement might leave in a session (a setting, a lock) goes with it.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, LiteralString, cast
from weakref import WeakKeyDictionary

import psycopg
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composed, Identifier

from agents.shared.database import DatabaseUnavailable, connection
from agents.shared.errors import PermanentError
from agents.shared.queries import load
from agents.sql_operator.access.logins import Login, connected, uri_of

_QUERIES = load(__file__)
TICKET_S = 120
LONGEST_CELL = 300
"""Characters of one value that are shown; one more is fetched, by which it is known that there were more."""
_TEXTS = frozenset({19, 25, 705, 1042, 1043})
"""name, text, unknown, char, varchar. What else a permitted statement finds is short."""
GRACE_S = 3.0
"""How much longer than the statement's own timeout this side waits, should the server not keep it."""

AT_ONCE = 8
"""Statements of one process at the same time: a database has connections for others too. The rest wait."""

_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

Session = psycopg.AsyncConnection[TupleRow]


class TooSlow(PermanentError):
    """The statement ran into its timeout: asking for less helps, asking again does not."""


class CountChanged(PermanentError):
    """The statement would now change another number of rows than a person was shown; nothing was kept."""


@dataclass(frozen=True)
class Found:
    """What a query found; `more` when there were rows beyond the limit."""

    columns: list[str]
    rows: list[list[Any]]
    more: bool


async def fetch(sql: str, *, tenant: str, timeout_s: float, limit: int) -> Found:
    """The first rows of a query, read-only. Raises TooSlow, DatabaseUnavailable, RolesMissing, psycopg's errors."""
    async with _session("reader", tenant, timeout_s) as session:
        async with session.cursor(name="planned") as cursor:
            await cursor.execute(_text(sql))
            columns = list(cursor.description or ())
        async with session.cursor(name="answer") as cursor:
            await cursor.execute(_cut(sql, columns))
            rows = await cursor.fetchmany(limit + 1)
    names = [column.name for column in columns]
    return Found(names, [list(row) for row in rows[:limit]], len(rows) > limit)


def _cut(sql: str, columns: list[psycopg.Column]) -> Composed:
    """The query with its texts cut where they are: one value could fill the memory of this process."""
    names = [Identifier(f"c{number}") for number in range(len(columns))]
    shown = [
        SQL("left({}::text, {})").format(name, LONGEST_CELL + 1) if column.type_code in _TEXTS else name
        for name, column in zip(names, columns, strict=True)
    ]
    return SQL("select {} from ({}) as answer({})").format(
        SQL(", ").join(shown), _text(sql), SQL(", ").join(names)
    )


async def plan_only(sql: str, *, tenant: str, timeout_s: float) -> None:
    """Have the database read and plan a query without running it: what it can't do is known before anybody is asked."""
    async with _session("reader", tenant, timeout_s) as session, session.cursor(name="planned") as cursor:
        await cursor.execute(_text(sql))


async def count_rows(sql: str, *, tenant: str, timeout_s: float) -> int:
    """How many rows a write would change: it is done, counted and rolled back."""
    async with _session("writer", tenant, timeout_s) as session:
        count = (await session.execute(_text(sql))).rowcount
        await session.rollback()
    return count


async def carry_out(sql: str, *, key: str, tenant: str, timeout_s: float, expected: int) -> tuple[int, bool]:
    """(rows, repeated): do a write once for its key. Raises CountChanged, and keeps nothing, for another count."""
    try:
        async with _session("writer", tenant, timeout_s) as session:
            done = await _written(session, key)
            if done is not None:
                return done, True
            count = (await session.execute(_text(sql))).rowcount
            if count != expected:
                raise CountChanged(
                    f"it would change {count} rows now, {expected} were shown; nothing was kept"
                )
            await session.execute(_QUERIES["note_write"], {"key": key, "statement": sql, "row_count": count})
            return count, False
    except psycopg.errors.UniqueViolation as error:
        if error.diag.table_name != "writes":
            raise
    async with _session("writer", tenant, timeout_s) as session:  # another run was faster by a moment
        return await _written(session, key) or 0, True


async def _written(session: Session, key: str) -> int | None:
    row = await (await session.execute(_QUERIES["written"], {"key": key})).fetchone()
    return row[0] if row else None


@asynccontextmanager
async def _session(login: Login, tenant: str, timeout_s: float) -> AsyncIterator[Session]:
    """A transaction as that role that sees one tenant; committed after the block."""
    uri = await uri_of(login)
    turn = _turns.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE))
    async with turn, ticketed(tenant) as ticket:
        session = await connected(uri)
        try:
            async with asyncio.timeout(timeout_s + GRACE_S), session:
                if login == "reader":
                    await session.set_read_only(True)
                await session.execute(_QUERIES["limits"])
                await session.execute(
                    SQL("set local statement_timeout = {}").format(max(1, int(timeout_s * 1000)))
                )
                await session.execute(_QUERIES["enter"], {"ticket": ticket})
                yield session
        except (
            TimeoutError
        ) as error:  # this side gave up waiting: a commit may be under way, so the key is asked again
            if login == "writer":
                raise DatabaseUnavailable("the database does not answer in time") from error
            raise TooSlow(f"the statement took longer than {timeout_s:g} s: ask for less") from error
        except psycopg.errors.QueryCanceled as error:
            raise TooSlow(f"the statement took longer than {timeout_s:g} s: ask for less") from error
        except psycopg.OperationalError as error:
            if error.sqlstate is None or error.sqlstate.startswith(("08", "57P")):
                raise DatabaseUnavailable("the database went away") from error
            raise
        finally:
            await session.close()


@asynccontextmanager
async def ticketed(tenant: str) -> AsyncIterator[str]:
    """A secret that stands for the tenant until the block ends, or two minutes have gone."""
    token = secrets.token_hex(16)
    async with connection() as conn:
        await conn.execute(_QUERIES["open_ticket"], {"token": token, "tenant": tenant, "seconds": TICKET_S})
    try:
        yield token
    finally:
        async with connection() as conn:
            await conn.execute(_QUERIES["close_ticket"], {"token": token})


def _text(sql: str) -> SQL:
    # The one place where text that people or models wrote becomes SQL: it was read, judged and written anew before.
    return SQL(cast("LiteralString", sql))
