"""The traveller's yes, and what is held after it: in one transaction, once a request, until it is let go or expires."""

from collections.abc import Mapping
from typing import Any, Literal

import psycopg
from psycopg.errors import CheckViolation

from agents.shared.database import Connection, connection
from agents.shared.errors import PermanentError
from agents.shared.inboxes import is_inbox
from agents.shared.queries import load
from agents.shared.shop.text import storable
from agents.shared.zones import zone
from agents.travel.inventory.offers import NoSuchOffer, SoldOut, digest_of, lines_in, newest_in
from agents.travel.state import Held, Offer

_SQL = load(__file__)
_EXPIRE, _AGREE = _SQL["expire"], _SQL["agree"]
_ONE_AT_A_TIME, _BY_KEY, _LIVE = _SQL["one_at_a_time"], _SQL["by_key"], _SQL["live"]
_LET_GO, _HOLD, _OFFER_OF = _SQL["let_go"], _SQL["hold"], _SQL["offer_of"]
_SHARE_EXCEEDED, _OTHERS_HELD = _SQL["share_exceeded"], _SQL["others_held"]
_IN_ORDER = [_SQL[name] for name in ("one_traveller_at_a_time", "lock_hold", "lock_flights", "lock_nights")]
_SOLD_OUT = {
    "flights_capacity": "the last seats of this trip were taken a moment ago",
    "room_nights_capacity": "the last room of this trip was taken a moment ago",
    "holds_available": "a part of this trip is no longer on sale",
}


class NotAgreed(PermanentError):
    """Nobody who may has said yes to exactly this; the message says what is missing."""


class PriceChanged(PermanentError):
    """It costs something else than was shown; nothing was taken."""


class ShareExceeded(PermanentError):
    """The traveller has as much held on other threads as one may; the message says how much, and until when."""


async def agree(
    tenant: str,
    thread_id: str,
    shown: Offer,
    kind: Literal["visa", "hold"],
    by: str,
    named: str | None = None,
) -> None:
    """Keep that the traveller said yes to what was shown. `by` is whose key the answer came with; where that is an
    inbox, `named` is whom it names.

    Raises NotAgreed where it is not theirs to say, or where something else was shown than the book has.
    """
    inbox = await is_inbox(by, tenant)
    async with connection() as conn:
        offer = await newest_in(conn, tenant, thread_id)
        if offer is None or offer["digest"] != digest_of(shown):
            raise NotAgreed("what was shown is not what was offered: look at it again")
        if offer["traveller"] != by and not inbox:
            raise NotAgreed(f"this is {offer['traveller']}'s trip, and {by} can't say yes to it")
        agreed_by = f"{storable(named)}, by {by}" if inbox and named else by
        await conn.execute(_AGREE, {"offer_id": offer["offer_id"], "kind": kind, "agreed_by": agreed_by})


async def hold(tenant: str, thread_id: str) -> Held:
    """Hold what was offered last on the thread, instead of what is held there: all of it, or nothing.

    The same request again gets the hold that it has made, whatever became of it. Raises SoldOut, PriceChanged,
    ShareExceeded, NotAgreed, NoSuchOffer, DatabaseUnavailable.
    """
    await expire()
    try:
        async with connection() as conn:
            await conn.execute(_ONE_AT_A_TIME, {"tenant": tenant, "thread_id": thread_id})
            offer = await newest_in(conn, tenant, thread_id)
            if offer is None:
                raise NoSuchOffer
            key = f"{thread_id}:{offer['turn']}"
            made = await (await conn.execute(_BY_KEY, {"tenant": tenant, "key": key})).fetchone()
            if made is None:
                await _make_room(conn, offer)
                made = await (await conn.execute(_HOLD, {"offer_id": offer["offer_id"]})).fetchone()
            return await _held(conn, made or {})
    except CheckViolation as error:
        if error.diag.constraint_name == "holds_share":
            await share_exceeded(tenant, thread_id)
        raise _in_words(error) from error


async def share_exceeded(tenant: str, thread_id: str) -> None:
    """Raises ShareExceeded where the thread's last offer can't be held beside the traveller's trips elsewhere."""
    async with connection() as conn:
        offer = await newest_in(conn, tenant, thread_id)
        if offer is None:
            return
        row = await (await conn.execute(_SHARE_EXCEEDED, {"offer_id": offer["offer_id"]})).fetchone()
        if row is None or row["says"] is None:
            return
        others = await (await conn.execute(_OTHERS_HELD, offer)).fetchall()
    held = [
        f"{_reference(one)}, {one['origin']} to {one['destination']}, until {await _until(one, one['origin'])}"
        for one in others
    ]
    raise ShareExceeded(f"{row['says']}: {'; '.join(held)}")


async def live_hold(tenant: str, thread_id: str) -> Held | None:
    """What is held for the thread now."""
    async with connection() as conn:
        row = await (await conn.execute(_LIVE, {"tenant": tenant, "thread_id": thread_id})).fetchone()
        return await _held(conn, row) if row else None


async def release(tenant: str, thread_id: str, by: str) -> Held | None:
    """End what is held for the thread; None where nothing is. Raises NotAgreed for whom it is not held for."""
    inbox, asked = await is_inbox(by, tenant), {"tenant": tenant, "thread_id": thread_id}
    async with connection() as conn:
        await conn.execute(_EXPIRE)
        held = await (await conn.execute(_LIVE, asked)).fetchone()
        if held is not None and held["traveller"] != by and not inbox:
            raise NotAgreed(f"this is held for {held['traveller']}, and {by} can't release it")
        row = await (await conn.execute(_LET_GO, asked)).fetchone()
        return await _held(conn, row) if row else None


async def expire() -> None:
    """Free what was held and has expired; searches do so before they look."""
    async with connection() as conn:
        await conn.execute(_EXPIRE)


async def _make_room(conn: Connection, offer: Mapping[str, Any]) -> None:
    """End what the traveller has held on the thread; what is held there for somebody else stays."""
    for lock in _IN_ORDER:
        await conn.execute(lock, offer)
    live = await (await conn.execute(_LIVE, offer)).fetchone()
    if live is not None and live["traveller"] != offer["traveller"]:
        raise NotAgreed(f"a trip of {live['traveller']}'s is held on this thread: begin one of your own")
    await conn.execute(_LET_GO, offer)


async def _held(conn: Connection, row: Mapping[str, Any]) -> Held:
    offer = await (await conn.execute(_OFFER_OF, {"hold_id": row["hold_id"]})).fetchone() or {}
    return {
        "reference": _reference(row),
        "total_usd": float(row["total_usd"]),
        "expires_at": await _until({**offer, **row}, offer["city"]),
        "status": row["status"],
        "lines": await lines_in(conn, offer),
    }


def _reference(row: Mapping[str, Any]) -> str:
    return f"T{row['hold_id']:05d}"


async def _until(row: Mapping[str, Any], city: str) -> str:
    """When it expires, by the clock of where the trip begins."""
    return f"{row['expires_at'].astimezone(await zone(row['zone'])):%Y-%m-%d %H:%M}, {city} time"


def _in_words(error: psycopg.Error) -> Exception:
    name = error.diag.constraint_name or ""
    if name in _SOLD_OUT:
        return SoldOut(_SOLD_OUT[name])
    if name == "holds_price_as_shown":
        return PriceChanged(f"it costs ${error.diag.message_primary} by now")
    if name == "holds_share":
        return ShareExceeded(error.diag.message_primary or "")
    if name in ("holds_agreed", "holds_visa"):
        return NotAgreed(error.diag.message_primary or "nobody has agreed to it")
    return error
