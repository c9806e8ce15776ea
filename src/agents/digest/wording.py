"""Whether a model's first sentence may stand above the figures: it may name no number that is not among them. Pure."""

import json
import re
from typing import Any

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
LONGEST = 600


def objection(sentence: str, figures: dict[str, Any]) -> str | None:
    """Why the sentence is not used, or None."""
    if not sentence.strip():
        return "it is empty"
    if len(sentence) > LONGEST:
        return f"it is longer than {LONGEST} characters"
    known = {_as_number(text) for text in _NUMBER.findall(json.dumps(figures, default=str))}
    known |= {round(number, 2) for number in known} | {abs(number) for number in known}
    unknown = sorted({_as_number(text) for text in _NUMBER.findall(sentence)} - known)
    return f"it names {unknown[0]:g}, which is not among the figures" if unknown else None


def _as_number(text: str) -> float:
    return float(text.replace(",", "").rstrip(".") or 0)
