"""How the helpdesk is put together, and threads that were paused by an older version of it."""

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

from agents.helpdesk import failing, framing, nodes, watching
from agents.helpdesk.context import RECURSION_LIMIT
from agents.helpdesk.graph import EFFECTS, agent, builder, furnished, graph
from agents.helpdesk.state import State
from agents.shared.models.agent import AssistantModels
from tests.agents.helpdesk.in_process import Desk, calls, ends, final
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.shop import Ledger, place_order

NEWEST = frozenset({"tool_calls", "guarded", "stopped", "failures"})
"""Fields that the older version does not know: `tool_calls` is counted anew from messages, the others have defaults."""


def test_its_effects_are_declared_where_they_are() -> None:
    declared = {name: spec.metadata for name, spec in builder.nodes.items() if spec.metadata}
    assert declared == {name: {"effect": effect} for name, effect in EFFECTS.items()}
    shown = {name: node.metadata for name, node in graph.get_graph().nodes.items()}
    assert all((shown[name] or {})["effect"] == effect for name, effect in EFFECTS.items())


def test_what_a_caller_may_send_and_what_it_gets() -> None:
    assert set(graph.get_input_jsonschema()["properties"]) == {"messages", "ticket_id", "user_tier"}
    assert "structured_response" in graph.get_output_jsonschema()["properties"]
    assert graph.config is not None
    assert graph.config.get("recursion_limit") == RECURSION_LIMIT


def test_reducers_are_reducers() -> None:
    """LangGraph takes a reducer that does not stand last for no reducer at all, without a word."""
    channels = builder.compile().channels
    for name in ("usage", "degraded", "receipts", "failures", "escalations", "orders"):
        assert type(channels[name]).__name__ == "BinaryOperatorAggregate", name


def older(saver: InMemorySaver) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The agent of an earlier release: the same middleware over a state without the newest fields.

    What nodes return for a field that the graph lacks is dropped, as by a release that did not know it.
    """
    kept = {name: hint for name, hint in State.__annotations__.items() if name not in NEWEST}
    state: Any = TypedDict("OlderState", kept)  # type: ignore[return-value]
    before = _schemas()
    try:
        for one in before:
            one.state_schema = state
        return furnished(agent(state)).compile(checkpointer=saver, name="helpdesk")
    finally:
        for one, schema in before.items():
            one.state_schema = schema


def _schemas() -> dict[Any, Any]:
    """The middleware whose state is ours."""
    ours = (failing.GivingUp, framing.Framing, nodes.Intake, nodes.Finish, watching.Watching, AssistantModels)
    return {one: one.state_schema for one in ours}


@pytest.mark.parametrize("mode", ["batched", "per_call"])
@pytest.mark.parametrize("decision", ["approve", "reject"])
async def test_a_refund_that_waits_under_the_older_version_is_decided_under_this_one(
    agents_on_shop: str, ticket: str, mode: str, decision: str
) -> None:
    saver = InMemorySaver()
    desk = Desk.open(ticket, approval_mode=mode, saver=saver)
    today, desk.graph = desk.graph, older(saver)
    assert set(today.channels) - set(desk.graph.channels) >= NEWEST
    await desk.say(f"Refund {place_order(agents_on_shop, 50.0)}, it is broken.")
    assert not NEWEST & (await desk.values()).keys()

    desk.graph = today
    answer = {"type": decision}
    values = await (desk.decide(answer) if mode == "batched" else desk.answer(answer))
    assert final(values)["status"] == {"approve": "refunded", "reject": "declined"}[decision]
    assert Ledger(agents_on_shop).refunded_usd(ticket) == ([50.0] if decision == "approve" else [])
    assert final(await desk.say("What are the delivery times?"))["status"] == "answered"


async def test_calls_before_the_pause_are_counted_from_its_messages(
    agents_on_shop: str, openai_server: OpenAIServer, ticket: str
) -> None:
    saver, order_id = InMemorySaver(), place_order(agents_on_shop, 50.0)
    desk = Desk.open(
        ticket, model="openai:gpt-4.1-mini", max_model_calls=4, max_calls_per_tool=1, saver=saver
    )
    today, desk.graph = desk.graph, older(saver)
    asked = ("refund", {"order_id": order_id, "amount_usd": 5, "reason": "x"})
    openai_server.script(calls(("order_lookup", {"order_id": order_id})), calls(asked))
    await desk.say("Refund it")

    desk.graph = today
    openai_server.script(calls(("order_lookup", {"order_id": "88123"})), ends("Done.", "refunded"))
    values = await desk.decide({"type": "approve"})
    assert values["tool_calls"] == {"order_lookup": 2, "refund": 1}
    assert "88123" not in values["orders"], "the second look was one too many"
    assert isinstance(values["messages"][0], HumanMessage)
