"""What a traveller says of the trip, checked before it is taken: places that exist, dates to come, numbers in range."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any, cast

from agents.shared.errors import PermanentError
from agents.travel import inventory
from agents.travel.clock import today_for
from agents.travel.state import Trip, Update

FARTHEST_DAYS = 365
LONGEST_DAYS = 60
MOST_TRAVELLERS = 9
LARGEST_USD = 1_000_000
_NUMBER = re.compile(
    r"(?<![\d.,])(\d{1,3}(?: \d{3})+(?!\d)|\d[\d,]*(?:\.\d+)?)(?:\s?(k|thousand|grand)\b)?", re.IGNORECASE
)
CLEARED: Update = {"dates": None, "flights_found": None, "hotels_found": None, "draft": None}
"""What was found belongs to the trip as it was."""


class ToolRefused(PermanentError):
    """What was asked of a tool can't be; the message is for the model and the traveller, and holds nothing internal."""


def require_written(budget_usd: float, texts: Iterable[str]) -> None:
    """A budget is the traveller's: it has to stand in what they wrote, or it is asked for. Raises ToolRefused."""
    numbers = {
        float(match[1].replace(",", "").replace(" ", "")) * (1_000 if match[2] else 1)
        for text in texts
        for match in _NUMBER.finditer(text)
    }
    if budget_usd not in numbers:
        raise ToolRefused(
            f"The traveller has not written {budget_usd:g}: ask for the budget of the whole trip, in digits."
        )


async def today_there(said: Mapping[str, Any], today: str) -> str:
    """The date where the trip begins, once that is said and known; else `today`."""
    if not said.get("origin"):
        return today
    try:
        place = await inventory.place(said["origin"])
    except inventory.NoSuchPlace:
        return today
    return await today_for({"zone": place["zone"]}, "UTC")


def reads_a_day(said: Mapping[str, Any], texts: Iterable[str]) -> bool:
    """Whether a day is named that does not stand in the traveller's words as it is: `tomorrow` is read by a clock."""
    named = [said[name] for name in ("depart_on", "return_on") if said.get(name)]
    written = "\n".join(texts)
    return any(day not in written for day in named)


async def noted_as_far(before: Trip, said: Mapping[str, Any], today: str) -> tuple[Trip, list[str]]:
    """The changes that can be noted, and in words what can't: a date that is past takes no place along.

    Raises ToolRefused where nothing is left to note.
    """
    places = [name for name in ("origin", "destination") if said.get(name)]
    groups = [
        places,
        ["travellers", "budget_usd", "hotel", "passports"],
        ["depart_on", "return_on", "one_way"],
    ]
    changes: Trip = {}
    wrong: list[str] = []
    while groups:
        group = groups.pop(0)
        try:
            changes |= await noted({**before, **changes}, {name: said.get(name) for name in group}, today)
        except (ToolRefused, inventory.NoSuchPlace) as error:
            if group == places and len(places) == 2:  # together first: the one may be what the other was
                groups[:0] = [["origin"], ["destination"]]
            else:
                wrong.append(str(error))
            if len(group) > 1 and "depart_on" in group:
                changes |= await _a_part_of_the_dates({**before, **changes}, said, today)
    if wrong and not changes:
        raise ToolRefused(" ".join(wrong))
    return changes, wrong


async def _a_part_of_the_dates(before: Trip, said: Mapping[str, Any], today: str) -> Trip:
    """Of dates that can't be together: that it is one way, or when it begins."""
    part = {"one_way": True} if said.get("one_way") else {"depart_on": said.get("depart_on")}
    try:
        return await noted(before, part, today)
    except ToolRefused:
        return {}


async def noted(before: Trip, said: Mapping[str, Any], today: str) -> Trip:
    """The changes to the trip, with places as codes. Raises ToolRefused, with the reason; NoSuchPlace."""
    changes: Trip = {}
    places = {name: await inventory.place(said[name]) for name in ("origin", "destination") if said.get(name)}
    for name, place in places.items():
        changes[name] = place["code"]
    if places:
        changes["countries"] = await _countries(before, places)
    if "origin" in places:
        changes["zone"] = places["origin"]["zone"]
    for name in ("travellers", "budget_usd", "hotel"):
        if said.get(name) is not None:
            changes[name] = said[name]
    if said.get("passports"):
        changes["passports"] = sorted({_country(passport) for passport in said["passports"]})
    changes.update(_dates(before, said, date.fromisoformat(today)))
    together: Trip = {**before, **changes}
    if together.get("origin") and together.get("origin") == together.get("destination"):
        raise ToolRefused("The trip would end where it begins: name another place to travel to.")
    return changes


async def _countries(before: Trip, places: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Countries of origin and destination, as far as both are known."""
    known = []
    for name in ("origin", "destination"):
        code = cast("Mapping[str, Any]", before).get(name)
        if name in places:
            known.append(places[name]["country"])
        elif code:
            known.append((await inventory.place(code))["country"])
    return known if len(known) == 2 else []


def _dates(before: Trip, said: Mapping[str, Any], today: date) -> Trip:
    if not any(said.get(name) for name in ("depart_on", "return_on", "one_way")):
        return {}
    one_way = bool(said.get("one_way") or (before.get("one_way") and not said.get("return_on")))
    depart = _day(said.get("depart_on") or before.get("depart_on"), today)
    back = None
    if not one_way:
        back = _day(said.get("return_on") or _kept(before, said, depart), today)
    if depart and back and back < depart:
        raise ToolRefused(f"The way back, {back}, is before the way there, {depart}: name both dates.")
    if depart and back and (back - depart).days > LONGEST_DAYS:
        raise ToolRefused(
            f"Trips of up to {LONGEST_DAYS} days are sold here; this one has {(back - depart).days}."
        )
    changes: Trip = {"one_way": one_way, "return_on": back.isoformat() if back else None}
    if depart:
        changes["depart_on"] = depart.isoformat()
    return changes


def _kept(before: Trip, said: Mapping[str, Any], depart: date | None) -> str | None:
    """The way back when only the way there is named anew: as many days later as it was."""
    there, back = before.get("depart_on"), before.get("return_on")
    if not back or not there or not said.get("depart_on") or depart is None:
        return back
    length = date.fromisoformat(back) - date.fromisoformat(there)
    return (depart + length).isoformat()


def _day(text: str | None, today: date) -> date | None:
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise ToolRefused(f"{text!r} is no date: write it as YYYY-MM-DD.") from None
    if day < today:
        raise ToolRefused(f"{day} is past; today is {today}. Name a date to come.")
    if day > today + timedelta(days=FARTHEST_DAYS):
        raise ToolRefused(f"{day} is more than a year ahead: nothing is on sale that far.")
    return day


def _country(passport: str) -> str:
    code = passport.strip().upper()
    if len(code) != 2 or not code.isascii() or not code.isalpha():
        raise ToolRefused(f"{passport!r} is no country: name the passport by two letters, such as DE.")
    return code
