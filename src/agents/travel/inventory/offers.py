"""What a draft costs now, and the rows of what travellers were asked about."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from hashlib import sha256
from math import ceil
from typing import Any

from agents.shared.database import Connection, connection
from agents.shared.errors import PermanentError
from agents.shared.inboxes import is_inbox
from agents.shared.queries import load
from agents.travel.inventory.visas import visa_for
from agents.travel.state import Draft, Offer, Trip, Visa
from agents.travel.wording import lasting

_SQL = load(__file__)
_FLIGHTS_OF, _STAY_OF = _SQL["flights_of"], _SQL["stay_of"]
_NEWEST, _TRAVELLER, _KEEP = _SQL["newest"], _SQL["traveller"], _SQL["keep"]


class NoSuchOffer(PermanentError):
    """Nothing was offered on the thread."""


class SoldOut(PermanentError):
    """A part of the trip is no longer there; the message says which, in words for the traveller."""


@dataclass(frozen=True)
class Quote:
    """A draft as it stands in the tables now: ids, nights, price of the whole, and the trip in words."""

    outbound_id: int
    inbound_id: int | None
    hotel_id: int | None
    check_in: date | None
    check_out: date | None
    rooms: int | None
    travellers: int
    total: Decimal
    lines: list[str]
    visa: Visa


@dataclass(frozen=True)
class _Stay:
    hotel_id: int | None = None
    check_in: date | None = None
    check_out: date | None = None
    rooms: int | None = None
    usd: Decimal = Decimal(0)
    line: str = ""


async def quote(tenant: str, draft: Draft, trip: Trip) -> Quote:
    """Price the draft for everybody on the trip, and look up its visa. Raises SoldOut, DatabaseUnavailable."""
    travellers = trip.get("travellers", 1)
    wanted = [_number(draft[leg]) for leg in ("outbound", "inbound") if draft[leg]]
    async with connection() as conn:
        flown = await _flown(conn, tenant, wanted, travellers)
        stay = await _stay(conn, tenant, draft, flown, travellers)
    there = flown[0]
    days = (flown[-1]["departs"].date() - there["arrives"].date()).days + 1 if len(flown) > 1 else None
    return Quote(
        outbound_id=wanted[0],
        inbound_id=wanted[1] if len(wanted) > 1 else None,
        hotel_id=stay.hotel_id,
        check_in=stay.check_in,
        check_out=stay.check_out,
        rooms=stay.rooms,
        travellers=travellers,
        total=sum((flight["price_usd"] for flight in flown), Decimal(0)) * travellers + stay.usd,
        lines=[_flight_line(flight) for flight in flown] + ([stay.line] if stay.line else []),
        visa=await _visa(trip, there, days),
    )


def digest_of(offer: Mapping[str, Any]) -> str:
    """SHA-256 of all that is shown."""
    shown = {name: value for name, value in offer.items() if name != "digest"}
    return sha256(
        json.dumps(shown, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")
    ).hexdigest()


async def keep(
    tenant: str,
    thread_id: str,
    turn: int,
    quoted: Quote,
    offer: Offer,
    caller: str,
    *,
    max_holds: int | None = None,
) -> None:
    """Write down what the traveller is about to be shown; a re-run finds its row, unless that was agreed to already.

    The traveller is whoever was asked first in this request; an inbox asks for nothing of its own. `max_holds`: how
    many trips the assistant lets one have held at once; None leaves it to the tenant.
    """
    row = {
        "tenant": tenant, "thread_id": thread_id, "turn": turn, "digest": offer["digest"],
        "travellers": quoted.travellers, "outbound_id": quoted.outbound_id, "inbound_id": quoted.inbound_id,
        "hotel_id": quoted.hotel_id, "check_in": quoted.check_in, "check_out": quoted.check_out,
        "rooms": quoted.rooms, "visa": quoted.visa["requirement"], "total_usd": quoted.total,
        "hold_minutes": offer["hold_minutes"], "max_holds": max_holds,
    }  # fmt: skip
    for_others = await is_inbox(caller, tenant)
    async with connection() as conn:
        before = await newest_in(conn, tenant, thread_id)
        if before and (before["digest"], before["turn"], before["agreed"]) == (offer["digest"], turn, False):
            return
        first = await (await conn.execute(_TRAVELLER, {**row, "for_others": for_others})).fetchone()
        await conn.execute(_KEEP, {**row, "traveller": first["traveller"] if first else caller})


def minutes_of(flight: Mapping[str, Any]) -> int:
    """How long a flight takes, whatever the clocks of the places say."""
    return round((flight["lands_at"] - flight["leaves_at"]).total_seconds() / 60)


async def newest(tenant: str, thread_id: str) -> tuple[dict[str, Any], list[str]]:
    """What was offered last on the thread, with the trip in words. Raises NoSuchOffer, DatabaseUnavailable."""
    async with connection() as conn:
        row = await newest_in(conn, tenant, thread_id)
        if row is None:
            raise NoSuchOffer
        return row, await lines_in(conn, row)


async def newest_in(conn: Connection, tenant: str, thread_id: str) -> dict[str, Any] | None:
    """The same in a transaction; None where nothing was offered."""
    return await (await conn.execute(_NEWEST, {"tenant": tenant, "thread_id": thread_id})).fetchone()


async def lines_in(conn: Connection, offer: Mapping[str, Any]) -> list[str]:
    """An offer's trip in words."""
    ids = [offer[leg] for leg in ("outbound_id", "inbound_id") if offer[leg]]
    rows = await (await conn.execute(_FLIGHTS_OF, {"tenant": offer["tenant"], "ids": ids})).fetchall()
    lines = [_flight_line(row) for row in rows]
    if offer["hotel_id"]:
        stay = await (await conn.execute(_STAY_OF, offer)).fetchone()
        if stay is not None:
            lines.append(_stay_line(stay["name"], offer["rooms"], offer["check_in"], offer["check_out"]))
    return lines


