"""Assistants in a terminal of 80 columns: the list, one of them, its versions."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from stationmaster.assistants.impact import Impact
from stationmaster.assistants.versions import Step, older_than
from stationmaster.cli.assistants_words import (
    ago,
    author,
    by,
    fits,
    lines_of,
    name,
    routing,
    said,
    text,
)  # fmt: skip
from stationmaster.cli.printing import facts, none, table
from stationmaster.reconcile.resources import ServedAssistant

REROUTING = ("canary", "pin", "unpin")


def print_list(console: Console, found: Sequence[ServedAssistant], waiting: Mapping[str, int] | None) -> None:
    """One line each, by graph; a dot for those that client apps use."""
    if not found:
        none(console, "describe an assistant in assistants/*.yaml, then `stationmaster apply`")
        return
    rows = table("graph", "assistant", "version", "changed", "by", "waiting", right=("version", "waiting"))
    rows.expand = True
    for column in rows.columns:
        column.no_wrap, column.overflow = True, "ellipsis"
    rows.columns[0].max_width, rows.columns[1].ratio = 14, 1
    graph = None
    for each in found:
        label = Text("● " if each.live else "  ", style="green").append_text(name(each))
        for line in routing(each):
            label.append("\n    ").append_text(line)
        count = None if waiting is None else waiting.get(each.assistant_id, 0)
        rows.add_row(
            text("" if each.graph == graph else each.graph, "dim"), label, str(each.version),
            ago(each.updated_at), author(each), text(count or "-", "bold yellow" if count else "dim"),
        )  # fmt: skip
        graph = each.graph
    console.print(rows)
    if any(each.live for each in found):
        console.print(Text("● live: client apps use it", style="dim"))


def print_assistant(
    console: Console, found: ServedAssistant, defaults: Mapping[str, Any], impact: Impact
) -> None:
    """What it says, what goes on under it, and what the graph fills in."""
    console.print(name(found).append(f"  version {found.version}", style="bold"))
    if found.description:
        console.print(text(found.description))
    change = found.change
    what = [change.get("source"), f'"{change["reason"]}"' if change.get("reason") else None]
    console.print(facts({
        "graph": found.graph,
        "live": "yes, client apps use it" if found.live else "no",
        "changed": f"{ago(found.updated_at)} ago{by(found)}",
        "by way of": ", ".join(str(each) for each in what if each),
        "canary": Text("\n").join(routing(found)) if routing(found) else None,
        "waiting": f"{impact.waiting} for a person" if impact.waiting else None,
        "running": impact.running or None,
        "limit": f"{found.recursion_limit} super-steps" if found.recursion_limit else None,
        "tags": ", ".join(found.tags),
        "labels": ", ".join(f"{key}={said(value)}" for key, value in found.labels.items()),
        "id": found.assistant_id,
    }))  # fmt: skip
    _print_context(console, found.context, defaults)


def _print_context(console: Console, context: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    values = [(key, value, False) for key, value in context.items()]
    values += [(key, value, True) for key, value in defaults.items() if key not in context]
    if not values:
        return
    console.print()
    console.print(Text("Context", style="bold"))
    rows = facts({})
    for key, value, default in values:
        if fits(value):
            rows.add_row(text(f"  {key}"), text(said(value), "dim" if default else "").append(_left(default)))
    console.print(rows)
    for key, value, default in values:
        if not fits(value):
            console.print(text(f"  {key}", "dim").append(_left(default)))
            console.print(Padding(text(lines_of(value), "dim" if default else ""), (0, 0, 0, 4)))


def _left(default: object) -> str:
    """In words, since a pipe shows no dim text."""
    return "  (the graph's default)" if default else ""


def print_history(console: Console, steps: Sequence[Step]) -> None:
    """Newest first; what each changed stands under it."""
    rows = table("version", "when", "by", "what")
    for step in steps:
        label = Text(
            f"{step.version.version}{' *' if step.current else ''}", style="bold" if step.current else ""
        )
        rows.add_row(label, ago(step.version.updated_at), author(step.version), _what(step))
    console.print(rows)
    older = older_than(steps)
    console.print(Text(f"* current{f'; older ones: --before {older}' if older else ''}", style="dim"))


def _what(step: Step) -> Text:
    """How it came about, why, and which fields changed."""
    change = step.version.change
    source = change.get("source") or ("made" if step.version.version == 1 else "changed by hand")
    what = text(source)
    if reason := change.get("reason"):
        what.append_text(text(f': "{reason}"'))
    if step.rerouted and not str(source).startswith(REROUTING):
        what.append_text(text(f"\n{step.routing or 'ended the canary'}", "cyan"))
    if step.changes:
        fields = [each.field.removeprefix("context.") for each in step.changes]
        more = f" and {len(fields) - 5} more" if len(fields) > 5 else ""
        what.append_text(text(f"\n{', '.join(fields[:5])}{more}", "dim"))
    return what
