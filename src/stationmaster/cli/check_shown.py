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
        for each in found:
            graph = f"{each['graph']}: " if each["graph"] else ""
            console.print(Text(f"  {harmless(each['file'])}:{each['line']}", style="bold"), soft_wrap=True)
            console.print(Padding(Text(harmless(f"{graph}{each['said']}")), (0, 0, 0, 4)))
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


def _two(name: str, words: str, style: str) -> Padding:
    line = Table.grid(padding=(0, 2, 0, 0))
    line.add_column(width=5)
    line.add_column(overflow="fold")
    line.add_row(Text(name, style="dim"), Text(harmless(words), style=style))
    return Padding(line, (0, 0, 0, 2), expand=False)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
