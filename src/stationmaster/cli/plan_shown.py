"""A plan, and what came of it, as a terminal of 80 columns shows them."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stationmaster.cli.diff_shown import print_diff_lines
from stationmaster.cli.terminal import harmless
from stationmaster.reconcile.carrying_out import Outcome
from stationmaster.reconcile.diff import Change
from stationmaster.reconcile.plan import Plan, as_json
from stationmaster.reconcile.remarks import changed_by
from stationmaster.reconcile.wording import SIGNS, headline, is_long, rows, text_diff

STYLES = {
    "create": "green", "update": "yellow", "replace": "yellow", "merge": "yellow", "delete": "red", "drift": "magenta",
}  # fmt: skip
INDENT = 4
OUTCOMES = {"done": ("done", "green"), "failed": ("FAILED", "bold red"), "not tried": ("not tried", "dim")}
PAST = {
    "create": "created", "update": "updated", "replace": "made anew", "delete": "deleted", "drift": "put back",
    "merge": "merged",
}  # fmt: skip


def print_waiting(console: Console, who: str) -> None:
    """Whose apply is waited for; the name is whatever they say it is."""
    console.print(Text(f"waiting for the apply of {harmless(who)}"))


def print_plan(console: Console, plan: Plan, remarks: Iterable[str]) -> None:
    """The changes field by field, the texts that change, then what else is to be known."""
    console.print(Text.assemble((plan.target, "bold"), f": {headline(plan)}"))
    if plan.changes:
        console.print()
        _print_changes(console, plan)
    for change in plan.changes:
        _print_texts(console, change)
    said = list(remarks)
    if said:
        console.print()
    for remark in said:
        line = Table.grid(padding=(0, 1))
        line.add_row(Text("·", style="dim"), Text(harmless(remark)))
        console.print(line)


def body_of(plan: Plan, remarks: Sequence[str]) -> dict[str, Any]:
    """The plan as `--json` prints it."""
    return {
        "target": plan.target,
        "changes": [as_json(change, plan.names) for change in plan.changes],
        "left": [as_json(change, plan.names) for change in plan.left],
        "notes": list(remarks),
        "checksum": plan.checksum,
    }


def print_outcome(console: Console, outcome: Outcome) -> None:
    """One line a change, as it is done."""
    change = outcome.change
    _, style = OUTCOMES[outcome.status]
    version = f", version {outcome.version}" if outcome.version else ""
    word = PAST[change.action] if outcome.status == "done" else outcome.status
    text = Text(f"{SIGNS[change.action]} ", style=STYLES[change.action])
    text.append(f"{change.kind} {change.name} ").append(word, style=style).append(version)
    if outcome.detail:
        text.append(f": {harmless(outcome.detail)}")
    console.print(text, soft_wrap=True, highlight=False)


def _print_changes(console: Console, plan: Plan) -> None:
    """A table of which each change is a part: what is too long for a column stands below it, across all of them."""
    shown = [(change, rows(change, plan.names)) for change in plan.changes]
    names = [cell_len(f"{SIGNS[change.action]} {change.kind} {change.name}") for change, _ in shown]
    names += [INDENT + cell_len(row.field) for _, fields in shown for row in fields]
    width = min(max(names), console.width // 2)
    heading = _columns(console, width)
    heading.add_row("", "server has", "will have", style="bold")
    console.print(heading)
    for change, fields in shown:
        part = _columns(console, width)
        title = Text(f"{SIGNS[change.action]} ", style=STYLES[change.action])
        title.append(f"{change.kind} {change.name}", style="bold")
        whole = not fields[0].field
        part.add_row(title, *([fields[0].served, fields[0].wanted] if whole else []))
        for row in fields[whole:]:
            mark = Text("  ! " if row.drifted else " " * INDENT, style=STYLES["drift"])
            mark.append(harmless(row.field), style="default")
            part.add_row(mark, Text(harmless(row.served)), Text(harmless(row.wanted)))
        console.print(part)
        if by := changed_by(change):
            console.print(Padding(Text(harmless(by), style="italic"), (0, 0, 0, INDENT), expand=False))


def _columns(console: Console, first: int) -> Table:
    """The three columns, of the same width in each part."""
    table = Table.grid(padding=(0, 1, 0, 0))
    left = console.width - first - 3
    for width in (first, left // 2, left - left // 2):
        table.add_column(width=width, overflow="fold")
    return table


def _print_texts(console: Console, change: Change) -> None:
    for field in change.fields:
        if not is_long(field):
            continue
        console.print(Text(f"\n{change.name}: {field.field}", style="bold"))
        print_diff_lines(console, text_diff(field))
