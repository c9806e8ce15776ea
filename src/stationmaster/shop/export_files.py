"""Reads an export's three files and says everything that is wrong with single rows."""

import json
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from stationmaster.shop.export_form import OrderRow, ProductRow, UserRow

Row = TypeVar("Row", bound=BaseModel)


@dataclass(frozen=True)
class Problem:
    """What is wrong, and where: the file, and the row by its place (from 1) and its id; None for all of it."""

    file: str
    row: int | None
    row_id: str | None
    what: str

    def __str__(self) -> str:
        where = f"{self.file}, row {self.row} ({self.row_id})" if self.row else self.file
        return f"{where}: {self.what}"


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
        content = json.loads(
            path.read_text(encoding="utf-8"),
            parse_float=Decimal,  # an amount is what the file says, digit by digit
            parse_constant=_refuse_constant,
            object_pairs_hook=_Pairs,
        )
    except (OSError, ValueError, RecursionError) as error:
        reason = "is missing" if isinstance(error, FileNotFoundError) else f"can't be read: {error}"
        problems.append(Problem(path.name, None, None, reason))
        return File(path.name, readable=False)
    if not isinstance(content, _Pairs):
        problems.append(Problem(path.name, None, None, "must hold one JSON object, from id to row"))
        return File(path.name, readable=False)
    for place, (row_id, row) in enumerate(content.pairs, start=1):
        if row_id in file.places:
            problems.append(Problem(path.name, place, row_id, f"row {file.places[row_id]} has the same id"))
            continue
        file.places[row_id] = place
        problems.extend(file.problem(row_id, what) for what in _add(file, form, row_id, row))
    return file


def _add(file: File[Row], form: type[Row], row_id: str, row: object) -> list[str]:
    """Take the row if it is well formed; else what is wrong with it."""
    twice: list[str] = []
    plain = _plain(row, twice)
    if twice:
        return [f"key {name!r} is there twice" for name in twice]
    try:
        file.rows[row_id] = form.model_validate(plain)
    except ValidationError as error:
        return [
            _said(wrong["loc"], wrong["msg"])
            for wrong in error.errors(include_url=False, include_input=False)
        ]
    return []


def _said(place: tuple[int | str, ...], message: str) -> str:
    where = ".".join(str(part) for part in place)
    return f"{where}: {message}" if where else message


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


class _Pairs:
    """A JSON object as it stands in the file: a dict would silently keep the last of two equal keys."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        self.pairs = pairs


def _plain(value: object, twice: list[str]) -> Any:
    """The value with dicts for objects; keys that stand twice in one object are added to `twice`."""
    if isinstance(value, _Pairs):
        twice.extend(name for name, times in Counter(name for name, _ in value.pairs).items() if times > 1)
        return {name: _plain(part, twice) for name, part in value.pairs}
    if isinstance(value, list):
        return [_plain(part, twice) for part in value]
    return value
