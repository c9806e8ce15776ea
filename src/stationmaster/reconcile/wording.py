"""A plan in words: values cut to a line, long texts as the lines that change, names instead of ids. Pure."""

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stationmaster.reconcile.diff import ABSENT, Change, FieldChange
from stationmaster.reconcile.plan import Plan
from stationmaster.reconcile.resources import ServedAssistant

SIGNS: Mapping[str, str] = {
    "create": "+", "update": "~", "replace": "~", "delete": "-", "drift": "!", "merge": "~"
}  # fmt: skip
NOTHING = "-"
LONGEST = 72
VERBS: Mapping[str, str] = {
    "create": "to create", "update": "to update", "replace": "to make anew", "delete": "to delete",
    "drift": "drifted", "merge": "to merge",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One field of a change as a table shows it."""

    field: str
    served: str
    wanted: str
    drifted: bool = False


def headline(plan: Plan) -> str:
    """`1 to create, 2 to update`, or that there is nothing to do."""
    said = [f"{plan.counts[action]} {words}" for action, words in VERBS.items() if plan.counts[action]]
    files = (
        f"{counted(len(plan.desired.assistants), 'assistant')}, {counted(len(plan.desired.crons), 'cron')}"
    )
    if said:
        return ", ".join(said)
    if plan.left:
        return (
            f"nothing to do besides {counted(len(plan.left), 'change')} of the server's own, left as they are"
        )
    return f"nothing to do, the server has what the files say ({files})"


def counted(number: int, what: str) -> str:
    """`1 cron`, `2 crons`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def rows(change: Change, names: Mapping[str, str]) -> list[Row]:
    """Its fields; what is made or deleted as a whole has one row. `names`: of assistants by id."""
    match change.action:
        case "create":
            return [Row("", NOTHING, summary({field.field: field.wanted for field in change.fields}, names))]
        case "delete":
            return [Row("", _whole(change, names), NOTHING)]
        case _:
            surplus = [Row("duplicates", str(len(change.surplus)), "0")] if change.surplus else []
            return surplus + [_row(field, names) for field in change.fields]


def summary(fields: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """A resource in a line: what it is of, and how many settings it has."""
    if "schedule" in fields:
        return f"{fields['schedule']} ({fields['timezone']}), {names.get(fields['assistant'], fields['assistant'])}"
    settings = sum(name.startswith("context.") for name in fields)
    live = ", live" if fields.get("live") else ""
    return f"graph {fields['graph']}{live}, {counted(settings, 'setting')}"


def is_long(field: FieldChange) -> bool:
    """Whether both sides are texts that a table can't show."""
    return (
        isinstance(field.served, str)
        and isinstance(field.wanted, str)
        and (max(len(field.served), len(field.wanted)) > LONGEST or "\n" in field.served + field.wanted)
    )


def text_diff(field: FieldChange) -> list[str]:
    """The lines that change, with `-`, `+` and two lines of context; for texts alone."""
    before, after = str(field.served).splitlines(), str(field.wanted).splitlines()
    return list(difflib.unified_diff(before, after, lineterm="", n=2))[2:]


def value(what: Any, longest: int = LONGEST) -> str:
    """JSON in a line; a plain word without quotes."""
    if what is ABSENT or what is None:
        return NOTHING
    if isinstance(what, str) and what and what == what.strip() and what.isprintable():
        text = what
    else:
        text = json.dumps(what, ensure_ascii=False)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _row(field: FieldChange, names: Mapping[str, str]) -> Row:
    if is_long(field):
        changed = [line for line in text_diff(field) if line[:1] in "+-"]
        less, more = (sum(line.startswith(sign) for line in changed) for sign in "-+")
        return Row(
            field.field, f"{_lines(field.served)}", f"{_lines(field.wanted)} (+{more} -{less})", field.drifted
        )
    served, wanted = (
        names.get(side, side) if field.field == "assistant" else side for side in (field.served, field.wanted)
    )
    return Row(field.field, value(served), value(wanted), field.drifted)


def _whole(change: Change, names: Mapping[str, str]) -> str:
    row = change.served
    if isinstance(row, ServedAssistant):
        return f"graph {row.graph}, version {row.version}"
    assert row is not None
    surplus: Sequence[Any] = change.surplus
    more = f" and {len(surplus)} duplicates" if surplus else ""
    return f"{row.schedule} ({row.timezone}), {names.get(row.assistant_id, row.assistant_id)}{more}"


def _lines(text: str) -> str:
    count = len(text.splitlines())
    return f"{count} lines" if count > 1 else f"{len(text)} characters"
