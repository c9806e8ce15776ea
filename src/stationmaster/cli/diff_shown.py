"""The lines of a diff in a terminal: one that is too long for it goes on under its own sign."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from stationmaster.cli.terminal import harmless

INDENT = 2
NARROWEST = 20
STYLES = {"+": "green", "-": "red"}


def print_diff_lines(console: Console, lines: Iterable[str]) -> None:
    """Lines of a unified diff, without their numbers: `...` stands for what is left out between them."""
    width = max(NARROWEST, console.width - INDENT - 1)
    for line in map(harmless, lines):
        if line.startswith("@@"):
            console.print(Text(f"{' ' * INDENT}...", style="dim"))
            continue
        sign, style = line[:1], STYLES.get(line[:1], "dim")
        for part in Text(line[1:]).wrap(console, width) or [Text()]:
            console.print(Text(f"{' ' * INDENT}{sign}{part.plain}", style=style), no_wrap=True)
