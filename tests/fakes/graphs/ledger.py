"""Where the graphs write what they did, and where tests count it: table `ledger`, one row an effect.

A row is only unique where the graph gave it a key, as an effect with an idempotency key is.
"""

import json
import os
from typing import Any

import psycopg

VARIABLE = "LEDGER_URI"
_TABLE = """
create table if not exists ledger (
    id bigint generated always as identity primary key,
    key text not null,
    effect text not null,
    detail text not null,
    once text unique,
    at timestamptz not null default clock_timestamp()
)"""
_WRITE = (
    "insert into ledger (key, effect, detail, once) values (%s, %s, %s, %s) on conflict (once) do nothing"
)
_COUNT = "select count(*) from ledger where key = %s and effect = %s"
_READ = "select effect, detail from ledger where key = %s order by id"


async def write(key: str, effect: str, detail: Any = None, *, once: str | None = None) -> None:
    """Inside a graph: note that `effect` happened for `key`. Twice is two rows, that is what tests look for;
    with an idempotency key `once` it is one.

    `detail` is kept as ASCII JSON text, so that 1, 1.0, "1" and a NUL stay what they are.
    """
    async with await psycopg.AsyncConnection.connect(os.environ[VARIABLE], autocommit=True) as conn:
        await conn.execute(_WRITE, (key, effect, json.dumps(detail), once))


async def count(uri: str, key: str, effect: str) -> int:
    """Inside a graph: how often `effect` has happened for `key`."""
    async with await psycopg.AsyncConnection.connect(uri, autocommit=True) as conn:
        found = await conn.execute(_COUNT, (key, effect))
        return (await found.fetchone() or (0,))[0]


def create(uri: str) -> None:
    """In a test: make the table."""
    with psycopg.connect(uri, autocommit=True) as conn:
        conn.execute(_TABLE)


def read(uri: str, key: str) -> list[tuple[str, Any]]:
    """In a test: the effects of `key` in their order, as (effect, detail)."""
    with psycopg.connect(uri, autocommit=True) as conn:
        return [(effect, json.loads(detail)) for effect, detail in conn.execute(_READ, (key,))]
