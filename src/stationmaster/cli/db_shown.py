"""How `stationmaster db` tells what the database holds, what would go and what went."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.text import Text

from stationmaster.cli.printing import say, table
from stationmaster.upkeep.pruning import Rule
from stationmaster.upkeep.turns import Done

LARGEST = 15
KINDS = ("threads", "runs", "webhooks")


def print_status(console: Console, found: Mapping[str, Any]) -> None:
    """Everything that `holding.held` found."""
    database = found["database"]
    say(console, f"{database['name']}: {size(database['bytes'])}, Postgres {database['postgres']}")
    shown, rest = found["tables"][:LARGEST], found["tables"][LARGEST:]
    rows = [(table["name"], size(table["bytes"]), _count(table["rows"])) for table in shown]
    if rest:
        rows.append((f"{len(rest)} more", size(sum(table["bytes"] for table in rest)), ""))
    _table(console, ("table", "size", "rows, about"), rows)
    server = found["server"]
    if server is None:
        say(console, "no durable server has used this database")
        return
    graphs = server["graphs"]
    _table(console, ("graph", "threads", "size", "oldest"), [
        (graph["graph"] or "none", graph["threads"], size(graph["bytes"]), _day(graph["oldest"])) for graph in graphs
    ])  # fmt: skip
    counts = [
        (kind, row["status"], row["count"], _day(row["oldest"])) for kind in KINDS for row in server[kind]
    ]
    _table(console, ("", "status", "count", "oldest"), counts)
    _pruning(console, server)


def _pruning(console: Console, server: Mapping[str, Any]) -> None:
    would, turn = server["prune"], server["turn"]
    say(
        console,
        plan(would, would["days"])
        if would["days"]
        else "nothing is pruned: STATIONMASTER_RETENTION_DAYS is 0",
    )
    if turn["holder"]:
        say(console, f"{turn['holder'].rpartition(':')[0]} is pruning now")
    elif would["days"]:
        say(console, f"the next nightly prune is due after {turn['next_at']:%Y-%m-%d %H:%M} UTC")
    _table(console, ("prune", "by", "deleted", "trimmed", "exported", "freed", "ended", "problem"), [
        (
            f"{row['began_at']:%Y-%m-%d %H:%M}", f"{'night, ' if row['nightly'] else ''}{row['host']}", row["deleted"],
            row["trimmed"], row["exported"], size(row["bytes"]),
            f"{row['ended_at']:%H:%M}" if row["ended_at"] else "no", row["problem"] or "",
        )
        for row in server["passes"]
    ])  # fmt: skip


def plan(would: Mapping[str, Any], days: float) -> str:
    """What a prune would do."""
    return (
        f"a prune would delete {would['deleted']} threads idle for {days:g} days, "
        f"trim the history of {would['trimmed']}, export {would['exported']} of them first, "
        f"and free {size(would['bytes'])}; {would['spared']} as old stay because somebody is asked"
    )


def done(what: Done, rule: Rule) -> str:
    """What a prune did."""
    said = (
        f"deleted {what.deleted} threads idle for {rule.days:g} days, trimmed the history of {what.trimmed}: "
        f"{size(what.bytes)} free; {what.webhooks} webhooks forgotten"
    )
    if what.exported:
        said += f"; {what.exported} exported to {rule.exports}"
    return f"{said}; {what.problem}" if what.problem else said


def size(count: int) -> str:
    """Bytes for people."""
    amount = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def _count(estimate: int) -> str:
    return "?" if estimate < 0 else str(estimate)


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else ""


def _table(console: Console, names: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    if not rows:
        return
    made = table(*names)
    for row in rows:
        made.add_row(*(Text(str(cell)) for cell in row))  # Text, not str: a graph's name may look like markup
    console.print(made)
