"""Lab 4: a mail goes out, then the node asks whether it may go on.

An answer runs the node again from its first line, so the mail goes out twice; with three questions in a row it
would be four times. Two ways out, each enough by itself: the mail stands behind the gate, in a node of its own; or
it has a key of what stays the same when the node runs again, thread and step, and the second is no mail.
"""

from typing import Any, NotRequired

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger
from tests.labs.figures import Figures
from tests.labs.rows import in_a_row

TABLE = Figures(
    "effect before interrupt",
    ("graph", "mails, approved", "doubled, approved", "mails, rejected"),
    ("mail, then ask", "mail behind the gate", "mail with a key, then ask"),
    zero={"doubled, approved": ("mail behind the gate", "mail with a key, then ask")},
)


class State(TypedDict):
    key: str
    approved: NotRequired[bool]


async def mail_and_ask(state: State) -> dict[str, Any]:
    await ledger.write(state["key"], "mail")
    return {"approved": interrupt("Go on?")}


async def ask(state: State) -> dict[str, Any]:
    return {"approved": interrupt("Go on?")}


async def mail(state: State) -> dict[str, Any]:
    if state.get("approved"):
        await ledger.write(state["key"], "mail")
    return {}


async def mail_once_and_ask(state: State, config: RunnableConfig) -> dict[str, Any]:
    await ledger.write(state["key"], "mail", once=thread_and_step(config))
    return {"approved": interrupt("Go on?")}


async def mail_once(state: State, config: RunnableConfig) -> dict[str, Any]:
    await ledger.write(state["key"], "mail", once=thread_and_step(config))
    return {}


def thread_and_step(config: RunnableConfig) -> str:
    """A key that a node which runs again has again, and no other: with the node, since others may run in its step."""
    known = config["metadata"]  # pyright: ignore[reportTypedDictNotRequiredAccess]
    return f"{known['thread_id']}:{known['langgraph_step']}:{known['langgraph_node']}"


wrong = in_a_row(State, ask=mail_and_ask)
behind = in_a_row(State, ask=ask, mail=mail)
keyed = in_a_row(State, ask=mail_once_and_ask)


async def test_two_nodes_of_one_step_have_two_keys(
    lab_saver: AsyncPostgresSaver, lab_effects: str, request: pytest.FixtureRequest
) -> None:
    """With the thread and the step alone, the second node's mail would be taken for the first one's."""
    builder = StateGraph(State)
    for name in ("tell_customer", "tell_desk"):
        builder.add_node(name, mail_once)
        builder.add_edge(START, name)
    key = request.node.name
    config: Any = {"configurable": {"thread_id": key}}
    await builder.compile(checkpointer=lab_saver).ainvoke({"key": key}, config)
    assert len(ledger.read(lab_effects, key)) == 2


@pytest.mark.parametrize(
    ("graph", "row"),
    [*zip((wrong, behind, keyed), TABLE.rows, strict=True)],
    ids=("wrong", "behind", "keyed"),
)
async def test_how_many_mails_there_are(
    graph: Any, row: str, lab_saver: AsyncPostgresSaver, lab_effects: str, request: pytest.FixtureRequest
) -> None:
    sent = []
    for approved in (True, False):
        key = f"{request.node.name}-{approved}"
        config: Any = {"configurable": {"thread_id": key}}
        graph = graph.copy({"checkpointer": lab_saver})
        await graph.ainvoke({"key": key}, config)
        assert (await graph.ainvoke(Command(resume=approved), config))["approved"] is approved
        sent.append(len(ledger.read(lab_effects, key)))
    TABLE.keep(row, sent[0], sent[0] - 1, sent[1])
