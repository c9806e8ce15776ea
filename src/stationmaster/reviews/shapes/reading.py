"""From the text of an HTML control to the JSON value of its field, for pages without script. Types are the field's."""

import json
import math
from typing import Any

from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Field
from stationmaster.reviews.shapes.fields import MISSING
from stationmaster.reviews.shapes.text import listed

_BOOLEANS = {
    "true": True,
    "on": True,
    "yes": True,
    "1": True,
    "false": False,
    "off": False,
    "no": False,
    "0": False,
}


def read(field: Field, text: str) -> Any:
    """The value, or MISSING for an optional field that was left empty (null, if it may be null).

    600 is read as an integer and 600.0 as a float; text is never read as a number. Raises AnswerRefused.
    """
    values = field.schema.get("enum")
    if isinstance(values, list) and (found := [value for value in values if as_text(value) == text]):
        return found[0]
    if not text.strip() and (field.type != "string" or not field.required):
        return _empty(field)
    match field.type:
        case "string":
            return text
        case "boolean":
            return _boolean(field, text)
        case "integer" | "number":
            return _number(field, text)
        case _:
            return _json(field, text)


def as_text(value: Any) -> str:
    """What stands in the control: text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _empty(field: Field) -> Any:
    if field.schema.get("nullable"):
        return None
    if field.required:
        raise AnswerRefused({field.name: "is required"})
    return MISSING


def _boolean(field: Field, text: str) -> bool:
    value = _BOOLEANS.get(text.strip().lower())
    if value is None:
        raise AnswerRefused({field.name: "must be true or false"})
    return value


def _number(field: Field, text: str) -> int | float:
    value = _json(field, text.strip().replace("\u00a0", ""), "must be a number, as in 1200 or 12.50")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise AnswerRefused({field.name: "must be a number, as in 1200 or 12.50"})
    if field.type == "integer" and isinstance(value, float):
        raise AnswerRefused({field.name: "must be a whole number"})
    return value


def _json(field: Field, text: str, problem: str = "must be JSON; a text is written in quotes") -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise AnswerRefused({field.name: problem}) from error
    wanted = {"array": list, "object": dict}.get(field.type)
    if wanted and not isinstance(value, wanted):
        raise AnswerRefused({field.name: f"must be {listed([field.type])} in JSON"})
    return value
