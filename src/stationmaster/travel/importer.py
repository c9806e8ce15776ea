"""Imports an agency's inventory: all of it or nothing, the same files twice change nothing, and what travellers have
stays theirs."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, LiteralString

from psycopg import AsyncConnection, DataError, IntegrityError
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from stationmaster.postgres import connect
from stationmaster.postgres.queries import load as load_queries
from stationmaster.shop.load import Counts, dumps, write
from stationmaster.shop.reading import ImportRefused, Problem, by_the_rules
from stationmaster.travel.checking import Known, check
from stationmaster.travel.files import Inventory, Sheet, read_inventory

_SQL, _LOAD = (
    load_queries(Path(__file__).with_suffix(".sql")),
    load_queries(Path(__file__).parent / "load.sql"),
)
_FREE_EXPIRED, _ZONES, _HOTELS_OF = _SQL["free_expired"], _SQL["zones"], _SQL["hotels_of"]
_LOCK_FLIGHTS, _LOCK_NIGHTS = _SQL["lock_flights"], _SQL["lock_nights"]
_CONFLICTS: dict[str, LiteralString] = {
    "hotels": _SQL["hotel_conflicts"], "flights": _SQL["flight_conflicts"], "nights": _SQL["night_conflicts"]
}  # fmt: skip
# A table comes after those that it refers to.
_STATEMENTS: dict[str, LiteralString] = {
    table: _LOAD[table] for table in ("places", "flights", "hotels", "nights", "visas")
}


async def import_inventory(uri: str, directory: Path, tenant: str) -> Mapping[str, Counts]:
    """Load what there is of places, flights, hotels, nights and visas; how many rows of each were new or changed.

    Flights, hotels and nights become the tenant's; places and visa rules are everybody's. What the files don't name
    stays as it is. Raises ImportRefused, DatabaseUnreachable.
    """
    inventory, problems = await asyncio.to_thread(read_inventory, directory)
    async with await connect(uri) as conn:
        await conn.execute(_FREE_EXPIRED)
    try:
        async with await connect(uri) as conn:
            flights, more = await asyncio.to_thread(check, inventory, await _known(conn, tenant))
            rows = _rows(inventory, flights)
            if problems := [*problems, *more, *await _conflicts(conn, inventory, rows, tenant)]:
                raise ImportRefused(directory, _sorted(problems))
            return {
                table: await write(conn, statement, rows[table], tenant=tenant)
                for table, statement in _STATEMENTS.items()
            }
    except (IntegrityError, DataError) as error:
        raise ImportRefused(directory, [by_the_rules("the agency", error)]) from error


async def _known(conn: AsyncConnection[DictRow], tenant: str) -> Known:
    zones = await (await conn.execute(_ZONES)).fetchall()
    hotels = await (await conn.execute(_HOTELS_OF, {"tenant": tenant})).fetchall()
    return Known(
        {row["code"]: row["zone"] for row in zones}, frozenset((row["place"], row["name"]) for row in hotels)
    )


def _rows(inventory: Inventory, flights: Mapping[int, dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """What goes into each table; `row` is where it stands in its file."""
    rows = {
        table: [{**row.model_dump(), "row": place} for place, row in sheet.rows.items()]
        for table, sheet in vars(inventory).items()
    }
    return {**rows, "flights": [{**row, "row": place} for place, row in flights.items()]}


async def _conflicts(
    conn: AsyncConnection[DictRow],
    inventory: Inventory,
    rows: Mapping[str, list[dict[str, Any]]],
    tenant: str,
) -> list[Problem]:
    """What the files would take from travellers; nobody holds or sells any of it until this transaction ends."""
    sent = {table: {"tenant": tenant, "rows": Jsonb(rows[table], dumps=dumps)} for table in _CONFLICTS}
    await conn.execute(_LOCK_FLIGHTS, sent["flights"])
    await conn.execute(_LOCK_NIGHTS, sent["nights"])
    problems: list[Problem] = []
    for table, query in _CONFLICTS.items():
        sheet: Sheet[Any] = getattr(inventory, table)
        found = await (await conn.execute(query, sent[table])).fetchall()
        problems += [sheet.problem(row["row"], row["what"]) for row in found]
    return problems


def _sorted(problems: list[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: (problem.file, problem.row or 0))
