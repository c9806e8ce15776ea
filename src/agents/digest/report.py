"""The report as data: what was counted, beside the span before. Pure."""

from collections.abc import Mapping
from typing import Any

from agents.digest.state import Part

PARTS = ("tickets", "refunds", "reviews", "runs", "spend")
HAPPENED = (
    ("tickets", "tickets"),
    ("tickets", "dead_letters"),
    ("refunds", "refunds"),
    ("reviews", "opened"),
    ("reviews", "answered"),
    ("reviews", "waiting"),
    ("runs", "failed"),
    ("spend", "calls"),
)
"""Where something is to be seen if anything happened, or waits."""


def figures_of(
    *, name: str, slot: str, since: str, before: str, parts: Mapping[str, Part], missing: list[str]
) -> dict[str, Any]:
    """The whole report as JSON. `quiet`: nothing happened and nobody waits; only known if nothing is missing."""
    figures: dict[str, Any] = {
        "name": name,
        "since": since,
        "until": slot,
        "compared_since": before,
        "quiet": not missing and not any(_figure(parts, part, key) for part, key in HAPPENED),
        "missing": missing,
    }
    for part in PARTS:
        if part in parts:
            found = parts[part]
            figures[part] = {
                "now": found["now"],
                "before": found["before"],
                "change": change(found["now"], found["before"]),
                "details": found["details"],
            }
    return figures


def counts_of(figures: Mapping[str, Any]) -> dict[str, Any]:
    """What a model is shown: the counts, and what is missing by name. Titles hold customers' words and accounts."""
    parts = {
        part: {which: figures[part][which] for which in ("now", "before", "change")}
        for part in PARTS
        if part in figures
    }
    missing = [str(one).partition(":")[0] for one in figures["missing"]]
    kept = {name: value for name, value in figures.items() if name not in PARTS}
    return {**kept, **parts, "missing": missing}


def change(now: Mapping[str, Any], before: Mapping[str, Any]) -> dict[str, float]:
    """By how much each figure differs from the span before."""
    return {key: round(value - before.get(key, 0), 6) for key, value in now.items()}


def _figure(parts: Mapping[str, Part], part: str, key: str) -> float:
    return parts[part]["now"].get(key, 0) if part in parts else 0
