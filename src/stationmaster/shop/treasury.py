"""What the treasury checks against: sanctions lists from files; for a made-up shop an invented one, and instruments."""

import asyncio
import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection
from psycopg.errors import CheckViolation
from psycopg.rows import DictRow

from stationmaster.errors import StationmasterError
from stationmaster.postgres import connect
from stationmaster.postgres.queries import load as load_queries
from stationmaster.shop.handwritten import read

_SQL = load_queries(Path(__file__).with_suffix(".sql"))
_ADD_SANCTION, _ADD_INSTRUMENT, _FORGET = _SQL["add_sanction"], _SQL["add_instrument"], _SQL["forget_list"]


class ListRefused(StationmasterError):
    """The file is no sanctions list; nothing was changed."""


@dataclass(frozen=True)
class Loaded:
    """What a list holds now, and how many names it held before."""

    names: int
    entries: int
    before: int


async def load_list(uri: str, file: Path, name: str) -> Loaded:
    """Replace a list by the rows of a CSV file with the columns entry, name and account, in one transaction.

    Raises ListRefused, with the row; an empty file is refused too, since without a list nobody can be paid.
    """
    rows = await asyncio.to_thread(_rows, file)
    async with await connect(uri) as conn:
        before = (await conn.execute(_FORGET, {"list": name})).rowcount
        async with conn.cursor() as cursor:
            for line, row in rows:
                try:
                    await cursor.execute(_ADD_SANCTION, {**row, "list": name})
                except CheckViolation as error:
                    raise ListRefused(
                        f"{file.name}, line {line}: no name can be compared with {row['name']!r}: correct the row"
                    ) from error
    entries = {row["entry"] for _, row in rows}
    return Loaded(len({(row["entry"], row["name"]) for _, row in rows}), len(entries), before)


async def add_treasury(conn: AsyncConnection[DictRow]) -> None:
    """Add the demo's in the transaction of `conn`; what is there already stays as it is."""
    content = await asyncio.to_thread(read, "treasury")
    async with conn.cursor() as cursor:
        await cursor.executemany(_ADD_SANCTION, [{"account": None, **row} for row in content["sanctions"]])
        await cursor.executemany(_ADD_INSTRUMENT, content["instruments"])


def _rows(file: Path) -> list[tuple[int, dict[str, Any]]]:
    """The rows with their lines: entry, name, and account or None."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as opened:
            reader = csv.DictReader(opened)
            if not {"entry", "name"} <= set(reader.fieldnames or ()):
                raise ListRefused(f"{file.name}, line 1: the columns must be entry,name and may be account")
            found = [(reader.line_num, row) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ListRefused(f"{file.name} is no CSV in UTF-8 ({error}): export it anew") from error
    if not found:
        raise ListRefused(
            f"{file.name} has no rows, and without a list nobody can be paid: load one with rows"
        )
    for line, row in found:
        if not (row["entry"] or "").strip() or not (row["name"] or "").strip():
            raise ListRefused(f"{file.name}, line {line}: entry and name must be there: correct the row")
    return [
        (
            line,
            {
                "entry": row["entry"].strip(),
                "name": row["name"].strip(),
                "account": row.get("account") or None,
            },
        )
        for line, row in found
    ]
