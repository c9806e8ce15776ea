"""A review's form as the page draws it: the main way to answer, and each field's control. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from stationmaster.console.pages.shown import label, shown
from stationmaster.console.pages.typed import as_sent, text_of
from stationmaster.reviews.model import Choice, Field, Form

Control = Literal["shown", "text", "area", "number", "select", "json", "any"]

APPROVE, EDIT = "approve", "edit"
LONG = 80


@dataclass(frozen=True)
class Typed:
    """What a person had typed when an answer was refused: texts by field name, and what is wrong with which."""

    decision: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    """`text` or `json`, for fields of any type."""
    reason: str = ""
    errors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Option:
    value: str
    label: str


@dataclass(frozen=True)
class Drawn:
    """One field with its control, and what stands in it."""

    name: str
    id: str
    label: str
    control: Control
    type: str
    text: str
    required: bool
    help: str = ""
    hint: str = ""
    error: str = ""
    rows: int = 1
    max_length: int | None = None
    as_text: bool = False
    options: tuple[Option, ...] = ()
    group: str = ""
    """Of several calls decided together: which one it belongs to."""
    initial: str | None = None
    """The proposal's text, where another one stands in the control."""


@dataclass(frozen=True)
class Way:
    """One way to answer. `edit` is the decision that is sent once something was changed; `reason` is the text of
    its field, None if none is asked for; `opened` if its fold stands open, since something was typed there."""

    decision: str
    label: str
    fields: tuple[Drawn, ...]
    destructive: bool = False
    needs_reason: bool = False
    reason: str | None = None
    reason_error: str = ""
    edit: str | None = None
    edit_label: str = ""
    opened: bool = False


@dataclass(frozen=True)
class Ways:
    """The main way, drawn open with the primary button, and the others, each behind its fold."""

    main: Way | None
    others: tuple[Way, ...]
    opened: bool = False


def ways(form: Form, typed: Typed | None = None) -> Ways:
    """Approve and edit are one form: whoever changes a field edits. What is destructive is never the main one."""
    typed = typed or Typed()
    by_name = {choice.decision: choice for choice in form.choices}
    approve, edit = by_name.get(APPROVE), by_name.get(EDIT)
    if approve and edit and not approve.fields:
        main = _merged(approve, edit, typed)
    else:
        candidates = [choice for choice in form.choices if not choice.destructive]
        primary = next(
            (choice for choice in candidates if choice.primary), candidates[0] if candidates else None
        )
        main = _way(primary, typed) if primary else None
    covered = {main.decision, main.edit} if main else set()
    rest = [choice for choice in form.choices if choice.decision not in covered]
    others = tuple(_way(choice, typed) for choice in sorted(rest, key=lambda choice: choice.destructive))
    return Ways(main, others, opened=bool(typed.decision))


def _merged(approve: Choice, edit: Choice, typed: Typed) -> Way:
    mine = typed if typed.decision in (APPROVE, EDIT) else Typed()
    return Way(
        APPROVE, approve.label, _fields(edit, mine), opened=bool(mine.texts),
        edit=EDIT, edit_label=f"{approve.label} with changes",
        reason=mine.reason if approve.needs_reason or edit.needs_reason else None,
        needs_reason=approve.needs_reason, reason_error=mine.errors.get("reason", ""),
    )  # fmt: skip


def _way(choice: Choice, typed: Typed) -> Way:
    mine = typed if typed.decision == choice.decision else Typed()
    asks_why = choice.needs_reason or (choice.destructive and not choice.fields)
    return Way(
        choice.decision, choice.label, _fields(choice, mine), destructive=choice.destructive,
        needs_reason=choice.needs_reason, reason=mine.reason if asks_why else None,
        reason_error=mine.errors.get("reason", ""), opened=mine is typed and bool(typed.decision),
    )  # fmt: skip


def anchor(choice: str, name: str) -> str:
    """The id of a field's control: the names of fields may hold anything."""
    return f"in-{choice}-" + "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in name)


def _fields(choice: Choice, typed: Typed) -> tuple[Drawn, ...]:
    return tuple(_drawn(choice.decision, entry, typed) for entry in choice.fields)


def _drawn(decision: str, entry: Field, typed: Typed) -> Drawn:
    text = as_sent(typed.texts.get(entry.name, text_of(entry)))
    options = _options(entry)
    control = _control(entry, text, options)
    if control == "shown":
        text = shown(entry.value).text or text
    longest = entry.schema.get("maxLength")
    return Drawn(
        name=entry.name, id=anchor(decision, entry.name), label=_label(entry), control=control,
        type=entry.type, text=text, required=entry.required and not _may_be_empty(entry), help=entry.help or "",
        hint=_hint(entry), error=typed.errors.get(entry.name, ""), rows=_rows(text, control),
        max_length=longest if isinstance(longest, int) else None,
        as_text=_as_text(entry, typed), options=options, group=_group(entry.name),
        initial=text_of(entry) if text != text_of(entry) else None,
    )  # fmt: skip


def _group(name: str) -> str:
    head, dot, _ = name.partition(".")
    return head if dot and head.isdecimal() else ""


def _label(entry: Field) -> str:
    """A field of any type says beside its control what it takes; a name is written as everywhere else."""
    if entry.label.casefold().replace(" ", "_") == entry.name:
        return label(entry.name)
    return (entry.label.removesuffix(" (JSON)") if entry.type == "any" else entry.label) or label(entry.name)


def _control(entry: Field, text: str, options: tuple[Option, ...]) -> Control:
    if not entry.editable:
        return "shown"
    if options:
        return "select"
    if entry.type in ("number", "integer"):
        return "number"
    if entry.type == "any":
        return "any"
    if entry.type != "string":
        return "json"
    longest = entry.schema.get("maxLength")
    long = len(text) > LONG or "\n" in text or (isinstance(longest, int) and longest > 200)
    return "area" if long else "text"


def _options(entry: Field) -> tuple[Option, ...]:
    """Entries of a closed list, `yes`/`no` among them; with an empty one where no answer is an answer."""
    if entry.type == "boolean":
        found = [Option("true", "yes"), Option("false", "no")]
    else:
        listed = entry.schema.get("enum")
        found = [_option(item) for item in listed] if isinstance(listed, list) else []
    if found and (not entry.required or entry.value is None):
        found.insert(0, Option("", "choose…" if entry.required else "not given"))
    return tuple(found)


def _option(item: Any) -> Option:
    text = item if isinstance(item, str) else json.dumps(item)
    return Option(as_sent(text), text)


def _may_be_empty(entry: Field) -> bool:
    """An empty text is a text, unless the schema says how long it must be."""
    return entry.type == "string" and not entry.schema.get("minLength")


def _hint(entry: Field) -> str:
    words = {"integer": "whole number", "number": "number", "array": "JSON list", "object": "JSON object"}
    hint = words.get(entry.type, "")
    return ", ".join(
        part
        for part in (
            hint,
            "optional" if entry.editable and not entry.required and entry.value is None else "",
        )
        if part
    )


def _rows(text: str, control: Control) -> int:
    lines = text.count("\n") + len(text) // 70 + 1
    return max(3 if control in ("area", "json", "any") else 1, min(lines + 1, 14))


def _as_text(entry: Field, typed: Typed) -> bool:
    chosen = typed.kinds.get(entry.name)
    return chosen == "text" if chosen else entry.value is None or isinstance(entry.value, str)
