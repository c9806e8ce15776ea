"""The ways to answer a typed question, read from its schema: the members of a union, the values of a decision, or one.

A union whose members carry a constant (`action: approve | edit | reject`) is one way for each member. An object with
a property that decides (`decision` with a few texts, `approved: true | false`) is one way for each value. Anything
else is answered in one way, `answer`: an object by its properties, the rest as a whole.
"""

from dataclasses import dataclass, field
from typing import Any

from stationmaster.reviews.shapes.filling import RAW
from stationmaster.reviews.shapes.schemas import (
    Schema,
    branches,
    constant,
    discriminator,
    is_null,
    resolved,
    without_null,
)

AFFIRMATIVE = frozenset({"approve", "accept", "confirm", "allow", "yes", "ok"})
NEGATIVE = frozenset(
    {"reject", "deny", "decline", "refuse", "disapprove", "ignore", "cancel", "abort", "delete", "no"}
)
EDITING = frozenset({"edit", "modify", "change", "amend"})
DECIDING = ("decision", "action", "verdict", "type")
YES_OR_NO = ("approved", "approve", "accepted", "accept")
MAX_VALUES = 6
NULL = "null"


@dataclass(frozen=True)
class Way:
    """`properties` is None where the answer is no object with known parts; `fixed` is what the way itself says."""

    decision: str
    schema: Schema
    properties: dict[str, Any] | None = None
    fixed: dict[str, Any] = field(default_factory=dict)
    alone: bool = False

    @property
    def edits(self) -> bool:
        return self.decision.lower() in EDITING

    @property
    def negative(self) -> bool:
        return self.decision.lower() in NEGATIVE

    @property
    def affirmative(self) -> bool:
        return self.decision.lower() in AFFIRMATIVE

    @property
    def parts(self) -> dict[str, Any]:
        """The schemas of the properties that a person fills."""
        return {name: schema for name, schema in (self.properties or {}).items() if name not in self.fixed}


def ways(root: Schema) -> tuple[Way, ...]:
    """All ways to answer; at least one."""
    own, nullable = without_null(resolved(root, root), root)
    members = [member for member in branches(own, root) if not is_null(member)]
    tag = discriminator(members, own, root)
    if tag is not None:
        made = tuple(_member(member, tag, root) for member in members)
    elif _has_parts(own):
        made = _split(own, root) or (Way(RAW, own, own["properties"], alone=True),)
    else:
        return (Way(RAW, resolved(root, root), alone=True),)
    return (*made, Way(NULL, {"type": "null"})) if nullable else made


def _has_parts(schema: Schema) -> bool:
    """Whether an object's properties say all of it, or at least enough to draw a form."""
    properties = schema.get("properties")
    return (
        isinstance(properties, dict) and bool(properties) and "oneOf" not in schema and "anyOf" not in schema
    )


def _member(member: Schema, tag: str, root: Schema) -> Way:
    value = constant(member["properties"][tag], root)
    return Way(value, member, member["properties"], {tag: value})


def _split(schema: Schema, root: Schema) -> tuple[Way, ...]:
    properties = schema["properties"]
    for name in DECIDING:
        values = resolved(properties.get(name), root).get("enum")
        if (
            isinstance(values, list)
            and 2 <= len(values) <= MAX_VALUES
            and all(isinstance(v, str) for v in values)
        ):
            return tuple(Way(value, schema, properties, {name: value}) for value in values)
    for name in YES_OR_NO:
        if resolved(properties.get(name), root).get("type") == "boolean":
            return (
                Way("approve", schema, properties, {name: True}),
                Way("reject", schema, properties, {name: False}),
            )
    return ()
