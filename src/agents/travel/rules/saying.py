"""What the offline peers say in words, put together from the facts."""

from typing import Any

from agents.travel.wording import seen_on, standing


def ask_for(facts: dict[str, Any]) -> str:
    """What has to be known first."""
    lacks = facts["missing"]
    listed = lacks[0] if len(lacks) == 1 else f"{', '.join(lacks[:-1])} and {lacks[-1]}"
    return f"To look for your trip I still need to know: {listed}. Name the budget of the whole trip, if you have one."


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


def small_talk(facts: dict[str, Any]) -> str:
    """An answer to what asks for nothing."""
    return f"{standing(facts)} Tell me what should be different, or write `search` and I look for your trip."
