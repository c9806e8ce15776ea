"""The form of an agency's inventory: one row of places, flights, hotels, nights or visas.

Times are as on a ticket, by the clock of the place: `2026-12-18 07:20`. An offset may follow (`+01:00`, `Z`), which
tells an hour apart that comes twice because clocks are put back.
"""

import re
from datetime import date, datetime
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from stationmaster.reconcile.files.schedules import check_zone
from stationmaster.shop.export_form import Name, Text, Usd

_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:00)?(Z|[+-]\d\d:\d\d)?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_OF_A_PLACE = re.compile(r"UTC|[A-Z][A-Za-z_]*(/[A-Z][A-Za-z_-]*){1,2}")
MOST = 32_767
"""Seats or rooms that the tables take."""
YEARS = range(2000, 2200)
Day = TypeVar("Day", bound=date)


def _dated(day: Day) -> Day:
    """Clocks can't be read at the ends of the calendar, and nobody sells anything there."""
    if day.year not in YEARS:
        raise ValueError(f"the year must be {YEARS[0]} to {YEARS[-1]}")
    return day


def _time(value: object) -> datetime:
    """A local time; a number of seconds is none."""
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise ValueError("must be a local time such as 2026-12-18 07:20")
    return _dated(datetime.fromisoformat(value))


def _day(value: object) -> date:
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        raise ValueError("must be a date such as 2026-12-18")
    return _dated(date.fromisoformat(value))


def _names(value: object) -> object:
    """In a table's cell, other names stand with a semicolon between them."""
    return [part.strip() for part in value.split(";") if part.strip()] if isinstance(value, str) else value


def _zone(text: str) -> str:
    if not _OF_A_PLACE.fullmatch(check_zone(text)):
        raise ValueError(f"{text!r} is a rule and no place: write one like Europe/London")
    return text


def _number(value: object) -> object:
    """JSON's true is not 1."""
    if isinstance(value, bool):
        raise ValueError("must be a number")  # noqa: TRY004 - pydantic reports ValueError, and raises TypeError
    return value


Code = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
Country = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")]
Clock = Annotated[datetime, BeforeValidator(_time)]
Price = Annotated[Usd, BeforeValidator(_number)]
Many = Annotated[int, Field(ge=0, le=MOST), BeforeValidator(_number)]


class InventoryRow(BaseModel):
    """A row; a column that is not known is an error, since a misspelt one would be left aside."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class PlaceRow(InventoryRow):
    """A place that is flown to. Without `aliases`, those that it has stay."""

    code: Code
    city: Name
    country: Country
    zone: Annotated[str, AfterValidator(_zone)]
    aliases: Annotated[
        list[Annotated[Name, StringConstraints(to_lower=True)]] | None, BeforeValidator(_names)
    ] = None


class FlightRow(InventoryRow):
    """A flight on a day; `price_usd` is for one seat."""

    number: Annotated[str, StringConstraints(pattern=r"^[A-Z0-9]{2}[0-9]{1,4}$")]
    origin: Code
    destination: Code
    departs: Clock
    arrives: Clock
    price_usd: Price
    seats: Many


class HotelRow(InventoryRow):
    """A hotel, and how many sleep in a room of it."""

    place: Code
    name: Name
    sleeps: Annotated[int, Field(ge=1, le=9), BeforeValidator(_number)]


class NightRow(InventoryRow):
    """Rooms of a hotel in one night, the one that begins on that day; `price_usd` is for one room."""

    place: Code
    hotel: Name
    night: Annotated[date, BeforeValidator(_day)]
    price_usd: Price
    rooms: Many


class VisaRow(InventoryRow):
    """What holders of a passport need for a country; `max_days` is how long they may stay so."""

    passport: Country
    destination: Country
    requirement: Literal["none", "on_arrival", "eta", "required"]
    max_days: Annotated[Annotated[int, Field(ge=1, le=MOST)] | None, BeforeValidator(_number)] = None
    note: Text = ""
