"""The treasury of an earlier release: the same nodes over a state without some of today's fields.

What its nodes return for a field that it does not have is dropped, as by a release that did not know it; so its
checkpoints hold nothing for those fields.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from agents.treasury import graph as today
from agents.treasury.context import Context
from agents.treasury.state import Input, State
from agents.treasury.strict import Raw

ADDED_SINCE = frozenset({"risk", "clarifications", "deciders", "compliance_note"})
Older: type[Any] = TypedDict(
    "Older",
    {name: hint for name, hint in Raw.__annotations__.items() if name not in ADDED_SINCE},  # pyright: ignore[reportGeneralTypeIssues]
)


def older_builder() -> StateGraph[Any, Any, Any, Any]:
    """Today's nodes, edges and routers over the older state."""
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(Older, context_schema=Context, input_schema=Input)
    for name, spec in today.builder.nodes.items():
        builder.add_node(name, spec.runnable, input_schema=Older, destinations=spec.ends or None)
    builder.edges |= today.builder.edges
    for source, branches in today.builder.branches.items():
        for name, branch in branches.items():
            path = _over_older(branch.path)
            builder.branches[source][name] = branch._replace(input_schema=None, path=path)
    return builder


def _over_older(path: Runnable[Any, Any]) -> Any:
    """A router reads today's model, whose new fields have their defaults where the older state has none."""

    async def route(state: dict[str, Any], config: RunnableConfig) -> Any:
        return await path.ainvoke(State(**state), config)

    return _Route(route)


class _Route(Runnable[Any, Any]):
    def __init__(self, route: Callable[[dict[str, Any], RunnableConfig], Coroutine[Any, Any, Any]]) -> None:
        self._route = route

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        raise NotImplementedError("the older treasury runs in async code alone")

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        return await self._route(input, config or {})


graph = older_builder().compile(name="treasury")
