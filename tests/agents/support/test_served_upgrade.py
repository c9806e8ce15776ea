"""A thread that was paused by an older release goes on under today's, which has more state fields."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from agents.support.graph import builder
from tests.agents.support.client import Conversation, wants_refund
from tests.fakes import older_support
from tests.fakes.agent_server import CONFIG, ROOT, AgentServer
from tests.fakes.shop import Ledger, place_order

THREAD: RunnableConfig = {"configurable": {"thread_id": "t"}}
ANSWERS = [
    pytest.param({"action": "approve"}, "refunded", id="approve"),
    pytest.param({"action": "edit", "amount_usd": 5}, "refunded", id="edit"),
    pytest.param({"action": "reject", "reason": "No."}, "refund_rejected", id="reject"),
]


def test_the_older_graph_lacks_fields_and_nothing_else() -> None:
    older, today = older_support.graph, builder.compile()
    assert set(today.channels) - set(older.channels) == older_support.ADDED_SINCE
    assert {(edge.source, edge.target) for edge in older.get_graph().edges} == {
        (edge.source, edge.target) for edge in today.get_graph().edges
    }


@pytest.mark.parametrize(("answer", "outcome"), ANSWERS)
async def test_a_question_of_the_older_graph_is_answered_by_todays(
    agents_on_shop: str, answer: Any, outcome: str
) -> None:
    saver = InMemorySaver()
    older = older_support.older_builder().compile(checkpointer=saver)
    message = HumanMessage(wants_refund(place_order(agents_on_shop)))
    await older.ainvoke({"ticket_id": "older", "messages": [message]}, THREAD)
    held = (await older.aget_state(THREAD)).values
    assert not older_support.ADDED_SINCE & held.keys()

    today = builder.compile(checkpointer=saver)
    values = await today.ainvoke(Command(resume=answer), THREAD)
    assert values["outcome"] == outcome
    ledger = Ledger(agents_on_shop)
    assert len(ledger.refunds("older")) == (outcome == "refunded")
    assert ledger.mail_kinds("older") == ["acknowledge", "reply"]


async def test_an_answer_that_can_not_be_done_is_counted_on_an_older_thread(agents_on_shop: str) -> None:
    saver = InMemorySaver()
    older = older_support.older_builder().compile(checkpointer=saver)
    message = HumanMessage(wants_refund(place_order(agents_on_shop)))
    await older.ainvoke({"ticket_id": "older", "messages": [message]}, THREAD)

    today = builder.compile(checkpointer=saver)
    asked = await today.ainvoke(Command(resume={"action": "edit", "amount_usd": 9_000}), THREAD)
    assert asked["__interrupt__"][0].value["attempt"] == 2
    assert asked["attempts"] == {"approve": 1}


async def test_a_server_that_was_upgraded_while_a_refund_waited(
    tmp_path: Path, served_shop: str, order_of: Callable[..., str], ledger: Ledger
) -> None:
    older = json.loads(CONFIG.read_text())
    older["dependencies"] = [str(ROOT)]
    older["graphs"] = {"support": "tests.fakes.older_support:graph"}
    path = tmp_path / "older.json"
    path.write_text(json.dumps(older))
    server = AgentServer(tmp_path, env={"STATIONMASTER_DATABASE_URI": served_shop}, config=path)
    try:
        await server.start()
        async with server.sdk() as client:
            talk = await Conversation.open(client, "upgraded", order_id=order_of())
            await talk.want_refund()
            question = await talk.question()
            assert not older_support.ADDED_SINCE & (await talk.state())["values"].keys()
        await server.sigterm()
        server.config = CONFIG
        await server.start()
        async with server.sdk() as client:
            talk = talk.by(client)
            assert await talk.question() == question
            assert (await talk.answer({"action": "approve"}))["outcome"] == "refunded"
            paid = ledger.refunded_usd(talk.ticket_id)
            assert (await talk.want_refund())["outcome"] == "refund_declined"
    finally:
        server.kill_blocking()
    assert len(paid) == 1
    assert ledger.refunded_usd(talk.ticket_id) == paid
    assert ledger.mail_kinds(talk.ticket_id) == ["acknowledge", "reply", "reply"]
