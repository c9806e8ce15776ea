"""The support graph of an earlier release: the same nodes over a state without some of today's fields.

What its nodes return for a field that it does not have is dropped, as by a release that did not know it; so
its checkpoints hold nothing for those fields. Its gate asks, and notes nowhere what it asked.
"""

from typing import Any

from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from agents.shared.approvals import ask_person
from agents.support import graph as today
from agents.support.context import Context
from agents.support.questions import refund_question
from agents.support.state import Input, State

ADDED_SINCE = frozenset(
    {
        "decided_by",
        "attempts",
        "degraded",
        "failures",
        "details",
        "problem",
        "summary",
        "off",
        "article_search",
    }
)


def older_state() -> type[Any]:
    """Today's state without the fields that were added since."""
    kept = {name: hint for name, hint in State.__annotations__.items() if name not in ADDED_SINCE}
    return TypedDict("OlderState", kept)  # type: ignore[return-value]


async def older_gate(state: State) -> None:
    """Asks a person; whoever answers answers today's gate."""
    decision, order = state.get("decision"), state.get("order")
    assert decision is not None
    assert order is not None
    ask_person(refund_question(state, decision, order))
    raise AssertionError("the older release is answered by today's")


def older_builder() -> StateGraph[Any, Any, Any, Any]:
    """Today's nodes, edges and routers over the older state."""
    state = older_state()
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(state, context_schema=Context, input_schema=Input)
    for name, spec in today.builder.nodes.items():
        # Each node and router reads today's state by its annotation, which would bring the new fields back.
        reads = state if spec.input_schema is State else spec.input_schema
        builder.add_node(
            name,
            older_gate if name == "approve" else spec.runnable,
            input_schema=reads,
            retry_policy=spec.retry_policy,
            destinations=spec.ends or None,
        )
    builder.edges |= today.builder.edges
    for source, branches in today.builder.branches.items():
        for name, branch in branches.items():
            builder.branches[source][name] = branch._replace(input_schema=None)
    return builder


graph = older_builder().compile(name="support")
