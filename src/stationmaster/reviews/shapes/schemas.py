"""JSON Schema as graphs send it: is it usable, what does a reference point to, which branches has a union."""

import re
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

Schema = dict[str, Any]

MAX_INLINE = 6
MAX_DRAWN = 500
MAX_NODES = 5_000
_NOTHING = Registry()  # a reference to somewhere else is not fetched: it does not resolve


def validator(schema: Schema, **options: Any) -> Validator:
    """The validator of the schema's own dialect, 2020-12 where it names none; it reaches nothing outside."""
    of = validator_for(schema, default=Draft202012Validator)
    return of(schema, registry=_NOTHING, **options)


def usable(schema: Any) -> bool:
    """Whether it is a schema, small enough, whose references and patterns hold."""
    if not isinstance(schema, dict):
        return False
    try:
        validator_for(schema, default=Draft202012Validator).check_schema(schema)
        return all(_holds(node, schema) for node in _nodes(schema))
    except (SchemaError, Unresolvable, RecursionError, re.error, ValueError):
        return False


def _nodes(schema: Schema) -> Iterator[Schema]:
    stack, seen = [cast("Any", schema)], 0
    while stack:
        node = stack.pop()
        seen += 1
        if seen > MAX_NODES:
            raise ValueError("too large a schema")
        if isinstance(node, dict):
            yield node
        if isinstance(node, dict | list):
            stack.extend(node.values() if isinstance(node, dict) else node)


def _holds(node: Schema, root: Schema) -> bool:
    pattern = node.get("pattern")
    if isinstance(pattern, str):
        re.compile(pattern)
    reference = node.get("$ref")
    return not isinstance(reference, str) or _target(reference, root) is not None


def _target(reference: str, root: Schema) -> Schema | None:
    """What a local reference (`#/$defs/Name`) points to."""
    if not reference.startswith("#"):
        return None
    found: Any = root
    for part in reference[1:].split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or key not in found:
            return None
        found = found[key]
    return found if isinstance(found, dict) else None


def resolved(schema: Any, root: Schema) -> Schema:
    """The schema behind its references; what stands beside a reference (a default, a title) wins."""
    if not isinstance(schema, dict):
        return {}
    found, beside = schema, {}
    for _ in range(MAX_INLINE):
        reference = found.get("$ref")
        if not isinstance(reference, str):
            break
        beside = {**{key: value for key, value in found.items() if key != "$ref"}, **beside}
        found = _target(reference, root) or {}
    return {**found, **beside}


def inlined(schema: Any, root: Schema) -> Schema:
    """The schema without references, for whoever draws it.

    Below MAX_INLINE levels, and after MAX_DRAWN parts, only {}: definitions that name each other many times
    would grow without end.
    """
    return _inlined(schema, root, 0, count())


def _inlined(schema: Any, root: Schema, depth: int, parts: Iterator[int]) -> Schema:
    if depth > MAX_INLINE or next(parts) > MAX_DRAWN:
        return {}
    own = {key: value for key, value in resolved(schema, root).items() if key != "$defs"}
    for key in ("properties", "patternProperties"):
        if isinstance(own.get(key), dict):
            own[key] = {name: _inlined(inner, root, depth + 1, parts) for name, inner in own[key].items()}
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        if isinstance(own.get(key), list):
            own[key] = [_inlined(inner, root, depth + 1, parts) for inner in own[key]]
    for key in ("items", "additionalProperties"):
        if isinstance(own.get(key), dict):
            own[key] = _inlined(own[key], root, depth + 1, parts)
    return own


def is_null(schema: Schema) -> bool:
    return schema.get("type") == "null" or schema.get("const", ...) is None


def branches(schema: Schema, root: Schema) -> list[Schema]:
    """The members of a oneOf or anyOf, resolved; none where it is no union."""
    members = schema.get("oneOf") or schema.get("anyOf")
    return [resolved(member, root) for member in members] if isinstance(members, list) else []


def without_null(schema: Schema, root: Schema) -> tuple[Schema, bool]:
    """What remains of `X | None`, with the title, default and description from outside; and whether it was one."""
    members = branches(schema, root)
    kept = [member for member in members if not is_null(member)]
    if len(kept) == len(members):
        types = schema.get("type")
        if isinstance(types, list) and "null" in types:
            rest = [name for name in types if name != "null"]
            return {**schema, "type": rest[0] if len(rest) == 1 else rest}, True
        return schema, False
    outside = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf", "discriminator")}
    if len(kept) == 1:
        return {**kept[0], **outside}, True
    return {**outside, "anyOf": kept}, True


def discriminator(members: list[Schema], schema: Mapping[str, Any], root: Schema) -> str | None:
    """The property whose constant tells the members of a union apart."""
    if len(members) < 2 or not all(isinstance(member.get("properties"), dict) for member in members):
        return None
    named = schema.get("discriminator")
    first = [named.get("propertyName")] if isinstance(named, dict) else []
    for name in [*first, *members[0]["properties"]]:
        constants = [constant(member["properties"].get(name), root) for member in members]
        if all(isinstance(value, str) for value in constants) and len(set(constants)) == len(constants):
            return name
    return None


def constant(schema: Any, root: Schema) -> Any:
    """The only value that a schema allows, or None."""
    found = resolved(schema, root)
    if "const" in found:
        return found["const"]
    values = found.get("enum")
    return values[0] if isinstance(values, list) and len(values) == 1 else None
