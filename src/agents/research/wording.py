"""What is said where there is no answer. Pure."""

from collections.abc import Mapping

from agents.research.reducers import Standing
from agents.research.state import Outcome
from agents.shared.plain import plain


def closing() -> str:
    """A thread that has reached its limits."""
    return "This conversation has reached the limit of what I can look into here. Please begin a new one."


def nothing(standing: Mapping[str, Standing], outcome: Outcome) -> str:
    """Nothing was found, or nothing could be asked: never the same."""
    if outcome == "unavailable":
        return "I could not look this up: none of the sources answered. Please ask again later."
    asked = "; ".join(plain(one["question"], 200) for one in standing.values())
    return f"I found nothing in the sources that answers this. I looked for: {asked}"
