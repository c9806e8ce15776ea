"""What the peers may call. A tool that can't do what is asked raises ToolRefused, whose words the model reads; what
fails in between is tried again by the middleware around the tools. None of them has an effect on the world: they look
things up and remember them, and what is proposed goes to the traveller first.
"""

import json
from typing import Annotated, Any

from langchain.tools import tool
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.types import Command
from pydantic import Field

from agents.shared.callers import caller_of
from agents.shared.resilience import breaker
from agents.shared.thread_tenants import tenant_of
from agents.travel import inventory, trips
from agents.travel.context import Context
from agents.travel.leaving import Runtime, hand_overs, leave
from agents.travel.noting import (
    CLEARED,
    LARGEST_USD,
    MOST_TRAVELLERS,
    ToolRefused,
    noted,
    noted_as_far,
    reads_a_day,
    require_written,
    today_there,
)  # fmt: skip
from agents.travel.prompts import DATES_ANEW
from agents.travel.state import Dates, Draft, Peer, Stay, Trip, Update
from agents.travel.words import lets_go

Day = Annotated[str, Field(max_length=10, description="YYYY-MM-DD")]
Place = Annotated[str, Field(max_length=80, description="A city, as the traveller wrote it")]
Ref = Annotated[str, Field(max_length=20, description="The id of what was found, such as F12 or H3")]
FARTHEST_SHIFT = 14
"""Days by which other dates may differ from those that the traveller named."""


@tool
async def note_trip(
    runtime: Runtime,
    origin: Place | None = None,
    destination: Place | None = None,
    depart_on: Day | None = None,
    return_on: Day | None = None,
    one_way: Annotated[bool, Field(description="True if there is no way back")] = False,
    travellers: Annotated[int | None, Field(ge=1, le=MOST_TRAVELLERS, description="How many travel")] = None,
    budget_usd: Annotated[
        float | None, Field(gt=0, le=LARGEST_USD, description="For the whole trip and all travellers")
    ] = None,
    passports: Annotated[
        list[Annotated[str, Field(max_length=3)]] | None,
        Field(max_length=MOST_TRAVELLERS, description="Countries of the passports, as two letters"),
    ] = None,
    hotel: Annotated[
        bool | None, Field(description="Whether rooms are wanted; they are, if nothing is said")
    ] = None,
) -> Command[Any]:
    """Note what the traveller says of the trip; what is left out stays as it was."""
    said = {
        "origin": origin, "destination": destination, "depart_on": depart_on, "return_on": return_on,
        "one_way": one_way, "travellers": travellers, "budget_usd": budget_usd, "passports": passports, "hotel": hotel,
    }  # fmt: skip
    before, today = _trip(runtime), runtime.state.get("today", "")
    if budget_usd is not None:
        require_written(budget_usd, _written(runtime))
    async with breaker("travel"):
        there = await today_there(said, today)
        anew = there != today and reads_a_day(said, _written(runtime))
        if anew:  # `tomorrow` was read by another day than the one that it is there
            said = {**said, "depart_on": None, "return_on": None, "one_way": False}
        changes, wrong = await noted_as_far(before, said, there)
    moved = [changes.get(day, before.get(day)) != before.get(day) for day in ("depart_on", "return_on")]
    if runtime.state.get("seen") and any(moved):
        raise ToolRefused(
            "The traveller's dates were noted and searched: try other dates with try_other_dates."
        )
    trip: Trip = {**before, **changes}
    result = {"trip": trip, "missing": trips.missing(trip), "today": there}
    if wrong:
        result["not_noted"] = " ".join(wrong)
    if anew:
        result["dates"] = (
            f"{DATES_ANEW}: where the trip begins, today is {there}. Read them again, and note them."
        )
    return _told(runtime, result, trip=changes, today=there, visa=None, **CLEARED)


@tool
async def search_flights(runtime: Runtime) -> Command[Any]:
    """Search flights for the trip's dates, with seats for all; cheapest first, with the fares of the days around."""
    return await _searched(runtime, _dates(runtime))


