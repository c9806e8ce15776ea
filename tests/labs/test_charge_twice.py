"""Lab 8: the card is charged, and the process dies before the node returns.

Nothing was saved of that step, so the next process runs it again: charged twice. Any engine would: it can't know
what happened outside between an effect and its own note of it. What helps is a key that stays the same when the
step runs again (thread and step), which makes the second charge a no-op at the one place that knows: whoever takes
the money.
"""

import operator
from typing import Annotated, Any

import pytest
from langchain_core.runnables import RunnableConfig
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger
from tests.labs.figures import Figures
from tests.labs.hosts import at_once
from tests.labs.places import HostOf
from tests.labs.rows import in_a_row
from tests.labs.test_effect_before_interrupt import thread_and_step
from tests.labs.waiting import hold, killed_in

CHARGED = "charged"
TABLE = Figures(
    "charge twice",
    ("killed on", "charges, no key", "doubled, no key", "charges, with a key", "doubled, with a key"),
    ("Postgres", "the durable runtime"),
    zero={"doubled, with a key": ()},
)
ROWS = {"saver": "Postgres", "durable": "the durable runtime"}


class State(TypedDict):
    key: str
    usd: int
    done: Annotated[list[str], operator.add]


async def order(state: State) -> dict[str, Any]:
    return {"done": ["ordered"]}


async def charge(state: State) -> dict[str, Any]:
    await ledger.write(state["key"], CHARGED, state["usd"])
    await hold(state["key"])  # where the process dies
    return {"done": [CHARGED]}


async def charge_once(state: State, config: RunnableConfig) -> dict[str, Any]:
    await ledger.write(state["key"], CHARGED, state["usd"], once=f"charge:{thread_and_step(config)}")
    await hold(state["key"])
    return {"done": [CHARGED]}


wrong = in_a_row(State, order=order, charge=charge)
right = in_a_row(State, order=order, charge=charge_once)


@pytest.mark.parametrize("kind", ["saver", pytest.param("durable", marks=pytest.mark.slow)])
async def test_how_often_is_charged(kind: str, lab_host: HostOf, lab_database: str) -> None:
    place = lab_host(kind)
    await place.start()
    threads = {name: await place.thread() for name in ("charge_wrong", "charge_right")}
    runs = [place.run(thread, name, input={"key": thread, "usd": 640}) for name, thread in threads.items()]
    await killed_in(place, lab_database, threads.values(), runs)
    await place.start()
    found = await at_once(*(place.go_on(thread, name) for name, thread in threads.items()))
    assert [each.values["done"] for each in found] == [["ordered", CHARGED]] * 2
    charges = [ledger.read(lab_database, thread).count((CHARGED, 640)) for thread in threads.values()]
    TABLE.keep(ROWS[kind], charges[0], charges[0] - 1, charges[1], charges[1] - 1)
    assert charges[1] == 1
