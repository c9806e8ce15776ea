"""How every command prints for a terminal of 80 columns: tables without lines, facts, sentences that break between
words, and lists in which there is nothing."""

from collections.abc import Mapping
from textwrap import wrap
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from stationmaster.cli.terminal import harmless

NARROWEST = 40


def table(*headings: str, right: tuple[str, ...] = (), whole: tuple[str, ...] = ()) -> Table:
    """Without lines, headings bold. `right`: columns of numbers; `whole`: those never broken in two, as ids that
    are pasted. The others fold."""
    made = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        made.add_column(
            heading,
            overflow="fold",
            no_wrap=heading in whole,
            justify="right" if heading in right else "left",
        )
    return made


def facts(rows: Mapping[str, Any]) -> Table:
    """Names and values; what is empty is left out."""
    made = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1))
    made.add_column(style="dim", no_wrap=True)
    made.add_column(overflow="fold")
    for label, value in rows.items():
        if value not in (None, ""):
            made.add_row(label, value if isinstance(value, Text) else Text(str(harmless(value))))
    return made


def say(console: Console, line: str, lead: str = "") -> None:
    """A sentence as wide as the terminal, after `lead` and below its end. Words stay whole: a URL can be clicked."""
    lines = wrap(
        line, max(console.width, NARROWEST), initial_indent=lead, subsequent_indent=" " * len(lead),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    for made in lines or [lead.rstrip()]:
        console.print(made, soft_wrap=True, markup=False, highlight=False)


def none(console: Console, why: str) -> None:
    """What a list says in which there is nothing: `none: every answer has arrived`."""
    say(console, f"none: {why}")
