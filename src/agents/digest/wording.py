"""Whether a model's first sentence may stand above the figures: it may name no number that is not among them. Pure."""

import json
from typing import Any

from agents.shared.figures import numbers_in

LONGEST = 600


def objection(sentence: str, figures: dict[str, Any]) -> str | None:
    """Why the sentence is not used, or None."""
    if not sentence.strip():
        return "it is empty"
    if len(sentence) > LONGEST:
        return f"it is longer than {LONGEST} characters"
    known = numbers_in([json.dumps(figures, default=str)])
    known |= {round(number, 2) for number in known} | {abs(number) for number in known}
    unknown = sorted(numbers_in([sentence]) - known)
    return f"it names {unknown[0]:g}, which is not among the figures" if unknown else None
