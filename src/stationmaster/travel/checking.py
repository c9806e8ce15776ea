"""Says what does not fit together in an inventory, and what it would take from travellers: places that are not known,
times that are none, fewer seats than are held."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from stationmaster.shop.reading import Problem
from stationmaster.travel.files import Inventory
from stationmaster.travel.form import FlightRow
from stationmaster.travel.moments import NoMoment, moment_of

LONGEST = timedelta(hours=24)


@dataclass(frozen=True)
class Known:
    """What the tables hold already: the zone of each place by its code, and the agency's hotels by place and name."""

    zones: Mapping[str, str] = field(default_factory=dict)
    hotels: frozenset[tuple[str, str]] = frozenset()


def check(inventory: Inventory, known: Known) -> tuple[dict[int, dict[str, Any]], list[Problem]]:
    """The flights with their moments, as the tables take them, by row; and everything that is wrong between rows.

    A place or a hotel whose own row is bad counts as known, so that what is wrong is said once.
    """
    zones = {**known.zones, **{row.code: row.zone for row in inventory.places.rows.values()}}
    flights: dict[int, dict[str, Any]] = {}
    problems: list[Problem] = []
    for place, row in inventory.flights.rows.items():
        wrong = list(_unknown(inventory, zones, origin=row.origin, destination=row.destination))
        if row.origin == row.destination:
            wrong.append("destination: is where it begins")
        if not wrong and row.origin in zones and row.destination in zones:
            flights[place], wrong = _timed(row, zones)
        problems += [inventory.flights.problem(place, what) for what in wrong]
    for place, row in inventory.hotels.rows.items():
        problems += [
            inventory.hotels.problem(place, what) for what in _unknown(inventory, zones, place=row.place)
        ]
    for place, row in inventory.nights.rows.items():
        if (row.place, row.hotel) not in known.hotels and not inventory.hotels.may_have(row.place, row.hotel):
            what = f"hotel: there is no {row.hotel!r} in {row.place}"
            problems.append(inventory.nights.problem(place, what))
    return flights, problems


def _unknown(inventory: Inventory, zones: Mapping[str, str], **codes: str) -> Iterator[str]:
    for column, code in codes.items():
        if code not in zones and not inventory.places.may_have(code):
            yield f"{column}: there is no place {code}, neither here nor in places"


def _timed(row: FlightRow, zones: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """The row with local times and moments, and what is wrong with them."""
    wrong: list[str] = []
    found: dict[str, datetime] = {}
    ends = (("departs", "leaves_at", row.origin), ("arrives", "lands_at", row.destination))
    for column, moment, code in ends:
        try:
            found[column], found[moment] = moment_of(getattr(row, column), zones[code])
        except NoMoment as error:
            wrong.append(f"{column}: {error}")
    if not wrong:
        takes = found["lands_at"] - found["leaves_at"]
        if takes <= timedelta():
            wrong.append("arrives: is not after it departs, by the clocks of both places")
        elif takes > LONGEST:
            wrong.append(
                f"arrives: {takes // timedelta(hours=1)} hours after it departs, which no flight takes"
            )
    return {**row.model_dump(), **found}, wrong
