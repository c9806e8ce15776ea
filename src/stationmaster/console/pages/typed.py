"""Form text to JSON values and back, so that numbers stay numbers and what was not touched stays exactly as it was."""

import json
import math
import re
from typing import Any

from stationmaster.reviews import json_text
from stationmaster.reviews.model import Field
from stationmaster.reviews.shapes.amounts import KEYS

NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
OMITTED = object()
MOST_MONEY = 1e12
"""From here on a float's decimals are not all its own."""


class NotThatType(ValueError):
    """The text is no value of the field's type; the message is for the person who typed it."""


def as_sent(text: str) -> str:
    """Text as a browser would send it back: line ends made one, what UTF-8 or HTML can't carry replaced."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "�")
    return text.encode("utf-8", "replace").decode()


def text_of(field: Field) -> str:
    """What stands in the control at first: text for strings, yes/no words for booleans, JSON for the rest."""
    value = field.value
    if value is None:
        return ""
    if isinstance(value, str) and field.type in ("string", "any"):
        return as_sent(value)
    if field.type in ("array", "object", "any", "null"):
        return as_sent(json_text.write(value, indent=2, ensure_ascii=False))
    if isinstance(value, str):
        return as_sent(value)
    return money_text(field.name, value) if field.type == "number" else json.dumps(value)


def money_text(name: str, value: Any) -> str:
    """A number as JSON; an amount of money with its two decimals, if that is all that it has."""
    is_amount = name.endswith("_usd") or name.rpartition(".")[2] in KEYS
    if not is_amount or isinstance(value, bool) or not isinstance(value, int | float):
        return json.dumps(value)
    cents = abs(value) < MOST_MONEY and round(value, 2) == value
    return f"{value:.2f}" if cents else json.dumps(value)


def value_of(field: Field, text: str, *, as_text: bool = False) -> Any:
    """The typed value, the field's own value if nothing was changed, OMITTED if empty and not needed; NotThatType."""
    text = as_sent(text)
    if text == text_of(field) and (field.value is not None or not text):
        untouched = field.value is not None or field.required or field.type == "null"
        return (
            field.value if untouched and not (field.value is None and field.type != "null") else _empty(field)
        )
    if not text.strip() and field.type != "string":
        return _empty(field)
    if options := field.schema.get("enum"):
        return _option(options, text)
    if field.type == "string" or (field.type == "any" and as_text):
        return text if text or isinstance(field.value, str) else _empty(field)
    if field.type in ("number", "integer"):
        return _number(text.strip(), whole=field.type == "integer")
    return _json(text, field.type)


def _empty(field: Field) -> Any:
    if not field.required:
        return OMITTED
    if field.type == "string":
        return ""
    raise NotThatType("needs a value")


def _option(options: list[Any], text: str) -> Any:
    """The value of a list's entry: its JSON text is what the control sends."""
    for option in options:
        if text in (option, json.dumps(option)):
            return option
    raise NotThatType("choose one of the list")


def _number(text: str, *, whole: bool) -> int | float:
    if not NUMBER.fullmatch(text):
        example = "42" if whole else "42.50"
        raise NotThatType(
            f"is no {'whole number' if whole else 'number'}: write digits only, as in {example}"
        )
    try:
        value = json.loads(text)
    except ValueError as error:  # thousands of digits: Python refuses to read them
        raise NotThatType("is too long a number") from error
    if isinstance(value, float) and not math.isfinite(value):
        raise NotThatType("is too large a number")
    if whole and isinstance(value, float):
        raise NotThatType("is no whole number: write digits only, as in 42")
    return value


def _json(text: str, expected: str) -> Any:
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except RecursionError as error:
        raise NotThatType("is nested too deeply") from error
    except ValueError as error:
        where = (
            f" at line {error.lineno}, column {error.colno}"
            if isinstance(error, json.JSONDecodeError)
            else ""
        )
        raise NotThatType(f'is no JSON{where}: text stands in double quotes, as in "yes"') from error
    kinds: dict[str, type | tuple[type, ...]] = {
        "array": list,
        "object": dict,
        "boolean": bool,
        "null": type(None),
    }
    if expected in kinds and not isinstance(value, kinds[expected]):
        names = {
            "array": "a JSON list [...]",
            "object": "a JSON object {...}",
            "boolean": "true or false",
            "null": "null",
        }
        raise NotThatType(f"must be {names[expected]}")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
