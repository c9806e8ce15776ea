"""A change of the thread's state, as breakpoints and NodeInterrupts take it."""

from collections.abc import Sequence
from typing import Any

from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Field
from stationmaster.reviews.shapes import fields
from stationmaster.reviews.shapes.sendable import require_sendable
from stationmaster.reviews.shapes.text import listed

UPDATE = "state_update"
ADDS = "A key with a reducer (messages, for one) adds what is given here; any other is replaced."


def update_field(label: str, *, required: bool, text: str = ADDS) -> Field:
    """The keys of the state to write, as an object."""
    return Field(
        UPDATE,
        label,
        "object",
        {"type": "object"},
        value=None if required else {},
        required=required,
        help=text,
    )


def node_field(text: str, nodes: Sequence[str] = ()) -> Field:
    """Which node the state is written as: one of the graph's, where they are known."""
    known = {"enum": list(nodes)} if nodes else {}
    schema = {"type": "string", "minLength": 1, **known}
    return Field("as_node", "As node", "string", schema, required=True, help=text)


def state_fields(values: Any) -> tuple[Field, ...]:
    """One field for each key that can be replaced; lists usually have a reducer, so they go in as JSON only."""
    if not isinstance(values, dict):
        return ()
    return tuple(
        fields.from_value(key, value, required=False)
        for key, value in values.items()
        if isinstance(key, str) and not isinstance(value, list)
    )


def checked_update(update: Any, *, empty: bool = False) -> dict[str, Any]:
    """The keys to write, if it is an object that can be carried, and not empty unless it may be."""
    if not isinstance(update, dict):
        raise AnswerRefused({UPDATE: "must be an object: the keys of the state to write"})
    if not update and not empty:
        raise AnswerRefused({UPDATE: "must change something"})
    require_sendable(update, UPDATE)
    return update


def checked_node(node: Any, nodes: Sequence[str] = ()) -> str:
    """The node's name; where the graph's nodes are known, one of them."""
    if not isinstance(node, str) or not node.strip():
        raise AnswerRefused({"as_node": "must name a node of the graph"})
    require_sendable(node, "as_node")
    if nodes and node.strip() not in nodes:
        raise AnswerRefused({"as_node": f"is no node of the graph: choose {listed(nodes)}"})
    return node.strip()
