"""What the treasury of a made-up shop checks against: an invented sanctions list, and a few instruments."""

import asyncio
from pathlib import Path

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from stationmaster.postgres.queries import load as load_queries
from stationmaster.shop.handwritten import read

_SQL = load_queries(Path(__file__).with_suffix(".sql"))
_ADD_SANCTION, _ADD_INSTRUMENT = _SQL["add_sanction"], _SQL["add_instrument"]


async def add_treasury(conn: AsyncConnection[DictRow]) -> None:
    """Add them in the transaction of `conn`; what is there already stays as it is."""
    content = await asyncio.to_thread(read, "treasury")
    async with conn.cursor() as cursor:
        await cursor.executemany(_ADD_SANCTION, [{"account": None, **row} for row in content["sanctions"]])
        await cursor.executemany(_ADD_INSTRUMENT, content["instruments"])
