"""The ways to answer a review, as its shape gives them and its policy allows them. Pure."""

from dataclasses import replace
from typing import Any

from stationmaster.console.pages.form import EDIT
from stationmaster.reviews import shapes
from stationmaster.reviews.model import Choice, Field, Form, Review

EACH = "each"
"""Where several calls are decided one by one, their arguments are fields beside the decisions."""


def offered(review: Review) -> Form:
    """The form; under a policy that names what may be changed, the other fields of an edit are shown only."""
    form = shapes.named(review.shape).form(review.pending)
    allowed = review.policy.get("editable")
    if not isinstance(allowed, list):
        return form
    return Form(tuple(_limited(choice, allowed) for choice in form.choices))


def _limited(choice: Choice, allowed: list[Any]) -> Choice:
    if choice.decision not in (EDIT, EACH):
        return choice
    return replace(choice, fields=tuple(_field(choice, entry, allowed) for entry in choice.fields))


def _field(choice: Choice, entry: Field, allowed: list[Any]) -> Field:
    name = entry.name
    if choice.decision == EACH and ".args." not in name:
        return entry
    free = any(name == part or name.startswith(f"{part}.") or name.endswith(f".{part}") for part in allowed)
    return entry if free else replace(entry, editable=False)
