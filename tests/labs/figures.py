"""The tables of docs/labs.md: a test keeps its rows there, and fails when the page says something else.

`make labs` writes them (WRITE_FIGURES=1), at full size; without it each row is compared with the page's.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "labs.md"
WRITING = "WRITE_FIGURES"
Cell = str | int | float


class NotOnThePage(AssertionError):
    """What was measured is not what docs/labs.md says, or not what has to be; `make labs` writes the page anew."""


@dataclass(frozen=True)
class Figures:
    """One table. `rows` are the first cells of all rows that it has to have, small cases and full sizes alike.

    Columns in `varies` differ between machines or runs: they are on the page, and compared with nothing. `zero` says in
    which columns nothing may be lost, doubled or broken, and in which rows: in all of them, where it names none.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    varies: frozenset[str] = frozenset()
    zero: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def keep(self, *cells: Cell) -> None:
        """One row, its name first. Prints it, and compares it with the page or writes it there."""
        row = tuple(_text(cell) for cell in cells)
        if len(row) != len(self.columns) or row[0] not in self.rows:
            raise NotOnThePage(f"{self.name}: {row} is no row of {self.columns}, named one of {self.rows}")
        self.require_zeros(row)
        told_now = (f"{column} {cell}" for column, cell in zip(self.columns, row, strict=True))
        sys.stdout.write(f"{self.name}: {', '.join(told_now)}\n")
        page = PAGE.read_text(encoding="utf-8")
        if os.environ.get(WRITING):
            PAGE.write_text(self._written(page, row), encoding="utf-8")
            return
        told = self.told(page).get(row[0])
        if told is None or self._fixed(told) != self._fixed(row):
            raise NotOnThePage(f"{self.name}: measured {row}, the page says {told}; `make labs` writes it")

    def require_zeros(self, row: tuple[str, ...]) -> None:
        """NotOnThePage where something is lost that may not be."""
        for column, rows in self.zero.items():
            found = row[self.columns.index(column)]
            if row[0] in (rows or self.rows) and found != "0":
                raise NotOnThePage(f"{self.name}: {column!r} of {row[0]!r} has to be 0, and is {found}")

    def told(self, page: str) -> dict[str, tuple[str, ...]]:
        """The page's rows by their first cell; NotOnThePage if there is no place for the table, or it is another."""
        lines = self._parted(page)[1].strip().splitlines()
        found = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
        if found and found[0] != self.columns:
            raise NotOnThePage(f"{self.name}: the page's columns are {found[0]}; `make labs` writes it")
        return {row[0]: row for row in found[2:]}

    def _fixed(self, row: tuple[str, ...]) -> list[str]:
        return [cell for column, cell in zip(self.columns, row, strict=True) if column not in self.varies]

    def _written(self, page: str, row: tuple[str, ...]) -> str:
        before, _, after = self._parted(page)
        try:
            rows = self.told(page)
        except NotOnThePage:
            rows = {}
        rows[row[0]] = row
        kept = [rows[name] for name in self.rows if name in rows]
        rule = "|" + "---|" * len(self.columns) + "\n"
        head, *body = (f"| {' | '.join(cells)} |\n" for cells in (self.columns, *kept))
        return before + head + rule + "".join(body) + after

    def _parted(self, page: str) -> tuple[str, str, str]:
        """Before, the table, after."""
        start, end = f"<!-- figures: {self.name} -->\n", "<!-- /figures -->"
        before, opened, rest = page.partition(start)
        table, closed, after = rest.partition(end)
        if not (opened and closed):
            raise NotOnThePage(f"docs/labs.md has no place for {self.name!r}: add {start.strip()} and {end}")
        return before + start, table, end + after


def _text(cell: Cell) -> str:
    return cell if isinstance(cell, str) else f"{cell:,}"
