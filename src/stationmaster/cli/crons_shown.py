"""Crons as a terminal of 80 columns shows them: the list, the next slots, the history, what is wrong."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stationmaster.cli import printing
from stationmaster.cli.terminal import harmless
from stationmaster.crons.deciding import LATE
from stationmaster.crons.desk import Page, Ran, Upcoming
from stationmaster.crons.doctor import Finding
from stationmaster.crons.model import Tick

STYLES = {
    "running": "cyan", "waiting": "bold yellow", "success": "green", "error": "bold red", "lost": "bold red",
    "cancelled": "magenta", "skipped": "dim", "queued": "cyan", "missed": "yellow",
}  # fmt: skip
INDENT = 8
OUTCOME_AT = INDENT + 31
UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))


def print_list(console: Console, rows: Sequence[Mapping[str, Any]]) -> None:
    """One line a cron, the owned ones first."""
    if not rows:
        printing.none(console, "describe a cron in crons/*.yaml, then `stationmaster apply`")
        return
    table = _table()
    table.add_column("name", ratio=1, overflow="fold")
    table.add_column("schedule", no_wrap=True)
    table.add_column("next", no_wrap=True)
    table.add_column("in", justify="right", no_wrap=True)
    table.add_column("last", no_wrap=True)
    table.add_column("ago", justify="right", no_wrap=True)
    now = datetime.now(UTC)
    for row in map(harmless, rows):
        last, local = row["last"], row["next_local"]
        name = Text(row["name"]) if row["owned"] else Text(f"{row['name'][:8]} (no file's)", style="dim")
        when = (
            Text(f"{local:%a %d %b %H:%M %Z}")
            if local
            else Text("paused" if row["paused"] else "off", style="yellow")
        )
        outcome = Text(last["outcome"], style=STYLES[last["outcome"]]) if last else Text("-", style="dim")
        table.add_row(
            name, Text(row["schedule"]), when, _span(row["next"] - now) if local else "-", outcome,
            _span(now - last["at"]) if last else "-",
        )  # fmt: skip
    console.print(table)
    for row in map(harmless, rows):
        if row["paused"]:
            said = row["paused"]
            console.print(
                Text(f"{row['name']} is paused by {said.get('by')}: {said.get('reason')}", style="yellow")
            )
        if row["last"] and row["last"]["stale"]:
            said = row["last"]["stale"]
            console.print(Text(f"{row['name']}: its last run may have ended: {said}", style="yellow"))


def print_next(console: Console, upcoming: Upcoming) -> None:
    """One line a slot: in the cron's zone, in UTC, and what the clock does there."""
    if upcoming.stopped:
        console.print(Text(f"{harmless(upcoming.stopped)}: none of these will fire", style="yellow"))
    if not upcoming.firings:
        console.print(f"{upcoming.schedule} never fires again.", highlight=False)
        return
    table = _table()
    abroad = upcoming.timezone != "UTC"
    table.add_column(upcoming.timezone, no_wrap=True)
    if abroad:
        table.add_column("UTC", no_wrap=True)
    table.add_column("in", justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    now = datetime.now(UTC)
    for firing in upcoming.firings:
        away = _span(firing.at - now) if firing.at > now else "-"
        utc = [f"{firing.at:%d %b %H:%M:%S}"] if abroad else []
        note = Text(firing.note or "", style="yellow")
        table.add_row(f"{firing.local:%a %d %b %Y %H:%M:%S %Z}", *utc, away, note)
    console.print(table)


def print_history(console: Console, page: Page, name: str | None = None) -> None:
    """One line a slot, and below it why it went as it did; slots that went the same way stand together."""
    if page.first is not None:
        console.print(Text(f"{name} has not fired yet{_when_first(page.first)}"))
        return
    if not page.ticks:
        printing.none(console, "no slot is recorded yet")
        return
    console.print(Text(_line("id", "planned (UTC)", "actual", "outcome", "took", "cron"), style="bold"))
    for same in _together(page.ticks):
        tick = same[0]
        cells = (str(tick.id), _planned(tick), _actual(tick), tick.outcome, _took(tick), harmless(tick.cron))
        line = Text(_line(*cells))
        line.stylize(STYLES[tick.outcome], OUTCOME_AT, OUTCOME_AT + len(tick.outcome))
        console.print(line, overflow="ellipsis", no_wrap=True)
        if why := _why(tick, len(same)):
            console.print(Padding(Text(why, style="dim"), (0, 0, 0, INDENT)))
    if page.older is not None:
        console.print(f"older: --before {page.older}", style="dim", highlight=False)
    if page.stale:
        console.print(Text(harmless(page.stale), style="yellow"))


def _when_first(first: Upcoming) -> str:
    if first.stopped:
        return f", and will not: {harmless(first.stopped)}"
    if not first.firings:
        return ", and its schedule has no time left"
    at = first.firings[0]
    return f"; next {at.local:%a %d %b %H:%M:%S %Z}, in {_span(at.at - datetime.now(UTC))}"


def print_run(console: Console, name: str, ran: Ran) -> None:
    """A run out of turn."""
    console.print(Text(f"{name} runs once\n  run     {ran.run_id}\n  thread  {ran.thread_id}"))
    if ran.tick is None:
        console.print(
            Text(
                "the server keeps no history of it: it is not served with Stationmaster's auth",
                style="yellow",
            )
        )
    elif ran.tick.outcome == "running":
        console.print(
            f"at work; `stationmaster crons history {name}` shows its end", style="dim", highlight=False
        )
    else:
        why = f": {harmless(ran.tick.reason)}" if ran.tick.reason else ""
        console.print(Text(f"{ran.tick.outcome}{why}", style=STYLES[ran.tick.outcome]))


def print_resumed(console: Console, name: str, upcoming: Upcoming) -> None:
    """When it fires next."""
    if upcoming.stopped:
        console.print(Text(f"{name} is no longer paused, and does not fire: {harmless(upcoming.stopped)}"))
        return
    if not upcoming.firings:
        console.print(f"{name} goes on, and its schedule never fires again.", highlight=False)
        return
    first = upcoming.firings[0]
    console.print(
        f"{name} goes on: next {first.local:%a %d %b %H:%M:%S %Z} ({first.at:%H:%M:%S} UTC)", highlight=False
    )


def print_findings(console: Console, left: Sequence[Finding], mended: Sequence[Finding]) -> None:
    """What is wrong, each with its way out."""
    for finding in mended:
        console.print(
            Text.assemble(
                ("mended  ", "green"), (harmless(finding.cron), "bold"), f": {harmless(finding.said)}"
            )
        )
    for finding in left:
        console.print(
            Text.assemble(
                (f"{finding.kind.replace('_', ' ')}  ", "bold red"), (harmless(finding.cron), "bold")
            )
        )
        console.print(Text(f"  {harmless(finding.said)}"))
        console.print(Text(f"  {finding.way_out}", style="dim"))
    if not left:
        console.print("Nothing is wrong." if not mended else "Nothing else is wrong.")


def _table() -> Table:
    made = printing.table()
    made.expand = True
    return made


def _planned(tick: Tick) -> str:
    return f"{tick.planned_at:%d %b %H:%M:%S}" if tick.planned_at else "-"


def _actual(tick: Tick) -> str:
    """When it was made or decided; with the day where that is another one."""
    same_day = tick.planned_at is not None and tick.planned_at.date() == tick.at.date()
    return f"{tick.at:%H:%M:%S}" if same_day else f"{tick.at:%d %b %H:%M}"


def _took(tick: Tick) -> str:
    return _span(tick.ended_at - tick.at) if tick.run_id and tick.ended_at else "-"


def _why(tick: Tick, like_it: int = 1) -> str | None:
    parts = [f"started by {tick.started_by}"] if tick.started_by else []
    if tick.run_id and tick.planned_at and tick.at - tick.planned_at > LATE:
        parts.append(f"{_span(tick.at - tick.planned_at)} late")
    if tick.slots > 1 and tick.last_planned_at:
        parts.append(f"{tick.slots} slots, the last at {tick.last_planned_at:%d %b %H:%M:%S}")
    if tick.outcome == "waiting":
        parts.append(f"on thread {tick.thread_id}")
    if tick.outcome in ("error", "lost"):
        parts.append(f"run {tick.run_id} on thread {tick.thread_id}")
    if tick.reason:
        parts.append(tick.reason)
    if like_it > 1:
        parts.append(f"and {like_it - 1} before it for the same reason")
    if tick.pruned_at:
        parts.append(f"its thread was removed on {tick.pruned_at:%d %b}")
    return harmless("; ".join(parts)) or None


def _together(ticks: Sequence[Tick]) -> Iterator[Sequence[Tick]]:
    """Neighbours that were skipped for one reason; each other tick by itself."""
    for (_, outcome, _), same in groupby(ticks, key=lambda tick: (tick.cron, tick.outcome, tick.reason)):
        if outcome == "skipped":
            yield list(same)
        else:
            yield from ([tick] for tick in same)


def _line(*cells: str) -> str:
    number, planned, actual, outcome, took, cron = cells
    return f"{number:>6}  {planned:<15}  {actual:<12}  {outcome:<9}  {took:>6}  {cron}"


def _span(span: timedelta) -> str:
    """`3 min`: the largest unit that fits."""
    seconds = max(0, int(span.total_seconds()))
    unit, size = next((pair for pair in UNITS if seconds >= pair[1]), UNITS[-1])
    return f"{seconds // size} {unit}"
