"""What the graph does before it asks, done by hand: a draft is quoted, written down, and agreed to."""

from typing import Any

from agents.travel import inventory
from agents.travel.state import Draft, Offer, Trip
from tests.agents.travel.agency import Agency

TRIP: Trip = {
    "origin": "BER", "destination": "LIS", "countries": ["DE", "PT"], "travellers": 1, "passports": ["DE"],
    "hotel": True,
}  # fmt: skip


def draft_of(*refs: object) -> Draft:
    outbound, inbound, hotel = [*refs, None, None][:3]
    return {
        "outbound": f"F{outbound}",
        "inbound": f"F{inbound}" if inbound else None,
        "hotel": f"H{hotel}" if hotel else None,
    }


async def offered(
    agency: Agency, thread: str, draft: Draft, *, turn: int = 1, by: str = "rosa", **trip: Any
) -> Offer:
    """Quoted and written down, as the graph does it before it asks."""
    quoted = await inventory.quote(agency.tenant, draft, {**TRIP, **trip})  # pyright: ignore[reportArgumentType]
    offer: Offer = {
        "digest": "", "total_usd": float(quoted.total), "budget_usd": None, "travellers": quoted.travellers,
        "lines": quoted.lines, "visa": quoted.visa["requirement"], "visa_says": quoted.visa["says"],
        "hold_minutes": 30, "replaces": None,
    }  # fmt: skip
    offer["digest"] = inventory.digest_of(offer)
    await inventory.keep(agency.tenant, thread, turn, quoted, offer, by)
    return offer


async def agreed(agency: Agency, thread: str, draft: Draft, **more: Any) -> Offer:
    offer = await offered(agency, thread, draft, **more)
    await inventory.agree(agency.tenant, thread, offer, "hold", more.get("by", "rosa"))
    return offer
