"""What reading any export has in common: files that can't be read, rows that are not well formed, and their places."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from psycopg import Error
from pydantic import BaseModel, ValidationError

from stationmaster.errors import StationmasterError

Row = TypeVar("Row", bound=BaseModel)
MOST_DIGITS = 100


@dataclass(frozen=True)
class Problem:
    """What is wrong, and where: the file, and the row by its place (from 1) and its id; None for all of it."""

    file: str
    row: int | None
    row_id: str | None
    what: str

    def __str__(self) -> str:
        row = f", row {self.row}" if self.row else ""
        named = f" ({self.row_id})" if self.row_id else ""
        said = f"{self.file}{row}{named}: {self.what}"
        return said.encode("utf-8", "backslashreplace").decode()  # half of a surrogate pair can't be printed


class ImportRefused(StationmasterError):
    """The export can't be imported, and nothing of it was; `problems` lists all that is wrong."""

    def __init__(self, directory: Path, problems: Sequence[Problem]) -> None:
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
        super().__init__(f"{count} in {directory}, nothing was imported: correct the rows and import again")
        self.problems = problems


class Unreadable(Exception):
    """A file is not there, or is none of its kind; the message says so, without its name."""


class Pairs:
    """A JSON object as it stands in the file: a dict would silently keep the last of two equal keys."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        self.pairs = pairs


def read_text(path: Path) -> str:
    """The file, with or without a byte order mark. Raises Unreadable."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise Unreadable("is missing") from None
    except (OSError, ValueError) as error:
        raise Unreadable(f"can't be read: {error}") from error


def read_json(path: Path) -> object:
    """The content, its objects as Pairs and its amounts digit by digit as Decimal. Raises Unreadable."""
    text = read_text(path)
    try:
        return json.loads(text, parse_float=_amount, parse_constant=_refuse_constant, object_pairs_hook=Pairs)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"can't be read: {error}") from error


def formed(form: type[Row], row: object) -> tuple[Row | None, list[str]]:
    """The row if it is well formed; else what is wrong with it."""
    twice: list[str] = []
    plain = _plain(row, twice)
    if twice:
        return None, [f"key {name!r} is there twice" for name in twice]
    try:
        return form.model_validate(plain), []
    except ValidationError as error:
        return None, [
            _said(wrong["loc"], wrong["msg"])
            for wrong in error.errors(include_url=False, include_input=False)
        ]


def by_the_rules(whose: str, error: Error) -> Problem:
    """What a constraint says that no check foresaw."""
    what = f"its rules don't allow it: {error.diag.message_primary}. {error.diag.message_detail or ''}"
    return Problem(whose, None, None, what.strip())


def _said(place: tuple[int | str, ...], message: str) -> str:
    where = ".".join(str(part) for part in place)
    return f"{where}: {message}" if where else message


def _amount(text: str) -> Decimal:
    """Digit by digit. Where a whole number is wanted all its digits are made, and 1e999999999 has too many for that."""
    try:
        amount = Decimal(text)
    except ArithmeticError:
        amount = None
    if amount is None or abs(amount.adjusted()) > MOST_DIGITS:
        raise ValueError(f"{text[:40]} is no amount")
    return amount


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _plain(value: object, twice: list[str]) -> Any:
    """The value with dicts for objects; keys that stand twice in one object are added to `twice`."""
    if isinstance(value, Pairs):
        twice.extend(name for name, times in Counter(name for name, _ in value.pairs).items() if times > 1)
        return {name: _plain(part, twice) for name, part in value.pairs}
    if isinstance(value, list):
        return [_plain(part, twice) for part in value]
    return value
