"""Lab 3: the process dies in the middle of the fourth turn of a conversation.

With the memory saver the next process knows nothing: three turns that were over, and the half of the fourth, are
gone. With a saver on Postgres the next process goes on where the last step was saved, with the history whole, and
no step that was saved runs again. The history is good for more: an earlier checkpoint can be looked at, and a fork
of it goes another way while the first way stays as it was.
"""

import operator
from typing import Annotated, Any, NotRequired

import pytest
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger
from tests.labs.figures import Figures
from tests.labs.hosts import Host, Thread
from tests.labs.places import HostOf
from tests.labs.rows import in_a_row
from tests.labs.waiting import hold, killed_in

QUESTIONS = ["returns?", "refunds?", "delivery?", "hold the line"]  # the last one is cut off
KEYS = ("key", "asked", "topic", "said")
TABLE = Figures(
    "crash recovery",
    ("kept in", "turns begun", "turns lost", "keys lost", "saved steps run again"),
    ("memory", "Postgres", "langgraph dev, a new container", "the durable runtime"),
    zero={
        "turns lost": ("Postgres", "the durable runtime"),
        "keys lost": ("Postgres", "the durable runtime"),
        "saved steps run again": (),
    },
)
KINDS = ("memory", "saver", "dev", "durable")


class State(TypedDict):
    key: str
    asked: str
    topic: NotRequired[str]
    said: Annotated[list[str], operator.add]


async def hear(state: State) -> dict[str, Any]:
    await ledger.write(state["key"], f"heard {state['asked']}")
    return {"said": [state["asked"]], "topic": state["asked"].split()[0]}


async def think(state: State) -> dict[str, Any]:
    """Where the process dies."""
    if state["asked"].startswith("hold"):
        await hold(state["key"])
    return {}


async def answer(state: State) -> dict[str, Any]:
    return {"said": [f"on {state.get('topic')}, after {len(state['said'])}"]}


graph = in_a_row(State, hear=hear, think=think, answer=answer)


def whole(turns: int) -> list[str]:
    """What was said in so many turns."""
    return [
        text
        for turn, asked in enumerate(QUESTIONS[:turns])
        for text in (asked, f"on {asked.split()[0]}, after {2 * turn + 1}")
    ]


async def talked_through_a_kill(host: Host, uri: str) -> tuple[str, Thread]:
    """Three turns, a fourth that is in `think` when the process dies, and what the next process makes of it."""
    await host.start()
    thread = await host.thread()
    asked = [{"key": thread, "asked": question} for question in QUESTIONS]
    for turn in asked[:-1]:
        await host.run(thread, "conversation", input=turn)
    await killed_in(host, uri, [thread], [host.run(thread, "conversation", input=asked[-1])])
    await host.start()
    return thread, await host.go_on(thread, "conversation")


@pytest.mark.parametrize(
    "kind", ["memory", "saver", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("dev", "durable"))]
)
async def test_the_history_is_whole_after_a_kill(
    kind: str, lab_host: HostOf, lab_effects: str, lab_saver: AsyncPostgresSaver
) -> None:
    thread, found = await talked_through_a_kill(lab_host(kind), lab_effects)
    said = found.values.get("said", [])
    lost = sum(question not in said for question in QUESTIONS)
    if kind in ("saver", "durable"):
        assert said == whole(len(QUESTIONS))
    heard = [done for done, _ in ledger.read(lab_effects, thread) if done.startswith("heard")]
    again = len(heard) - len(set(heard))
    row = TABLE.rows[KINDS.index(kind)]
    TABLE.keep(row, len(QUESTIONS), lost, sum(key not in found.values for key in KEYS), again)
    if kind == "saver":
        await travels_and_forks(graph.copy({"checkpointer": lab_saver}), thread)


async def travels_and_forks(graph: Any, thread: str) -> None:
    """Back to the end of the second turn; another third question there; the first way is still as it was."""
    config: Any = {"configurable": {"thread_id": thread}}
    newest = await graph.aget_state(config)
    history = [state async for state in graph.aget_state_history(config)]
    (earlier,) = [state for state in history if not state.next and len(state.values["said"]) == 4]
    assert earlier.values["said"] == whole(2)
    forked = await graph.ainvoke({"asked": "exchanges?"}, earlier.config)
    assert forked["said"] == [*whole(2), "exchanges?", "on exchanges?, after 5"]
    assert (await graph.aget_state(newest.config)).values["said"] == whole(4)
    assert (await graph.aget_state(config)).values == forked, "the thread goes on from its fork"
