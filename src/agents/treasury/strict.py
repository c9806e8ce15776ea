"""Nodes that get the state as the Pydantic model, checked when they run and not before.

LangGraph itself makes the model while it prepares a task, and again whenever state is read: one bad write, and the
thread can't even be looked at. Checked inside the node, the same write fails the node, with the field named, and the
thread stays readable and can be put right (`update_state`).
"""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, get_type_hints

from typing_extensions import TypedDict

from agents.treasury.state import State

_HINTS: dict[str, Any] = {
    name: hint
    for name, hint in get_type_hints(State, include_extras=True).items()
    if name in State.model_fields
}
# The functional form, since the keys are the model's own.
Raw: type[Any] = TypedDict("Raw", _HINTS)  # type: ignore[assignment,misc]
"""The same keys, unchecked: what a node reads from the checkpoint."""


def strict(node: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """The node, which is handed a `State`; pydantic's ValidationError names the field that has no business there."""

    @wraps(node)
    async def checked(state: Any, *args: Any, **kwargs: Any) -> Any:
        return await node(State(**state), *args, **kwargs)

    return checked
