"""Reads an inventory's files, each as CSV or as JSON, and says everything that is wrong with single rows.

A row is counted as a spreadsheet does: in CSV the heading is row 1; in JSON the first of the list is.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Generic

from pydantic import BaseModel

from stationmaster.shop.reading import Pairs, Problem, Row, Unreadable, formed, read_json, read_text
from stationmaster.travel.form import FlightRow, HotelRow, NightRow, PlaceRow, VisaRow

LONGEST_ID = 80


@dataclass
class Sheet(Generic[Row]):
    """The rows of a file that are well formed, by their place in it; `ids` and `places` know the bad ones, too."""

    name: str
    rows: dict[int, Row] = field(default_factory=dict)
    ids: dict[int, tuple[str, ...]] = field(default_factory=dict)
    places: dict[tuple[str, ...], int] = field(default_factory=dict)
    readable: bool = True

    def may_have(self, *row_id: str) -> bool:
        """Whether there is such a row; in a file that can't be read there may be."""
        return row_id in self.places or not self.readable

    def problem(self, place: int, what: str) -> Problem:
        """What is wrong with a row of the file."""
        return Problem(self.name, place, " ".join(filter(None, self.ids.get(place, ())))[:LONGEST_ID], what)

    def add(self, place: int, row_id: tuple[str, ...], row: Row | None) -> str | None:
        """Take a row, or note where a bad one stands; the objection, if it is there already."""
        self.ids[place] = row_id
        if row is not None and row_id in self.places:
            return f"row {self.places[row_id]} is of the same: keep one of them"
        self.places.setdefault(row_id, place)
        if row is not None:
            self.rows[place] = row
        return None


@dataclass
class Inventory:
    """What the files hold; one that is not there is empty."""

    places: Sheet[PlaceRow]
    flights: Sheet[FlightRow]
    hotels: Sheet[HotelRow]
    nights: Sheet[NightRow]
    visas: Sheet[VisaRow]


def read_inventory(directory: Path) -> tuple[Inventory, list[Problem]]:
    """The inventory in a directory, and what is wrong with its files and rows."""
    problems: list[Problem] = []
    inventory = Inventory(
        _read(directory, "places", PlaceRow, ("code",), problems),
        _read(directory, "flights", FlightRow, ("number", "departs"), problems),
        _read(directory, "hotels", HotelRow, ("place", "name"), problems),
        _read(directory, "nights", NightRow, ("place", "hotel", "night"), problems),
        _read(directory, "visas", VisaRow, ("passport", "destination"), problems),
    )
    stems = list(Inventory.__annotations__)
    if not any((directory / f"{stem}.{kind}").exists() for stem in stems for kind in ("csv", "json")):
        problems.append(Problem(", ".join(stems), None, None, "none of them is there, as .csv or as .json"))
    return inventory, problems


def _read(
    directory: Path, stem: str, form: type[Row], key: tuple[str, ...], problems: list[Problem]
) -> Sheet[Row]:
    table, listed = directory / f"{stem}.csv", directory / f"{stem}.json"
    path = table if table.exists() else listed
    sheet = Sheet[Row](path.name)
    if not path.exists():
        return sheet
    if table.exists() and listed.exists():
        problems.append(Problem(table.name, None, None, f"{listed.name} is there as well: keep one of them"))
        return Sheet(path.name, readable=False)
    try:
        rows = list(_csv(path, form) if path == table else _json(path))
    except Unreadable as error:
        problems.append(Problem(path.name, None, None, str(error)))
        return Sheet(path.name, readable=False)
    for place, row in rows:
        taken, wrong = formed(form, row)
        same = sheet.add(place, _id(taken, row, key), taken)
        problems.extend(sheet.problem(place, what) for what in ([same] if same else wrong))
    return sheet


def _id(taken: BaseModel | None, row: object, key: tuple[str, ...]) -> tuple[str, ...]:
    """What names a row: of a bad one, as far as it is written."""
    if taken is not None:
        return tuple(_written(getattr(taken, name)) for name in key)
    found = dict(row.pairs) if isinstance(row, Pairs) else row if isinstance(row, Mapping) else {}
    return tuple(str(found.get(name, "")).strip() for name in key)


def _written(value: object) -> str:
    return f"{value:%Y-%m-%d %H:%M}" if isinstance(value, datetime) else str(value)


def _json(path: Path) -> Iterator[tuple[int, object]]:
    content = read_json(path)
    if not isinstance(content, list):
        raise Unreadable("must hold one JSON list of rows")
    yield from enumerate(content, start=1)


def _csv(path: Path, form: type[Row]) -> Iterator[tuple[int, object]]:
    """A heading, then a row a line; a cell that is empty counts as left out."""
    text = read_text(path)
    heading = text.partition("\n")[0]
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=";" if heading.count(";") > heading.count(",") else ","
    )
    columns: list[str] = []
    try:
        for place, cells in enumerate(reader, start=1):
            if place == 1:
                columns = [cell.strip() for cell in cells]
                _check_heading(columns, form)
            elif any(cell.strip() for cell in cells):
                yield place, _row(columns, cells)
    except csv.Error as error:
        raise Unreadable(f"is no CSV ({error}): export it anew") from error
    if not columns:
        raise Unreadable(f"has no heading: begin it with {','.join(form.model_fields)}")


def _row(columns: list[str], cells: list[str]) -> dict[str, Any]:
    row: dict[str, Any] = {
        name: cell.strip() for name, cell in zip(columns, cells, strict=False) if cell.strip()
    }
    if any(cell.strip() for cell in cells[len(columns) :]):
        row["more cells than the heading"] = cells[len(columns) :]
    return row


def _check_heading(columns: list[str], form: type[Row]) -> None:
    needed = [name for name, column in form.model_fields.items() if column.is_required()]
    missing = [name for name in needed if name not in columns]
    unknown = [name for name in columns if name not in form.model_fields]
    twice = [name for name in columns if columns.count(name) > 1]
    if missing or unknown or twice:
        wrong = missing and f"has no column {', '.join(missing)}"
        wrong = (
            wrong or (unknown and f"has a column {', '.join(map(repr, unknown))}") or f"has {twice[0]} twice"
        )
        raise Unreadable(f"{wrong}: the columns are {','.join(form.model_fields)}")
