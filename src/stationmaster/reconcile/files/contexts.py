"""An assistant's context against the schema that the server gives for its graph. Pure.

A schema can't say what a validator in code refuses; for a pydantic context everything else is in it: keys, types,
ranges.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError

from stationmaster.reconcile.files.problems import shown, unknown
from stationmaster.reconcile.files.secrets import hidden

Place = tuple[int | str, ...]
_KINDS = {
    "string": "text", "number": "a number", "integer": "a whole number", "boolean": "true or false",
    "array": "a list", "object": "keys and values", "null": "null",
}  # fmt: skip


def wrong_in(
    context: Mapping[str, Any], schema: Mapping[str, Any], graph: str
) -> Iterator[tuple[Place, str]]:
    """Places below `context`, each with what is wrong there and what to write.

    A key that the schema does not name is wrong unless it says that others may come, although servers take it: it would
    have no effect. A required key that is missing is not: it may come with each run.
    """
    known = schema.get("properties") or {}
    open_ended = bool(schema.get("additionalProperties")) or (
        not known and "additionalProperties" not in schema
    )
    if not open_ended:
        yield from _unknown((), context, known, graph)
    checker = _checker(json.dumps(schema))
    for error in checker.iter_errors(dict(context)) if checker else ():
        place: Place = tuple(error.absolute_path)
        if not place and error.validator in ("additionalProperties", "required", "unevaluatedProperties"):
            continue
        if error.validator == "additionalProperties" and error.validator_value is False:
            inner = error.schema if isinstance(error.schema, Mapping) else {}
            yield from _unknown(place, error.instance, inner.get("properties") or {}, graph)
            continue
        yield place, f"{_path(place)} {_said(error, _hint(schema, place))}"


def _unknown(
    place: Place, found: Mapping[str, Any], known: Mapping[str, Any], graph: str
) -> Iterator[tuple[Place, str]]:
    for key in found:
        if key not in known:
            where = (*place, key)
            yield where, f"{_path(where)} {unknown(f'setting of graph {graph}', key, known)}"


def _path(place: Place) -> str:
    return ".".join(("context", *map(str, place)))


@lru_cache(maxsize=100)
def _checker(schema: str) -> Any:
    """Made once a schema, which many assistants share; None for one that is none itself."""
    read = json.loads(schema)
    try:
        Draft202012Validator.check_schema(read)
    except SchemaError:
        return None
    return Draft202012Validator(read)


def _said(error: ValidationError, hint: str) -> str:
    value: Any = error.validator_value
    match error.validator:
        case "enum":
            wanted = ", ".join(map(str, value))
            return f"{shown(error.instance)}is none of the values: write one of {wanted}"
        case "type":
            return f"{shown(error.instance)}is of the wrong type: write {_types(value)}{hint}"
        case "anyOf" | "oneOf" if types := [
            part["type"] for part in value if isinstance(part.get("type"), str)
        ]:
            return f"{shown(error.instance)}can't be used: write {_types(types)}{hint}"
        case "minimum" | "exclusiveMinimum":
            least = f"{'more than' if error.validator == 'exclusiveMinimum' else 'at least'} {value}"
            return f"{shown(error.instance)}is out of range: write {least}{hint}"
        case "maximum" | "exclusiveMaximum":
            most = f"{'less than' if error.validator == 'exclusiveMaximum' else 'at most'} {value}"
            return f"{shown(error.instance)}is out of range: write {most}{hint}"
        case "minLength":
            return f"is too short: write at least {value} characters{hint}"
        case "maxLength":
            return f"is too long: write at most {value} characters{hint}"
        case _:
            return f"can't be used ({hidden(error.message)[:200]}): write another value{hint}"


def _types(value: Any) -> str:
    return " or ".join(_KINDS.get(kind, kind) for kind in ([value] if isinstance(value, str) else value))


def _hint(schema: Mapping[str, Any], place: Place) -> str:
    """What the graph says of the setting, in brackets."""
    setting = (schema.get("properties") or {}).get(place[0]) if place else None
    description = (setting or {}).get("description")
    return f" ({description})" if description else ""
