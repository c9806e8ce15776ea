"""What there is: places, flights with seats, what the days around cost, hotels with rooms. All of one tenant."""

from datetime import UTC, datetime
from typing import Any

from agents.shared.database import connection
from agents.shared.errors import PermanentError
from agents.shared.queries import load
from agents.shared.shop.text import storable
from agents.travel.inventory.offers import minutes_of
from agents.travel.state import Dates, Flight, NearbyFare, Stay, Trip

_SQL = load(__file__)
_PLACE, _CITIES, _FLIGHTS = _SQL["place"], _SQL["cities"], _SQL["flights"]
_NEARBY, _STAYS = _SQL["nearby"], _SQL["stays"]
MOST = 5
"""Options of one search."""
NEARBY_DAYS = 3
MOST_CITIES = 20
"""Places that are named to whoever asked for one that is not there."""


class NoSuchPlace(PermanentError):
    """No flight goes there; the message names the places that there are."""


async def place(name: str) -> dict[str, str]:
    """Code, city, country and time zone of a place, by code or name. Raises NoSuchPlace, DatabaseUnavailable."""
    async with connection() as conn:
        row = await (await conn.execute(_PLACE, {"name": storable(name).strip()})).fetchone()
        if row is None:
            cities = [one["city"] for one in await (await conn.execute(_CITIES)).fetchall()]
            more = f" and {len(cities) - MOST_CITIES} more" if len(cities) > MOST_CITIES else ""
            raise NoSuchPlace(
                f"I know no flights to or from {name!r}. There are flights between "
                f"{', '.join(cities[:MOST_CITIES])}{more}."
            )
    return row


async def flights(tenant: str, trip: Trip, dates: Dates) -> tuple[list[Flight], list[Flight]]:
    """The cheapest flights there and back with seats for all; back is empty for one way."""
    async with connection() as conn:

        async def leg(origin: str, destination: str, day: str) -> list[Flight]:
            asked = {
                "tenant": tenant, "origin": origin, "destination": destination, "day": day,
                "seats": trip.get("travellers", 1), "most": MOST,
            }  # fmt: skip
            return [_flight(row) for row in await (await conn.execute(_FLIGHTS, asked)).fetchall()]

        origin, destination = trip.get("origin", ""), trip.get("destination", "")
        there = await leg(origin, destination, dates["depart_on"])
        back = await leg(destination, origin, dates["return_on"]) if dates["return_on"] else []
    return there, back


async def nearby(tenant: str, trip: Trip, dates: Dates) -> list[NearbyFare]:
    """What everybody's flights cost at least on the days around, cheapest first; days without seats are left out."""
    asked = {
        "tenant": tenant, "origin": trip.get("origin", ""), "destination": trip.get("destination", ""), **dates,
        "days": NEARBY_DAYS, "seats": trip.get("travellers", 1),
    }  # fmt: skip
    async with connection() as conn:
        rows = await (await conn.execute(_NEARBY, asked)).fetchall()
    return [
        {
            "depart_on": row["depart_on"].isoformat(),
            "return_on": row["return_on"].isoformat() if row["return_on"] else None,
            "flights_usd": float(row["fare_usd"] * trip.get("travellers", 1)),
        }
        for row in rows
    ]


async def stays(tenant: str, trip: Trip, check_in: str, check_out: str) -> list[Stay]:
    """The cheapest hotels at the destination with rooms for all in every night."""
    asked = {
        "tenant": tenant, "place": trip.get("destination", ""), "check_in": check_in, "check_out": check_out,
        "travellers": trip.get("travellers", 1), "most": MOST,
    }  # fmt: skip
    async with connection() as conn:
        rows = await (await conn.execute(_STAYS, asked)).fetchall()
    return [
        {
            "id": f"H{row['hotel_id']}", "name": row["name"], "check_in": check_in, "check_out": check_out,
            "rooms": row["rooms"], "total_usd": float(row["total_usd"]),
        }
        for row in rows
    ]  # fmt: skip


def _flight(row: dict[str, Any]) -> Flight:
    return {
        "id": f"F{row['flight_id']}", "number": row["number"], "origin": row["origin"],
        "destination": row["destination"], "departs": f"{row['departs']:%Y-%m-%d %H:%M}",
        "arrives": f"{row['arrives']:%Y-%m-%d %H:%M}", "leaves_at": _moment(row["leaves_at"]),
        "lands_at": _moment(row["lands_at"]), "minutes": minutes_of(row), "price_usd": float(row["price_usd"]),
        "seats_left": row["seats_left"],
    }  # fmt: skip


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%MZ}"
