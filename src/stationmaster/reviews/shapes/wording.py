"""What a payload of no particular shape says: its title, its text, and which of its keys are worth showing."""

from collections import Counter
from typing import Any

from stationmaster.reviews.model import Action, Description
from stationmaster.reviews.shapes.amounts import amount_of
from stationmaster.reviews.shapes.text import block, first_line, one_line, short_json

TITLE_KEYS = ("title", "question", "description", "action", "name", "prompt", "message", "text", "summary")
"""Where a payload's title is looked for, in this order; without any it is the payload itself, as short JSON."""
BODY_KEYS = ("body", "markdown", "description", "message", "text", "details", "summary")
TECHNICAL = frozenset({"kind", "type", "attempt"})
MAX_EVIDENCE = 50


def described(payload: Any) -> Description:
    """Title, text, amount and evidence of any JSON value."""
    if isinstance(payload, str):
        title = first_line(payload) or short_json(payload)
        body = block(payload) if payload.strip() != title else None
        return Description(title=title, body=body)
    if not isinstance(payload, dict):
        return Description(title=short_json(payload))
    title_key = _key_with_text(payload, TITLE_KEYS)
    title = first_line(payload[title_key]) if title_key else short_json(payload)
    body_key = _key_with_text(payload, BODY_KEYS, unless=title)
    return Description(
        title=title,
        body=block(payload[body_key]) if body_key else None,
        amount_usd=amount_of(payload),
        evidence=evidence(payload, used=(title_key if title_key != body_key else None, body_key)),
    )


def evidence(payload: dict[str, Any], used: tuple[str | None, ...] = ()) -> tuple[str, ...]:
    """The keys that are worth showing beside the form: those that say something and were not shown already."""
    shown = [
        key
        for key, value in payload.items()
        if isinstance(key, str) and key not in used and key not in TECHNICAL and value not in (None, "")
    ]
    return tuple(shown[:MAX_EVIDENCE])


def _key_with_text(payload: dict[str, Any], keys: tuple[str, ...], unless: str = "") -> str | None:
    for key in keys:
        value = payload.get(key)
        if isinstance(value, str) and first_line(value) and value.strip() != unless:
            return key
    return None


def call_line(action: Action) -> str:
    """A tool call on one line: its name, and what it is called with."""
    name = one_line(action.name, 60)
    if not isinstance(action.args, dict):
        return one_line(f"{name}: {short_json(action.args, 160)}")
    shown = (f"{one_line(str(key), 40)}={short_json(value, 60)}" for key, value in _first(action.args, 12))
    return one_line(f"{name}({', '.join(shown)})")


def _first(values: dict[str, Any], count: int) -> list[tuple[str, Any]]:
    return [pair for pair, _ in zip(values.items(), range(count), strict=False)]


def of_calls(actions: tuple[Action, ...], amount_usd: float | None, boilerplate: str) -> Description:
    """A description of tool calls: the one, or how many and which. A text that only repeats the call is left out."""
    said = [text for action in actions if (text := _own_words(action, boilerplate))]
    if len(actions) == 1:
        line = first_line(said[0]) if said else ""
        title = one_line(f"{one_line(actions[0].name, 60)}: {line}") if line else call_line(actions[0])
    else:
        title = one_line(f"{len(actions)} calls: {_names(actions)}")
    return Description(
        title=title, body=block("\n\n".join(said)) if said else None, amount_usd=amount_usd, actions=actions
    )


def _names(actions: tuple[Action, ...]) -> str:
    """Each name once, with how often it is called."""
    counted = Counter(one_line(action.name, 60) for action in actions)
    return ", ".join(name if times == 1 else f"{name} ({times} times)" for name, times in counted.items())


def _own_words(action: Action, boilerplate: str) -> str | None:
    text = action.description
    return text if text and text.strip() and not text.startswith(boilerplate) else None
