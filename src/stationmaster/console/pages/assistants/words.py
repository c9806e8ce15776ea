"""Versions, changes and differences as a product manager reads them. Pure."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from stationmaster.assistants.differing import Difference
from stationmaster.assistants.versions import Step
from stationmaster.console.pages.diffing import Parts, sides
from stationmaster.console.pages.shown import label
from stationmaster.console.pages.typed import money_text
from stationmaster.reconcile.resources import ServedAssistant

NOT_SET = "not set"
_OWN = {"live": "Live", "graph": "Graph", "tags": "Tags", "name": "Name", "recursion_limit": "Most steps"}


@dataclass(frozen=True)
class Changed:
    """One field of a difference: its name, and both sides in pieces; True where they differ."""

    name: str
    field: str
    before: Parts
    after: Parts


@dataclass(frozen=True)
class Change:
    """Who made a version, when, by which way, and why; `""` and None where nobody said."""

    author: str
    reason: str
    source: str
    at: datetime | None


def change_of(version: ServedAssistant) -> Change:
    """From what a version says of itself; versions of others say nothing but when they were made."""
    said = version.change
    texts = {key: str(said.get(key) or "") for key in ("author", "reason", "source")}
    return Change(**texts, at=moment(said.get("at")) or moment(version.updated_at))


def moment(text: object) -> datetime | None:
    """A time in UTC; None for what is none."""
    if not isinstance(text, str):
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC)


def changed(found: Iterable[Difference]) -> list[Changed]:
    """Each field with both sides, word by word."""
    return [
        Changed(name_of_field(each.field), each.field, *_sides(each))
        for each in found
    ]  # fmt: skip


def name_of_field(field: str) -> str:
    """`context.tone` as `Tone`, `metadata.team` as `Label team`."""
    first, _, rest = field.partition(".")
    if first == "context" and rest:
        return label(rest)
    if first == "metadata" and rest:
        return f"Label {rest}"
    return _OWN.get(field, label(field))


def fields_in_short(step: Step) -> str:
    """What a version changed, as a list of names."""
    names = [name_of_field(each.field) for each in step.changes]
    if step.rerouted:
        names.append(f"canary and pins: {step.routing or 'none'}")
    return ", ".join(names) or ("first version" if step.version.version == 1 else "nothing")


def text_of(field: str, value: Any) -> str:
    """A value for people: yes and no, amounts with cents, texts as they are, the rest as JSON."""
    match value:
        case None:
            return "nothing"
        case True | False:
            return "yes" if value else "no"
        case str():
            return value or "empty"
        case int() | float():
            return money_text(field, value)
        case list() if all(isinstance(each, str) for each in value):
            return ", ".join(value) or "none"
        case dict() if value and not any(isinstance(each, dict | list) for each in value.values()):
            return "\n".join(f"{label(key)}: {text_of(key, each)}" for key, each in value.items())
        case _:
            return json.dumps(value, ensure_ascii=False, indent=2)


def _sides(each: Difference) -> tuple[Parts, Parts]:
    before = NOT_SET if each.added else text_of(each.field, each.before)
    after = NOT_SET if each.removed else text_of(each.field, each.after)
    if each.added or each.removed:
        return ((not each.added, before),), ((not each.removed, after),)
    return sides(before, after)
