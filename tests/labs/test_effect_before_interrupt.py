"""Lab 4: a mail goes out, then the node asks whether it may go on.

An answer runs the node again from its first line, so the mail goes out twice; with three questions in a row it
would be four times. Two ways out, each enough by itself: the mail stands behind the gate, in a node of its own; or
it has a key of what stays the same when the node runs again, thread and step, and the second is no mail.
"""

from typing import Any, NotRequired

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
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


def thread_and_step(config: RunnableConfig) -> str:
    """A key that a node which runs again has again, and no other node of any thread."""
    return f"{config['configurable']['thread_id']}:{config['metadata']['langgraph_step']}"  # pyright: ignore[reportTypedDictNotRequiredAccess]


wrong = in_a_row(State, ask=mail_and_ask)
behind = in_a_row(State, ask=ask, mail=mail)
keyed = in_a_row(State, ask=mail_once_and_ask)


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
