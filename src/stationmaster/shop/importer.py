"""Imports a shop's export: all of it or nothing, and the same export twice changes nothing."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from psycopg import AsyncConnection, DataError, IntegrityError
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from agents.shared.shop.orders import order_number
from stationmaster.postgres import connect
from stationmaster.postgres.queries import load as load_queries
from stationmaster.shop.demo import today_of
from stationmaster.shop.export_files import Export, read_export
from stationmaster.shop.export_records import to_records
from stationmaster.shop.export_references import check
from stationmaster.shop.load import Counts, dumps, load
from stationmaster.shop.reading import ImportRefused, Problem, by_the_rules
from stationmaster.shop.records import Records

_SQL = load_queries(Path(__file__).with_suffix(".sql"))
_CONFLICTS = _SQL["conflicts"]
_CHECKED = ("customers", "payment_methods", "orders", "payments", "past_refunds")


async def import_shop(uri: str, directory: Path) -> Mapping[str, Counts]:
    """Load orders.json, users.json and products.json; how many rows of each table were new or changed.

    Raises ImportRefused, DatabaseUnreachable.
    """
    export, problems = await asyncio.to_thread(_read_and_check, directory)
    if problems:
        raise ImportRefused(directory, problems)
    try:
        async with await connect(uri) as conn:
            records = to_records(export, await today_of(conn))
            if problems := await _conflicts(conn, export, records):
                raise ImportRefused(directory, problems)
            return await load(conn, records)
    except (IntegrityError, DataError) as error:
        # What the checks above did not foresee, such as a refund that the shop made meanwhile.
        raise ImportRefused(directory, [by_the_rules("the shop", error)]) from error


def _read_and_check(directory: Path) -> tuple[Export, list[Problem]]:
    export, problems = read_export(directory)
    problems += check(export)
    return export, sorted(problems, key=lambda problem: (problem.file, problem.row or 0))


async def _conflicts(conn: AsyncConnection[DictRow], export: Export, records: Records) -> list[Problem]:
    tables = {name: Jsonb([asdict(row) for row in getattr(records, name)], dumps=dumps) for name in _CHECKED}
    found = await (await conn.execute(_CONFLICTS, tables)).fetchall()
    row_ids = {order_number(row_id) or row_id: row_id for row_id in export.orders.rows}
    return [
        export.users.problem(row["id"], row["what"])
        if row["file"] == export.users.name
        else export.orders.problem(row_ids[row["id"]], row["what"])
        for row in found
    ]
