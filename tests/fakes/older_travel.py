"""The travel graph of an earlier release: the same nodes over a state without some of today's fields.

What its nodes return for a field that it does not have is dropped, as by a release that did not know it; so its
checkpoints hold nothing for those fields.
"""

from typing import Any

from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from agents.travel import graph as today
from agents.travel.context import Context
from agents.travel.state import Input, State

ADDED_SINCE = frozenset({"itinerary", "decided_by", "losses", "asked", "idle_handoffs"})
Older: type[Any] = TypedDict(
    "Older",
    {name: hint for name, hint in State.__annotations__.items() if name not in ADDED_SINCE},  # pyright: ignore[reportGeneralTypeIssues]
)


def older_builder() -> StateGraph[Any, Any, Any, Any]:
    """Today's nodes, edges and routers over the older state; the peers are today's, whose answers are cut as well."""
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(Older, context_schema=Context, input_schema=Input)
    for name, spec in today.builder.nodes.items():
        builder.add_node(
            name,
            spec.runnable,
            input_schema=Older,
            retry_policy=spec.retry_policy,
            destinations=spec.ends or None,
        )
    builder.edges |= today.builder.edges
    for source, branches in today.builder.branches.items():
        for name, branch in branches.items():
            builder.branches[source][name] = branch._replace(input_schema=None)
    return builder


graph = older_builder().compile(name="travel")