@tool
async def try_other_dates(depart_on: Day, runtime: Runtime, return_on: Day | None = None) -> Command[Any]:
    """Search flights for other dates than the traveller named. Only a few tries are left; see `date_tries_left`."""
    tries, most = runtime.state.get("date_tries", 0), Context.of(runtime).max_date_tries
    if tries >= most:
        raise ToolRefused(
            f"Other dates were tried {tries} times: say what was found, and let the traveller choose."
        )
    trip: Trip = runtime.state.get("trip") or {}
    wanted = {"depart_on": depart_on, "return_on": return_on, "one_way": return_on is None}
    days = await noted(trip, wanted, runtime.state.get("today", ""))
    asked: Dates = {"depart_on": days.get("depart_on", ""), "return_on": days.get("return_on")}
    tried = [(one["depart_on"], one["return_on"]) for one in runtime.state.get("seen", [])]
    if (asked["depart_on"], asked["return_on"]) in tried:
        raise ToolRefused("These dates were tried already; what they came to stands in `seen`.")
    own = trip.get("depart_on")
    if bool(asked["return_on"]) != bool(trip.get("return_on")) or not own:
        raise ToolRefused("Other dates have a way back where the trip has one, and no other.")
    if abs(trips.days_between(own, asked["depart_on"])) > FARTHEST_SHIFT:
        raise ToolRefused(
            f"That is more than {FARTHEST_SHIFT} days from {own}: ask the traveller for other dates."
        )
    return await _searched(runtime, asked, {"dates": asked, "date_tries": tries + 1})


@tool
async def search_hotels(runtime: Runtime) -> Command[Any]:
    """Search hotels with rooms for all in every night between the flights that were found; cheapest first."""
    way = trips.best({**runtime.state, "hotels_found": None, "trip": {**_trip(runtime), "hotel": False}})
    found = runtime.state.get("flights_found")
    if not found or way.draft is None:
        raise ToolRefused(f"First there must be flights for these dates: {way.why}.")
    if not trips.wants_hotel(runtime.state):
        raise ToolRefused("This trip has no nights in a hotel.")
    legs = {flight["id"]: flight for flight in [*found["outbound"], *found["inbound"]]}
    check_in = legs[way.draft["outbound"]]["arrives"][:10]
    check_out = legs[way.draft["inbound"] or ""]["departs"][:10]
    stays: list[Stay] = []
    if check_in < check_out:
        async with breaker("travel"):
            stays = await inventory.stays(await _tenant(runtime), _trip(runtime), check_in, check_out)
    hotels = {"check_in": check_in, "check_out": check_out, "stays": stays}
    after = {**runtime.state, "hotels_found": hotels}
    return _told(runtime, {"stays": stays, **_standing(after)}, hotels_found=hotels, seen=trips.seen(after))


@tool
async def check_visa(runtime: Runtime) -> Command[Any]:
    """Look up in the table which visa the passports need for the destination; both must have been noted."""
    trip = _trip(runtime)
    if not trip.get("destination") or not trip.get("passports"):
        raise ToolRefused("Note the destination and the passports first; ask for what is not known.")
    days = trips.days_there(runtime.state)
    async with breaker("travel"):
        country = (await inventory.place(trip.get("destination", "")))["country"]
        visa = await inventory.visa_for(trip.get("passports", []), country, days)
    return _told(runtime, visa, visa=visa)