async def _flown(conn: Connection, tenant: str, wanted: list[int], travellers: int) -> list[dict[str, Any]]:
    rows = await (await conn.execute(_FLIGHTS_OF, {"tenant": tenant, "ids": wanted})).fetchall()
    if [row["flight_id"] for row in rows] != wanted:
        raise SoldOut("a flight of this trip is no longer on sale")
    for row in rows:
        if not row["to_come"]:
            raise SoldOut(f"flight {row['number']} on {row['departs']:%Y-%m-%d} has left")
        if row["seats_left"] < travellers:
            raise SoldOut(
                f"flight {row['number']} on {row['departs']:%Y-%m-%d} has {row['seats_left']} seats left, and "
                f"{travellers} are needed"
            )
    return rows


async def _stay(
    conn: Connection, tenant: str, draft: Draft, flown: list[dict[str, Any]], travellers: int
) -> _Stay:
    if not draft["hotel"] or len(flown) < 2:
        return _Stay()
    check_in, check_out = flown[0]["arrives"].date(), flown[1]["departs"].date()
    hotel_id = _number(draft["hotel"])
    asked = {"tenant": tenant, "hotel_id": hotel_id, "check_in": check_in, "check_out": check_out}
    row = await (await conn.execute(_STAY_OF, asked)).fetchone()
    if row is None or row["place"] != flown[0]["destination_code"]:
        raise SoldOut("the hotel of this trip is no longer on sale")
    rooms = ceil(travellers / row["sleeps"])
    if row["nights"] != (check_out - check_in).days or row["rooms_left"] < rooms:
        raise SoldOut(f"{row['name']} has no room for all nights from {check_in} to {check_out}")
    return _Stay(
        hotel_id,
        check_in,
        check_out,
        rooms,
        row["usd"] * rooms,
        _stay_line(row["name"], rooms, check_in, check_out),
    )


async def _visa(trip: Trip, there: Mapping[str, Any], days: int | None) -> Visa:
    if there["country"] == there["origin_country"]:
        return {
            "country": there["country"],
            "passports": [],
            "requirement": "none",
            "says": "no border is crossed",
        }
    return await visa_for(trip.get("passports", []), there["country"], days)


def _number(ref: str | None) -> int:
    """The number in an id such as F17; 0, which nothing has, for what is none."""
    digits = (ref or "")[1:]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else 0


def _flight_line(row: Mapping[str, Any]) -> str:
    return (
        f"{row['number']} {row['origin']} to {row['destination']}, {row['departs']:%Y-%m-%d %H:%M}, arrives "
        f"{row['arrives']:%Y-%m-%d %H:%M} local time, {lasting(minutes_of(row))}"
    )


def _stay_line(name: str, rooms: int, check_in: date, check_out: date) -> str:
    return f"{name}, {rooms} room{'s' * (rooms != 1)}, {check_in} to {check_out}"
