"""What model calls cost is noted as they are made; the helpdesk and support ask through the same two doors."""

from typing import Any

import psycopg
import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from psycopg.rows import dict_row
from typing_extensions import TypedDict

from agents.shared import database, models, spending
from agents.shared.callers import Caller
from agents.shared.limits import usage_of
from agents.shared.offline import Reply
from agents.shared.thread_tenants import tenant_of
from tests.fakes.openai_answers import Say, Status
from tests.fakes.openai_server import OpenAIServer

MODEL = "openai:gpt-4.1-mini"


def noted(uri: str) -> list[dict[str, Any]]:
    with psycopg.connect(uri) as conn, conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute("select * from shop.model_calls order by model_call_id").fetchall()


def answered(model: str = MODEL) -> Any:
    counts: Any = {"input_tokens": 1_000, "output_tokens": 500, "total_tokens": 1_500}
    return usage_of("classify", model, AIMessage("x", usage_metadata=counts))


async def test_a_call_is_noted_with_its_run(agents_on_database: str) -> None:
    class State(TypedDict):
        done: bool

    async def node(state: State) -> State:
        await spending.note(answered())
        return {"done": not state["done"]}

    graph = StateGraph(State).add_node("node", node).add_edge(START, "node").add_edge("node", END).compile()
    user = {"identity": "eve", "tenant": "acme"}
    config: RunnableConfig = {
        "configurable": {"thread_id": "t-1", "graph_id": "g", "langgraph_auth_user": user}
    }
    await graph.ainvoke({"done": False}, config)
    await tenant_of(
        Caller("bee", "b"), "t-2"
    )  # whose thread it is that the inbox, or acme's key, goes on with
    await graph.ainvoke({"done": False}, {"configurable": {**config["configurable"], "thread_id": "t-2"}})
    row, of_another = noted(agents_on_database)
    assert of_another["tenant"] == "b"
    assert (row["tenant"], row["graph"], row["node"], row["thread_id"]) == ("acme", "g", "classify", "t-1")
    assert (row["model"], row["input_tokens"], row["output_tokens"]) == (MODEL, 1_000, 500)
    assert float(row["usd"]) == pytest.approx(0.0004 + 0.0008)


async def test_an_offline_answer_costs_nothing_and_an_unpriced_one_says_so(agents_on_database: str) -> None:
    await spending.note(answered("offline:rules"))
    await spending.note(answered("openai:unheard-of"))
    (row,) = noted(agents_on_database)
    assert (row["unpriced"], row["usd"], row["graph"]) == (True, 0, "")


async def test_each_answer_of_a_provider_is_noted_and_no_failed_try(
    agents_on_database: str, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.shared.resilience.retry.wait_before_next", lambda *_: 0.01)
    openai_server.script(Status(500), Say("one"), Say("two"))
    for _ in range(2):
        await models.ask(["Hello"], node="n", models=[MODEL], rules=lambda _: Reply("offline"))
    assert [row["node"] for row in noted(agents_on_database)] == ["n", "n"]


async def test_a_note_that_can_not_be_written_loses_no_answer(
    openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(spending, "PATIENCE_S", 0.2)
    openai_server.script(Say("one"))
    database.configure("postgresql://127.0.0.1:1/nowhere")
    try:
        answer = await models.ask(["Hello"], node="n", models=[MODEL], rules=lambda _: Reply("offline"))
    finally:
        await database.close()
        database.configure(None)
    assert answer.message.text == "one"
    assert "what a model call cost is not noted" in caplog.text
