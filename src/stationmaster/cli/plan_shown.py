"""A plan, and what came of it, as a terminal of 80 columns shows them."""

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from stationmaster.cli.terminal import harmless
from stationmaster.reconcile.carrying_out import Outcome
from stationmaster.reconcile.diff import Change
from stationmaster.reconcile.plan import Plan, as_json
from stationmaster.reconcile.remarks import changed_by
from stationmaster.reconcile.wording import SIGNS, headline, is_long, rows, text_diff

STYLES = {
    "create": "green", "update": "yellow", "replace": "yellow", "merge": "yellow", "delete": "red", "drift": "magenta",
}  # fmt: skip
LINE_STYLES = {"+": "green", "-": "red", "@": "dim"}
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
    console.print(
        f"[bold]{escape(plan.target)}[/bold]: {escape(headline(plan))}", highlight=False, soft_wrap=True
    )
    if plan.changes:
        console.print()
        console.print(_table(plan))
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


def _table(plan: Plan) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    table.add_column("", overflow="fold", ratio=5)
    table.add_column("server has", overflow="fold", ratio=4)
    table.add_column("will have", overflow="fold", ratio=4)
    for change in plan.changes:
        title = Text(f"{SIGNS[change.action]} ", style=STYLES[change.action])
        title.append(f"{change.kind} {change.name}", style="bold")
        fields = rows(change, plan.names)
        whole = not fields[0].field
        table.add_row(title, *([fields[0].served, fields[0].wanted] if whole else []))
        for row in fields[whole:]:
            mark = Text("  ! " if row.drifted else "    ", style=STYLES["drift"]).append(
                row.field, style="default"
            )
            table.add_row(mark, Text(harmless(row.served)), Text(harmless(row.wanted)))
        if by := changed_by(change):
            table.add_row(Text(f"    {harmless(by)}", style="italic"))
    return table


def _print_texts(console: Console, change: Change) -> None:
    for field in change.fields:
        if not is_long(field):
            continue
        console.print(Text(f"\n{change.name}: {field.field}", style="bold"))
        _print_lines(console, text_diff(field))


def _print_lines(console: Console, lines: Sequence[str]) -> None:
    for line in lines:
        console.print(Text(f"  {harmless(line)}", style=LINE_STYLES.get(line[:1], "")), highlight=False)
