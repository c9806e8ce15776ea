"""1,200 customers were told twice that their request is being reviewed.

The mail stood before the gate, in the gate's own node: whoever approved a request sent its customer the mail
again. Nobody noticed in tests, where mails were counted before anything was approved. Now the mail has a node of
its own, which is over and saved when the next one asks.
"""

from typing import Any, NotRequired

import psycopg
import pytest
from langgraph.types import interrupt
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger
from tests.labs.figures import Figures
from tests.labs.hosts import Host, at_once
from tests.labs.places import HostOf
from tests.labs.rows import in_a_row

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


wrong = in_a_row(State, ask=tell_and_ask, pay=pay)
right = in_a_row(State, tell=tell, ask=ask, pay=pay)


async def approve(place: Host, graph: str, count: int, uri: str) -> dict[str, tuple[int, int]]:
    """So many requests, each approved; of each effect how many there were, and for how many requests."""
    threads = await at_once(*(place.thread() for _ in range(count)))
    keys = {thread: f"{graph}-{count}-{thread}" for thread in threads}
    asked = await at_once(*(place.run(thread, graph, input={"key": key}) for thread, key in keys.items()))
    assert all(thread.asks == ("Approve?",) for thread in asked)
    await at_once(*(place.run(thread, graph, resume=True) for thread in threads))
    with psycopg.connect(uri) as conn:
        return {row[0]: (row[1], row[2]) for row in conn.execute(COUNT, (f"{graph}-{count}-%",))}


@pytest.mark.timeout(1800)
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
