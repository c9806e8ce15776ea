"""What the travel agency of a made-up shop sells: flights and rooms of the next months, and example visa rules."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from stationmaster.postgres.queries import load as load_queries
from stationmaster.shop.handwritten import read

_SQL = load_queries(Path(__file__).with_suffix(".sql"))
_ADD_PLACE, _ADD_VISA_RULE, _ADD_FLIGHTS = _SQL["add_place"], _SQL["add_visa_rule"], _SQL["add_flights"]
_ADD_HOTEL, _ADD_NIGHTS = _SQL["add_hotel"], _SQL["add_nights"]
DAYS = 120
"""How far ahead there are flights and rooms, from the day of the seeding."""


async def add_travel(conn: AsyncConnection[DictRow]) -> None:
    """Add the demo's in the transaction of `conn`, from today on; what is there keeps its price and its room."""
    content = await asyncio.to_thread(read, "travel")
    async with conn.cursor() as cursor:
        await cursor.executemany(_ADD_PLACE, content["places"])
        await cursor.executemany(_ADD_VISA_RULE, list(_visa_rules(content["visa_rules"])))
        for route in content["routes"]:
            for number, origin, destination in _both_ways(route):
                flown = {"number": number, "origin": origin, "destination": destination, "days": DAYS}
                await cursor.execute(_ADD_FLIGHTS, {**route, **flown})
        for hotel in content["hotels"]:
            await cursor.execute(_ADD_HOTEL, hotel)
            await cursor.execute(_ADD_NIGHTS, {**hotel, "days": DAYS})


def _both_ways(route: dict[str, Any]) -> tuple[tuple[str, str, str], ...]:
    """Number, origin and destination, there and back; the way back has the next number."""
    number, there, back = route["number"], route["origin"], route["destination"]
    return (number, there, back), (f"{number[:-1]}{int(number[-1]) + 1}", back, there)


def _visa_rules(written: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """A row for each passport of a line."""
    for line in written:
        for passport in line["passport"]:
            yield {"max_days": None, "note": "", **line, "passport": passport}
