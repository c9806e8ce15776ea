"""What a setting takes, by its JSON Schema, and how that is said in a few words. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Shape:
    """What a setting takes, with references followed and null taken apart."""

    type: str
    schema: Mapping[str, Any]


def shape_of(found: Mapping[str, Any], root: Mapping[str, Any]) -> Shape:
    """One setting's schema with `$ref` followed, and `anyOf` with null as what else it takes."""
    outer = {key: value for key, value in found.items() if key not in ("$ref", "anyOf", "oneOf", "allOf")}
    inner: Mapping[str, Any] = found
    for _ in range(5):
        if isinstance(reference := inner.get("$ref"), str):
            inner = _at(root, reference)
            continue
        parts = inner.get("anyOf") or inner.get("oneOf") or inner.get("allOf")
        others = [part for part in parts or () if isinstance(part, Mapping) and part.get("type") != "null"]
        if len(others) != 1:
            break
        inner = others[0]
    merged = {**inner, **outer}
    kind = merged.get("type")
    return Shape(kind if isinstance(kind, str) else "any", merged)


def is_lines(shape: Shape) -> bool:
    """Whether it is a list of texts, which people write one a line."""
    items = shape.schema.get("items")
    return shape.type == "array" and isinstance(items, Mapping) and items.get("type") == "string"


def choices_of(shape: Shape) -> tuple[str, ...]:
    """What a list of texts may hold, where the schema says all of it: people tick them."""
    items = shape.schema.get("items")
    listed = items.get("enum") if shape.type == "array" and isinstance(items, Mapping) else None
    return tuple(listed) if isinstance(listed, list) and all(isinstance(each, str) for each in listed) else ()


def inner_of(shape: Shape) -> Mapping[str, Any]:
    """The schemas of what is below a setting, where it takes just these: each is a setting of its own."""
    inner = shape.schema.get("properties")
    closed = shape.type == "object" and shape.schema.get("additionalProperties") is False
    return inner if closed and isinstance(inner, Mapping) else {}


def hint_of(shape: Shape) -> str:
    """What it takes, in a few words: `number, 0 to 2`."""
    words = {"integer": "whole number", "number": "number", "array": "JSON list", "object": "JSON object"}
    kind = "one a line" if is_lines(shape) else words.get(shape.type, "")
    items = shape.schema.get("items")
    if isinstance(items, Mapping) and isinstance(listed := items.get("enum"), list):
        kind += f", of {', '.join(map(str, listed))}"
    return ", ".join(filter(None, (kind, _range(shape.schema))))


_BOUNDS = (
    ("minimum", "{} or more"), ("exclusiveMinimum", "more than {}"), ("maximum", "{} or less"),
    ("exclusiveMaximum", "less than {}"),
)  # fmt: skip


def _range(schema: Mapping[str, Any]) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    if isinstance(least, int | float) and isinstance(most, int | float):
        return f"{least:g} to {most:g}"
    bounds = ((schema.get(key), words) for key, words in _BOUNDS)
    return ", ".join(words.format(f"{bound:g}") for bound, words in bounds if isinstance(bound, int | float))


def _at(root: Mapping[str, Any], reference: str) -> Mapping[str, Any]:
    found: Any = root
    for step in reference.removeprefix("#/").split("/"):
        found = found.get(step) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}
