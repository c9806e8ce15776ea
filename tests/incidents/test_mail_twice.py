"""1,200 customers were told twice that their request is being reviewed.

The mail stood before the gate, in the gate's own node: whoever approved a request sent its customer the mail
again. Nobody noticed in tests, where mails were counted before anything was approved. Now the mail has a node of
its own, which is over and saved when the next one asks.
"""

from typing import Any, NotRequired

import psycopg
import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger
from tests.labs.figures import Figures
from tests.labs.hosts import Host, at_once
from tests.labs.places import HostOf

APPROVALS = {"saver": 24, "durable": 1_200}
TABLE = Figures(
    "mail twice",
    ("approvals", "on", "mails, wrong", "doubled, wrong", "mails, right", "doubled, right", "lost, right"),
    ("24", "1,200"),
    zero={"doubled, right": (), "lost, right": ()},
)
COUNT = "select effect, count(*), count(distinct key) from ledger where key like %s group by 1"


class State(TypedDict):
    key: str
    approved: NotRequired[bool]


async def tell_and_ask(state: State) -> dict[str, Any]:
    await ledger.write(state["key"], "being reviewed")
    return {"approved": interrupt("Approve?")}


async def tell(state: State) -> dict[str, Any]:
    await ledger.write(state["key"], "being reviewed")
    return {}


async def ask(state: State) -> dict[str, Any]:
    return {"approved": interrupt("Approve?")}


async def pay(state: State) -> dict[str, Any]:
    if state.get("approved"):
        await ledger.write(state["key"], "paid")
    return {}


def reviewed(**nodes: Any) -> Any:
    builder = StateGraph(State)
    for name, node in {**nodes, "pay": pay}.items():
        builder.add_node(name, node)
    names = [*nodes, "pay"]
    for before, after in zip([START, *names], [*names, END], strict=True):
        builder.add_edge(before, after)
    return builder.compile()


wrong = reviewed(ask=tell_and_ask)
right = reviewed(tell=tell, ask=ask)


async def approve(place: Host, graph: str, count: int, uri: str) -> dict[str, tuple[int, int]]:
    """So many requests, each approved; of each effect how many there were, and for how many requests."""
    threads = await at_once(*(place.thread() for _ in range(count)))
    keys = {thread: f"{graph}-{count}-{thread}" for thread in threads}
    asked = await at_once(*(place.run(thread, graph, input={"key": key}) for thread, key in keys.items()))
    assert all(thread.asks == ("Approve?",) for thread in asked)
    await at_once(*(place.run(thread, graph, resume=True) for thread in threads))
    with psycopg.connect(uri) as conn:
        return {row[0]: (row[1], row[2]) for row in conn.execute(COUNT, (f"{graph}-{count}-%",))}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["saver", pytest.param("durable", marks=pytest.mark.slow)])
async def test_each_customer_is_told_once(kind: str, lab_host: HostOf, lab_database: str) -> None:
    place, count = lab_host(kind), APPROVALS[kind]
    await place.start()
    found = {name: await approve(place, name, count, lab_database) for name in ("mail_wrong", "mail_right")}
    told, paid = found["mail_right"]["being reviewed"], found["mail_right"]["paid"]
    wrongly = found["mail_wrong"]["being reviewed"]
    assert found["mail_wrong"]["paid"] == paid == (count, count)
    on = {"saver": "Postgres", "durable": "the durable runtime"}[kind]
    TABLE.keep(count, on, wrongly[0], wrongly[0] - wrongly[1], told[0], told[0] - told[1], count - told[1])
