"""Checks a value against JSON Schema, and says what is wrong in words a reviewer understands, field by field."""

import re
from datetime import date, datetime, time
from typing import Any
from uuid import UUID

from jsonschema import FormatChecker
from jsonschema.exceptions import ValidationError
from referencing.exceptions import Unresolvable

from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.shapes.schemas import Schema, validator
from stationmaster.reviews.shapes.text import listed, one_line

TYPE_WORDS = {
    "string": "text",
    "number": "a number",
    "integer": "a whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_FORMATS = FormatChecker(formats=())
MAX_ERRORS = 20


def json_type(value: Any) -> str:
    """The JSON type of a value; 1.0 is a number and true no integer."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


@_FORMATS.checks("date", raises=ValueError)
def _date(value: object) -> bool:
    return not isinstance(value, str) or bool(date.fromisoformat(value))


@_FORMATS.checks("date-time", raises=ValueError)
def _datetime(value: object) -> bool:
    return not isinstance(value, str) or bool(datetime.fromisoformat(value))


@_FORMATS.checks("time", raises=ValueError)
def _time(value: object) -> bool:
    return not isinstance(value, str) or isinstance(time.fromisoformat(value), time)


@_FORMATS.checks("uuid", raises=ValueError)
def _uuid(value: object) -> bool:
    return not isinstance(value, str) or bool(UUID(value))


@_FORMATS.checks("email")
def _email(value: object) -> bool:
    return not isinstance(value, str) or re.fullmatch(r"[^@\s]+@[^@\s]+", value) is not None


def check(value: Any, schema: Schema, root: Schema, name: str = "") -> dict[str, str]:
    """What is wrong, as {field: sentence}; empty when it fits. `root` holds the definitions of `schema`."""
    whole = schema if schema is root else {**schema, "$defs": root.get("$defs", {})}
    found: dict[str, str] = {}
    try:
        for error in validator(whole, format_checker=_FORMATS).iter_errors(value):
            for path, sentence in _sentences(error, name):
                found.setdefault(path, sentence)
            if len(found) >= MAX_ERRORS:
                break
    except RecursionError:
        return {name: "is nested too deeply to be checked; flatten it"}
    except (Unresolvable, re.error):
        return {}  # a schema that can't be read must not make its question unanswerable
    return found


def require(value: Any, schema: Schema, root: Schema, name: str = "") -> None:
    """Raise AnswerRefused unless the value fits."""
    if problems := check(value, schema, root, name):
        raise AnswerRefused(problems)


def _sentences(error: ValidationError, name: str) -> list[tuple[str, str]]:
    path = ".".join([*([name] if name else []), *(str(part) for part in error.absolute_path)])
    shown = one_line(path)
    schema: Any = error.schema
    if error.validator == "required" and isinstance(error.instance, dict):
        missing = [key for key in schema.get("required", []) if key not in error.instance]
        return [(one_line(f"{path}.{key}" if path else key), "is required") for key in missing]
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = schema.get("properties", {})
        extra = [key for key in error.instance if key not in known]
        return [
            (one_line(f"{path}.{key}" if path else key), "is not a field of this answer") for key in extra
        ]
    if error.validator in ("anyOf", "oneOf") and error.context:
        return _of_union(error, name) or [(shown, "fits none of the forms that are allowed here")]
    return [(shown, _sentence(error))]


def _of_union(error: ValidationError, name: str) -> list[tuple[str, str]]:
    """Of a value that may also be null, what is wrong with it as a value; else nothing precise can be said."""
    by_branch: dict[Any, list[ValidationError]] = {}
    for inner in error.context or ():
        by_branch.setdefault(inner.schema_path[0], []).append(inner)
    telling = [
        found
        for found in by_branch.values()
        if not any(inner.validator == "type" and inner.validator_value == "null" for inner in found)
    ]
    return [pair for inner in telling[0] for pair in _sentences(inner, name)] if len(telling) == 1 else []


def _sentence(error: ValidationError) -> str:
    wanted: Any = error.validator_value
    match error.validator:
        case "type":
            kinds = [wanted] if isinstance(wanted, str) else list(wanted)
            words = " or ".join(TYPE_WORDS.get(kind, kind) for kind in kinds)
            return f"must be {words}, not {TYPE_WORDS[json_type(error.instance)]}"
        case "enum":
            return f"must be one of {listed(wanted)}"
        case "const":
            return f"must be {listed([wanted])}"
        case "minLength":
            return "must not be empty" if wanted == 1 else f"must have at least {wanted} characters"
        case "format":
            return f"must be a {wanted}"
        case "pattern":
            return f"must match the pattern {one_line(str(wanted), 80)}"
        case str(keyword) if keyword in _LIMITS:
            return _LIMITS[keyword].format(wanted)
        case _:
            return one_line(error.message, 160)


_LIMITS = {
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
    "multipleOf": "must be a multiple of {}",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "uniqueItems": "must not hold the same item twice",
}