@tool
async def propose_trip(
    outbound: Ref, runtime: Runtime, inbound: Ref | None = None, hotel: Ref | None = None
) -> Command[Any]:
    """Show the traveller a trip, by the ids of what was found, and ask whether it shall be held."""
    trip, state = _trip(runtime), runtime.state
    found, rooms = state.get("flights_found"), state.get("hotels_found")
    legs = {flight["id"]: flight for flight in [*found["outbound"], *found["inbound"]]} if found else {}
    stays = {stay["id"] for stay in rooms["stays"]} if rooms else set[str]()
    unknown = [ref for ref in (outbound, inbound) if ref and ref not in legs]
    unknown += [hotel] if hotel and hotel not in stays else []
    if unknown:
        raise ToolRefused(
            f"{', '.join(unknown)} was not found for these dates: search, and use the ids of the result."
        )
    if trips.missing(trip):
        raise ToolRefused(f"Ask for this first: {'; '.join(trips.missing(trip))}.")
    if bool(inbound) != bool(trip.get("return_on")):
        raise ToolRefused("The proposal needs a way back where the trip has one, and no other.")
    if inbound and not trips.leaves_after(legs[inbound], legs[outbound]):
        raise ToolRefused("The way back leaves before the way there has arrived.")
    draft: Draft = {"outbound": outbound, "inbound": inbound, "hotel": hotel}
    async with breaker("travel"):
        quoted = await inventory.quote(await _tenant(runtime), draft, trip)
    over = trips.over_budget(trip, float(quoted.total))
    if over:
        raise ToolRefused(
            f"${quoted.total:,.2f} is ${over:,.2f} above the budget: find another, or say what there is."
        )
    return leave(runtime, "offer", "The traveller is asked.", draft=draft)


@tool
async def release_hold(runtime: Runtime) -> Command[Any]:
    """End what is held for the traveller, when the newest message asks for it."""
    if not lets_go(_written(runtime)[-1]):
        raise ToolRefused("The newest message does not ask for it: ask the traveller to write `release`.")
    return leave(runtime, "release", "It is released.", release=True)


def tools_of(peer: Peer) -> list[BaseTool]:
    """What a peer may call."""
    own: dict[Peer, list[BaseTool]] = {
        "flights": [search_flights, try_other_dates],
        "hotels": [search_hotels],
        "visas": [check_visa],
    }
    return [note_trip, *own[peer], propose_trip, release_hold, *hand_overs(peer)]


def _written(runtime: Runtime) -> list[str]:
    """What the traveller has written, the newest last; never nothing."""
    return ["", *(message.text for message in runtime.state["messages"] if message.type == "human")]


def _trip(runtime: Runtime) -> Trip:
    return runtime.state.get("trip") or {}


def _dates(runtime: Runtime) -> Dates:
    lacks, dates = trips.missing(_trip(runtime)), trips.dates_of(runtime.state)
    if dates is None or any(what.startswith(("where", "when", "the way back")) for what in lacks):
        raise ToolRefused(f"Ask for this first: {'; '.join(lacks)}.")
    return dates


async def _searched(runtime: Runtime, dates: Dates, moved: Update | None = None) -> Command[Any]:
    update = moved or {}
    trip, tenant = _trip(runtime), await _tenant(runtime)
    async with breaker("travel"):
        await inventory.expire()
        there, back = await inventory.flights(tenant, trip, dates)
        nearby = await inventory.nearby(tenant, trip, dates)
    found = {**dates, "outbound": there, "inbound": back, "nearby": nearby}
    after = {**runtime.state, **update, "flights_found": found, "hotels_found": None}
    shown = {**found, **_standing(after)}
    return _told(runtime, shown, **update, flights_found=found, hotels_found=None, seen=trips.seen(after))


def _standing(state: dict[str, Any]) -> dict[str, Any]:
    """How the cheapest way stands to the budget."""
    way = trips.best(state)
    over = trips.over_budget(state.get("trip") or {}, way.total_usd) if way.total_usd is not None else None
    return {"cheapest_usd": way.total_usd, "over_budget_usd": over, "why_not": way.why}


async def _tenant(runtime: Runtime) -> str:
    thread_id = str(runtime.config.get("configurable", {}).get("thread_id") or "")
    return await tenant_of(caller_of(runtime.config), thread_id)


def _told(runtime: Runtime, result: object, **update: Any) -> Command[Any]:
    """The tool's result, and what the graph remembers of it."""
    text = json.dumps(result, ensure_ascii=False, default=str)
    return Command(
        update={**update, "messages": [ToolMessage(text, tool_call_id=runtime.tool_call_id or "")]}
    )
