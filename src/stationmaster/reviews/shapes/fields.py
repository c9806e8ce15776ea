"""Fields of a form from JSON Schema, and from values where there is no schema.

`Field.schema` is self-contained (no references). Beside JSON Schema's own words it may hold `nullable: true` (null is
an answer) and `format: "multiline"` (text that wants room).
"""

from typing import Any

from stationmaster.reviews.model import Field
from stationmaster.reviews.shapes.checking import check, json_type
from stationmaster.reviews.shapes.schemas import Schema, constant, inlined, without_null
from stationmaster.reviews.shapes.text import block, humanised, one_line

MISSING: Any = object()
"""Where there is no value, which is not the same as null."""

TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
MULTILINE_FROM = 120
HELP_LIMIT = 500
MULTILINE_NAMES = frozenset(
    {"reply", "draft", "message", "text", "body", "reason", "comment", "note", "feedback"}
)


def from_schema(
    name: str,
    schema: Any,
    root: Schema,
    *,
    value: Any = MISSING,
    required: bool = False,
    label: str | None = None,
) -> Field:
    """The field of one property. `value` is what stands in it at first; without one, the schema's default."""
    own, nullable = without_null(inlined(schema, root), root)
    fixed = constant(own, root)
    if value is MISSING or not fits(value, schema, root):
        value = fixed if fixed is not None else own.get("default", MISSING)
    kind = _type_of(own)
    drawn = {**own, **({"nullable": True} if nullable else {})}
    if kind == "string" and _wants_room(name, own, value):
        drawn.setdefault("format", "multiline")
    return Field(
        name=name,
        label=label or _label(name, own),
        type=kind,
        schema=drawn,
        editable=value is MISSING or not _closed(own),
        value=None if value is MISSING else value,
        required=required,
        help=_help(own),
    )


def from_value(name: str, value: Any, *, label: str | None = None, required: bool = True) -> Field:
    """The field of something that has no schema: it keeps the type that its value has."""
    kind = json_type(value)
    schema: Schema = {}
    if kind == "null":
        kind = "any"
    elif kind in ("integer", "number"):
        kind = "number"
    elif kind == "string" and _wants_room(name, {}, value):
        schema = {"format": "multiline"}
    return Field(
        name=name,
        label=label or humanised(name),
        type=kind,
        schema={"type": kind, **schema} if kind != "any" else {},
        value=value,
        required=required,
    )


def message(name: str, label: str, *, required: bool = True, text: str | None = None) -> Field:
    """Text that a person writes."""
    schema: Schema = {"type": "string", "format": "multiline", **({"minLength": 1} if required else {})}
    return Field(name=name, label=label, type="string", schema=schema, required=required, help=text)


def anything(name: str = "answer", label: str = "Answer (JSON)", **options: Any) -> Field:
    """Any JSON."""
    return Field(name=name, label=label, type="any", required=True, **options)


def fits(value: Any, schema: Any, root: Schema) -> bool:
    """Whether a value may stand in a field of this schema."""
    return not check(value, schema, root) if isinstance(schema, dict) else True


def _type_of(schema: Schema) -> str:
    kind = schema.get("type")
    if isinstance(kind, str) and kind in TYPES:
        return kind
    values = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    kinds = {json_type(value) for value in values}
    if len(kinds) == 1:
        return kinds.pop()
    if not kind and isinstance(schema.get("properties"), dict):
        return "object"
    return "any"


def _closed(schema: Schema) -> bool:
    return schema.get("readOnly") is True or schema.get("editable") is False or "const" in schema


def _wants_room(name: str, schema: Schema, value: Any) -> bool:
    if "enum" in schema or "const" in schema or "format" in schema:
        return False
    if isinstance(value, str) and ("\n" in value or len(value) > MULTILINE_FROM):
        return True
    longest = schema.get("maxLength")
    return name in MULTILINE_NAMES or (isinstance(longest, int) and longest > MULTILINE_FROM)


def _label(name: str, schema: Schema) -> str:
    """The title, unless it is what pydantic makes of the name ("Amount Usd")."""
    title = schema.get("title")
    made = name.replace("_", " ").title()
    return (
        one_line(title, 80) if isinstance(title, str) and title.strip() and title != made else humanised(name)
    )


def _help(schema: Schema) -> str | None:
    said = schema.get("description")
    return block(said, HELP_LIMIT) if isinstance(said, str) and said.strip() else None
