"""Reads an export's three files and says everything that is wrong with single rows."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic

from stationmaster.shop.export_form import OrderRow, ProductRow, UserRow
from stationmaster.shop.reading import Pairs, Problem, Row, Unreadable, formed, read_json


@dataclass
class File(Generic[Row]):
    """The rows that are well formed; `places` has all ids, so that a bad row is not taken for a missing one."""

    name: str
    rows: dict[str, Row] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    readable: bool = True

    def problem(self, row_id: str, what: str) -> Problem:
        return Problem(self.name, self.places.get(row_id), row_id, what)


@dataclass
class Export:
    """The three files."""

    products: File[ProductRow]
    users: File[UserRow]
    orders: File[OrderRow]


def read_export(directory: Path) -> tuple[Export, list[Problem]]:
    """The export in a directory, and what is wrong with its files and rows."""
    problems: list[Problem] = []
    export = Export(
        _read(directory / "products.json", ProductRow, problems),
        _read(directory / "users.json", UserRow, problems),
        _read(directory / "orders.json", OrderRow, problems),
    )
    return export, problems


def _read(path: Path, form: type[Row], problems: list[Problem]) -> File[Row]:
    file = File[Row](path.name)
    try:
        content = read_json(path)
    except Unreadable as error:
        problems.append(Problem(path.name, None, None, str(error)))
        return File(path.name, readable=False)
    if not isinstance(content, Pairs):
        problems.append(Problem(path.name, None, None, "must hold one JSON object, from id to row"))
        return File(path.name, readable=False)
    for place, (row_id, row) in enumerate(content.pairs, start=1):
        if row_id in file.places:
            problems.append(Problem(path.name, place, row_id, f"row {file.places[row_id]} has the same id"))
            continue
        file.places[row_id] = place
        taken, wrong = formed(form, row)
        problems.extend(file.problem(row_id, what) for what in wrong)
        if taken is not None:
            file.rows[row_id] = taken
    return file
