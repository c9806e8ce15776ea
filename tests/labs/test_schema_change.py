"""Lab 11: a thread waits under a state of two fields, and the next release adds a third that it requires.

On resume the new code reads what the old one never wrote: KeyError with a TypedDict, ValidationError with a
pydantic state. Two ways out, each enough by itself: the field is optional and read with a default; or a node
behind the question fills it in for threads that have none. Old threads and new ones go through both.
"""

from typing import Any, NotRequired

import pytest
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.types import Command, interrupt
from pydantic import BaseModel, ValidationError
from typing_extensions import TypedDict

from tests.labs.figures import Figures
from tests.labs.rows import in_a_row

TABLE = Figures(
    "schema change",
    ("new release", "paused threads", "new threads"),
    ("required, TypedDict", "required, pydantic", "optional with a default", "back-filled by a node"),
)
DEFAULT = "standard"


class Old(TypedDict):
    amount_usd: int
    approved: NotRequired[bool]


class New(Old):
    priority: str


class Optional(Old):
    priority: NotRequired[str]


class Checked(BaseModel):
    amount_usd: int
    approved: bool | None = None
    priority: str


async def ask(state: Any) -> dict[str, Any]:
    return {"approved": interrupt("Pay?")}


async def pay(state: New) -> dict[str, Any]:
    assert state["priority"]
    return {}


async def pay_with_default(state: Optional) -> dict[str, Any]:
    return {"priority": state.get("priority", DEFAULT)}


async def pay_checked(state: Checked) -> dict[str, Any]:
    return {"priority": state.priority}


async def fill_in(state: Optional) -> dict[str, Any]:
    return {"priority": state.get("priority", DEFAULT)}


async def done(state: Old) -> dict[str, Any]:
    return {}


old = in_a_row(Old, ask=ask, pay=done)
required = in_a_row(New, ask=ask, pay=pay)
checked = in_a_row(Checked, ask=ask, pay=pay_checked)
optional = in_a_row(Optional, ask=ask, pay=pay_with_default)
filled = in_a_row(New, ask=ask, fill_in=fill_in, pay=pay)


async def outcome(saver: AsyncPostgresSaver, thread: str, asking: Any, answering: Any, **given: Any) -> str:
    """A thread that one release pauses and another one resumes: how it ends."""
    config: Any = {"configurable": {"thread_id": thread}}
    await asking.copy({"checkpointer": saver}).ainvoke({"amount_usd": 640, **given}, config)
    try:
        values = await answering.copy({"checkpointer": saver}).ainvoke(Command(resume=True), config)
    except (KeyError, ValidationError) as error:
        return type(error).__name__
    return f"approved, {values['priority']}" if values["approved"] else "not approved"


@pytest.mark.parametrize(
    ("graph", "row"),
    [*zip((required, checked, optional, filled), TABLE.rows, strict=True)],
    ids=("required", "checked", "optional", "filled"),
)
async def test_threads_of_both_releases(
    graph: Any, row: str, lab_saver: AsyncPostgresSaver, request: pytest.FixtureRequest
) -> None:
    name = request.node.name
    paused = await outcome(lab_saver, f"{name}-old", old, graph)
    new = await outcome(lab_saver, f"{name}-new", graph, graph, priority="high")
    assert new == "approved, high"
    assert (paused == f"approved, {DEFAULT}") is (graph in (optional, filled))
    TABLE.keep(row, paused, new)
