"""What the offline peers say in words, put together from the facts."""

from datetime import date, timedelta
from typing import Any

from agents.travel.wording import seen_on, standing


def ask_for(facts: dict[str, Any]) -> str:
    """What has to be known first."""
    lacks = facts["missing"]
    listed = lacks[0] if len(lacks) == 1 else f"{', '.join(lacks[:-1])}, and {lacks[-1]}"
    budget = "" if facts["trip"].get("budget_usd") else " Name the budget of the whole trip, if you have one."
    example = "" if facts["trip"] else f" For instance: {_example(facts)}."
    return f"To look for your trip I still need to know: {listed}.{budget}{example}"


def in_english(facts: dict[str, Any]) -> str:
    """To whom writes what can't be read."""
    return (
        "I read plain English here, and could not make out a trip in that. Write it like this, for instance: "
        f"{_example(facts)}. {standing(facts)}"
    )


def cheapest(facts: dict[str, Any]) -> str:
    """To whom wants it cheaper than the cheapest."""
    near = [f"{seen_on(one)}: ${one['flights_usd']:,.2f}" for one in facts["nearby"][:3]]
    around = f" Flights on other dates: {'; '.join(near)}." if near else ""
    without = ", or write `no hotel`" if facts["wants_hotel"] else ""
    usd = facts["best"]["total_usd"]
    return (
        f"${usd:,.2f} is the cheapest there is on {seen_on(facts['dates'])}.{around} Name other dates{without}. "
        f"{standing(facts)}"
    )


def _example(facts: dict[str, Any]) -> str:
    soon = date.fromisoformat(facts["today"]) + timedelta(days=21)
    back = soon + timedelta(days=4)
    return f"from Berlin to Lisbon, {soon} to {back}, two travellers, German passports, at most $1,500 in all"


def nothing_fits(facts: dict[str, Any]) -> str:
    """What was found on which dates, and what would help."""
    trip = facts["trip"]
    budget = f" within ${trip['budget_usd']:,.2f}" if trip.get("budget_usd") else ""
    many = trip.get("travellers", 1)
    lost = f"{facts['problem'][:1].upper()}{facts['problem'][1:]}. " if facts["problem"] else ""
    opening = f"{lost}I found nothing{budget} for {many} traveller{'s' * (many != 1)}."
    if not facts["seen"]:
        return f"{opening} {facts['why_not'] or 'Nothing is on sale'}. Name other dates, and I look again."
    lines = "\n".join(f"- {seen_on(one)}: {one['says']}" for one in facts["seen"])
    closing = "Nothing is held. Name other dates or another budget, and I look again."
    return f"{opening} This is what there is:\n{lines}\n{closing}"


def on_visa(visa: dict[str, Any]) -> str:
    """What the table says."""
    return f"{visa['says'][:1].upper()}{visa['says'][1:]}."


def welcome(facts: dict[str, Any]) -> str:
    """An answer to thanks."""
    return f"You are welcome. {standing(facts)}"


def small_talk(facts: dict[str, Any]) -> str:
    """An answer to what asks for nothing."""
    return f"{standing(facts)} Tell me what should be different, or write `search` and I look for your trip."
