"""What a trip lacks, what the cheapest way to make it is, and what the peers are told of it: pure, from state alone."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from agents.travel.state import Dates, Draft, Flight, FlightsFound, Seen, Trip

TOP = 3
"""Options of a search that a prompt repeats; all of them stand in the tool's result."""


@dataclass(frozen=True)
class Best:
    """The cheapest way for the dates that are looked at, or `why` there is none (yet)."""

    draft: Draft | None = None
    total_usd: float | None = None
    why: str = ""


def missing(trip: Trip) -> list[str]:
    """What has to be known before anything can be searched, in words."""
    lacks = []
    if not trip.get("origin"):
        lacks.append("where from")
    if not trip.get("destination"):
        lacks.append("where to")
    if not trip.get("depart_on"):
        lacks.append("when (YYYY-MM-DD)")
    if not trip.get("return_on") and not trip.get("one_way"):
        lacks.append("the way back (a date, or `one way`)")
    if crosses_border(trip) and not trip.get("passports"):
        lacks.append("which passport each traveller has")
    return lacks


def crosses_border(trip: Trip) -> bool:
    """Whether it leads into another country; not known counts as no."""
    countries = trip.get("countries", [])
    return len(countries) == 2 and countries[0] != countries[1]


def dates_of(state: Mapping[str, Any]) -> Dates | None:
    """The dates that are looked at now."""
    trip: Trip = state.get("trip") or {}
    if state.get("dates"):
        return state["dates"]
    if not trip.get("depart_on"):
        return None
    return {"depart_on": trip.get("depart_on", ""), "return_on": trip.get("return_on")}


def wants_hotel(state: Mapping[str, Any]) -> bool:
    """Whether rooms are part of the trip: unless they were declined, where there is a night."""
    trip: Trip = state.get("trip") or {}
    dates = dates_of(state)
    return trip.get("hotel", True) and bool(
        dates and dates["return_on"] and dates["return_on"] > dates["depart_on"]
    )


def best(state: Mapping[str, Any]) -> Best:
    """The cheapest flights and hotel of what was found for these dates."""
    trip: Trip = state.get("trip") or {}
    found, dates = state.get("flights_found"), dates_of(state)
    if not found or dates is None or (found["depart_on"], found["return_on"]) != tuple(dates.values()):
        return Best(why="flights were not searched for these dates")
    pairs = list(_pairs(found))
    if not pairs:
        which = "there" if not found["outbound"] else "back"
        return Best(why=f"there is no flight {which} with enough seats")
    outbound, inbound = min(pairs, key=lambda pair: sum(leg["price_usd"] for leg in pair if leg))
    usd = (outbound["price_usd"] + (inbound["price_usd"] if inbound else 0)) * trip.get("travellers", 1)
    hotel = None
    if wants_hotel(state):
        rooms = state.get("hotels_found")
        if rooms is None:
            return Best(why="hotels were not searched for these dates")
        if rooms["check_in"] < rooms["check_out"]:  # else the night is spent in the air
            if not rooms["stays"]:
                return Best(why="there is no hotel with enough rooms for all nights")
            hotel = rooms["stays"][0]
            usd += hotel["total_usd"]
    draft: Draft = {
        "outbound": outbound["id"],
        "inbound": inbound["id"] if inbound else None,
        "hotel": hotel["id"] if hotel else None,
    }
    return Best(draft, round(usd, 2))


def _pairs(found: FlightsFound) -> Iterator[tuple[Flight, Flight | None]]:
    """Each way there with each way back that leaves after it has arrived."""
    for outbound in found["outbound"]:
        if not found["return_on"]:
            yield outbound, None
        for inbound in found["inbound"]:
            if leaves_after(inbound, outbound):
                yield outbound, inbound


def leaves_after(inbound: Flight, outbound: Flight) -> bool:
    """Whether the way back leaves after the way there has arrived; flights of older threads have no moments."""
    left, landed = inbound.get("leaves_at"), outbound.get("lands_at")
    return left > landed if left and landed else inbound["departs"] > outbound["arrives"]


def over_budget(trip: Trip, total_usd: float) -> float:
    """How far above the budget, in USD; 0 within it, and where there is none."""
    budget = trip.get("budget_usd")
    return max(round(total_usd - budget, 2), 0.0) if budget is not None else 0.0


def seen(state: Mapping[str, Any]) -> list[Seen]:
    """What these dates came to, once that is known."""
    dates, way = dates_of(state), best(state)
    if dates is None or "not searched" in way.why:
        return []
    says = way.why
    if way.total_usd is not None:
        over = over_budget(state.get("trip") or {}, way.total_usd)
        says = f"${way.total_usd:,.2f} in all" + (f", ${over:,.2f} above the budget" if over else "")
    return [{**dates, "total_usd": way.total_usd, "says": says}]


def facts(state: Mapping[str, Any], *, date_tries: int) -> dict[str, Any]:
    """What a peer is told; `date_tries` is how often other dates may be tried in one request."""
    trip: Trip = state.get("trip") or {}
    way, flights, hotels = best(state), state.get("flights_found"), state.get("hotels_found")
    over = over_budget(trip, way.total_usd) if way.total_usd is not None else 0.0
    fits = way.draft is not None and not over
    return {
        "today": state.get("today"),
        "trip": dict(trip),
        "missing": missing(trip),
        "dates": dates_of(state),
        "date_tries_left": max(date_tries - state.get("date_tries", 0), 0),
        "wants_hotel": wants_hotel(state),
        "crosses_border": crosses_border(trip),
        "flights": {name: flights[name][:TOP] for name in ("outbound", "inbound")} if flights else None,
        "nearby": flights["nearby"] if flights else [],
        "hotels": hotels["stays"][:TOP] if hotels else None,
        "best": {**way.draft, "total_usd": way.total_usd, "over_budget_usd": over} if way.draft else None,
        "fits": fits,
        "why_not": way.why or (f"${over:,.2f} above the budget" if over else ""),
        "seen": state.get("seen", []),
        "visa": state.get("visa"),
        "hold": state.get("hold"),
        "problem": state.get("problem"),
    }


def days_there(state: Mapping[str, Any]) -> int | None:
    """Days of the stay by the calendar there, the first and the last counted; None where there is no way back."""
    dates, found = dates_of(state), state.get("flights_found")
    if dates is None or not dates["return_on"]:
        return None
    arrivals = [flight["arrives"][:10] for flight in found["outbound"]] if found else []
    return days_between(min(arrivals, default=dates["depart_on"]), dates["return_on"]) + 1


def days_between(first: str, last: str) -> int:
    """Days from one ISO date to another."""
    return (date.fromisoformat(last) - date.fromisoformat(first)).days
