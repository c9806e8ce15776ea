"""What the check found, as a terminal of 80 columns shows it: a rule, its places, why, and what to write."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from stationmaster.cli.terminal import harmless

Group = tuple[tuple[str, str, str], list[Mapping[str, Any]]]


def print_report(console: Console, report: Mapping[str, Any]) -> None:
    """Findings by rule, then what could not be looked at, then how it stands."""
    for (rule, why, write), found in _grouped(report["findings"]):
        console.print(Text(harmless(rule), style="bold red"))
        for (file, line, said), graphs in _places(found).items():
            graph = f"{', '.join(graphs)}: " if graphs else ""
            console.print(Text(f"  {harmless(file)}:{line}", style="bold"), soft_wrap=True)
            console.print(Padding(Text(harmless(f"{graph}{said}")), (0, 0, 0, 4)))
        console.print(_two("why", why, "dim"))
        console.print(_two("write", write, "green"))
        console.print()
    for note in report["notes"]:
        line = Table.grid(padding=(0, 1))
        line.add_row(Text("·", style="dim"), Text(harmless(note), style="dim"))
        console.print(line)
    if report["notes"]:
        console.print()
    console.print(headline(report))


def headline(report: Mapping[str, Any]) -> Text:
    """How it stands, in one line."""
    findings, excused = len(report["findings"]), len(report["exceptions"])
    said = Text(f"{_count(len(report['graphs']), 'graph')}: ")
    said.append(
        _count(findings, "finding") if findings else "nothing to find", "bold red" if findings else "green"
    )
    if excused:
        said.append(f", {_count(excused, 'exception')} with a reason" if excused == 1 else (
            f", {excused} exceptions, each with a reason"
        ))  # fmt: skip
    return said


def _grouped(findings: Sequence[Mapping[str, Any]]) -> Iterator[Group]:
    """Those of one rule together, in the order of the first; one with words of its own stands apart."""
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for each in findings:
        groups.setdefault((each["rule"], each["why"], each["write"]), []).append(each)
    yield from groups.items()


def _places(found: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int, str], list[str]]:
    """The graphs of each finding: several may share a state, or a node."""
    places: dict[tuple[str, int, str], list[str]] = {}
    for each in found:
        graphs = places.setdefault((each["file"], each["line"], each["said"]), [])
        graphs += [each["graph"]] if each["graph"] else []
    return places


def _two(name: str, words: str, style: str) -> Padding:
    line = Table.grid(padding=(0, 2, 0, 0))
    line.add_column(width=5)
    line.add_column(overflow="fold")
    line.add_row(Text(name, style="dim"), Text(harmless(words), style=style))
    return Padding(line, (0, 0, 0, 2), expand=False)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


SHOWN = 5


def print_against(console: Console, against: Mapping[str, Any]) -> None:
    """What would break at the deployment: by graph, reason and words, the first threads of each with their reviews."""
    console.print()
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for each in against["broken"]:
        groups.setdefault((each["graph"] or "", each["reason"], each["said"]), []).append(each)
    for (graph, reason, said), rows in groups.items():
        console.print(Text.assemble((harmless(reason), "bold red"), f"  {harmless(graph)}"))
        threads = [row for row in rows if row["thread_id"]]
        many = f"{_count(len(threads), 'thread')}: " if threads else ""
        console.print(Padding(Text(harmless(f"{many}{said}")), (0, 0, 0, 4)))
        for row in threads[:SHOWN]:
            place = (row.get("reviews") or [f"thread {row['thread_id']}"])[0]
            console.print(Text(f"    {harmless(place)}", style="bold"), soft_wrap=True)
        if len(threads) > SHOWN:
            console.print(Text(f"    and {len(threads) - SHOWN:,} more; --json lists them all", style="dim"))
        console.print(_two("why", rows[0]["why"], "dim"))
        console.print(_two("write", rows[0]["write"], "green"))
        console.print()
    for note in against["notes"]:
        console.print(Padding(Text(harmless(note), style="dim"), (0, 0, 0, 0)))
    broken = len({row["thread_id"] for row in against["broken"] if row["thread_id"]})
    one = against["threads"] == 1
    text = Text(
        f"{harmless(against['url'])}: {against['threads']:,} thread{'' if one else 's'} wait{'s' if one else ''}, "
    )
    said = f"{broken:,} of them would break" if broken else "none of them would break"
    console.print(text.append(said, "bold red" if broken else "green"), soft_wrap=True)
