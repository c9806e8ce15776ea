"""What could not be done: in state for callers, in a dead letter for operators, of whose thread it was."""

import operator
from typing import Annotated, Any, NotRequired

import psycopg
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from psycopg.rows import dict_row
from typing_extensions import TypedDict

from agents.shared import database
from agents.shared.callers import Caller
from agents.shared.failures import Failure, buried, degraded, failed
from agents.shared.resilience import RETRY, GivenUp
from agents.shared.thread_tenants import tenant_of

FAILURES: list[Failure] = [{"node": "pay", "reason": "away"}, {"node": "mail", "reason": "full"}]


class State(TypedDict):
    turns: NotRequired[int]
    degraded: Annotated[list[str], operator.add]


async def node(state: State, runtime: Runtime[None]) -> dict[str, Any]:
    request = str(state.get("turns", 1))
    return await buried(runtime, FAILURES, graph="g", request=request, detail={"why": "test"})


QUICK = RETRY._replace(initial_interval=0.01, jitter=False)
GRAPH: Any = (
    StateGraph(State).add_node("node", node, retry_policy=QUICK).add_edge(START, "node").add_edge("node", END)
)


async def bury(tenant: str, thread_id: str = "t", turns: int = 1) -> dict[str, Any]:
    user = {"identity": "ann", "tenant": tenant}
    config: RunnableConfig = {"configurable": {"thread_id": thread_id, "langgraph_auth_user": user}}
    return await GRAPH.compile(checkpointer=InMemorySaver()).ainvoke({"turns": turns}, config)


def letters(uri: str) -> list[dict[str, Any]]:
    with psycopg.connect(uri) as conn, conn.cursor(row_factory=dict_row) as cursor:
        return cursor.execute("select * from shop.dead_letters order by dead_letter_id").fetchall()


def test_what_is_told() -> None:
    given_up = GivenUp(["no", "nor that"])
    assert degraded("pay", given_up) == {"degraded": ["pay: no", "pay: nor that"]}
    assert failed("pay", given_up)["failures"] == [
        {"node": "pay", "reason": "no"},
        {"node": "pay", "reason": "nor that"},
    ]
    assert failed("pay", GivenUp()) == {"degraded": [], "failures": []}


async def test_a_letter_is_kept_once_for_a_request_of_a_thread(agents_on_database: str) -> None:
    for turns in (1, 1, 2):
        assert (await bury("main", turns=turns))["degraded"] == []
    first, _ = letters(agents_on_database)
    assert (first["graph"], first["node"], first["thread_id"]) == ("g", "pay", "t")
    assert (first["reason"], first["detail"]["why"]) == ("pay: away; mail: full", "test")


@pytest.mark.parametrize(("key", "whose"), [("main", "b"), ("b", "b"), ("c", "c")])
async def test_a_letter_is_of_whose_thread_it_was(agents_on_database: str, key: str, whose: str) -> None:
    """The inbox answers with the operators' key; a third tenant's, which may not, has its own letter."""
    await tenant_of(Caller("bee", "b"), "t")
    await bury(key)
    (letter,) = letters(agents_on_database)
    assert (letter["tenant"], letter["detail"]["tenant"]) == (whose, whose)


async def test_what_could_not_even_be_kept_is_told(
    agents_on_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "TIMEOUT_S", 0.2)
    await database.close()
    database.configure("postgresql://127.0.0.1:9/none?connect_timeout=1")
    (note,) = (await bury("main"))["degraded"]
    assert note.startswith("dead_letter: DatabaseUnavailable")
