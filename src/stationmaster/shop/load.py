"""Writes records into the shop: new ones are added, changed ones brought up to date, the rest left alone."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import LiteralString

from psycopg import AsyncConnection
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from stationmaster.postgres.queries import load as load_queries
from stationmaster.shop.records import Records

_SQL = load_queries(Path(__file__).with_suffix(".sql"))
# In the order of the fields, in which a table comes after those that it refers to.
_STATEMENTS: dict[str, LiteralString] = {table.name: _SQL[table.name] for table in fields(Records)}


@dataclass(frozen=True)
class Counts:
    """How many rows of one table were added, changed and left alone."""

    added: int
    changed: int
    unchanged: int


async def load(conn: AsyncConnection[DictRow], records: Records) -> Mapping[str, Counts]:
    """Write all of them in the transaction of `conn`, and say what was done for each table.

    Raises psycopg.IntegrityError when the shop's rules don't allow a row.
    """
    return {
        table: await write(conn, statement, [asdict(row) for row in getattr(records, table)])
        for table, statement in _STATEMENTS.items()
    }


async def write(
    conn: AsyncConnection[DictRow], statement: LiteralString, rows: Sequence[object], **more: object
) -> Counts:
    """Write `rows` by a statement that takes them as JSON and returns those that it wrote, each with `added`."""
    written = await (await conn.execute(statement, {"rows": Jsonb(rows, dumps=dumps), **more})).fetchall()
    added = sum(row["added"] for row in written)
    return Counts(added, len(written) - added, len(rows) - len(written))


def dumps(rows: object) -> str:
    """JSON with Decimal and date as text, both of which Postgres reads exactly."""
    return json.dumps(rows, default=str)
