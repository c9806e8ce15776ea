"""A thread that was paused by an older release, whose state lacks fields, goes on under today's.

`effect` has a default; `checked` is computed when it is first read: `execute` sends the statement back to be checked,
and the thread waits again.
"""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from agents.sql_operator import graph as today
from agents.sql_operator.context import Context
from agents.sql_operator.state import Input, State
from tests.agents.sql_operator.in_process import SET_LEVEL, Desk, level, writes

ADDED_SINCE = frozenset({"checked", "effect", "reject", "decided_by", "attempts", "degraded", "generated"})


async def stands_before_execute(state: Any) -> dict[str, Any]:
    """What the older release left behind: a statement, waiting."""
    sql = "UPDATE desk.stock SET reorder_level = 25 WHERE sku = 'P9001-1'"
    return {"question": SET_LEVEL, "sql": sql, "turns": 1, "explanation": "Sets the level."}


def older() -> StateGraph[Any, Any, Any, Any]:
    """A release before the fields of ADDED_SINCE: it planned, and stopped before `execute`."""
    kept = {name: hint for name, hint in State.__annotations__.items() if name not in ADDED_SINCE}
    state: Any = TypedDict("OlderState", kept)  # type: ignore[misc]
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(state, context_schema=Context, input_schema=Input)
    builder.add_node("preview", stands_before_execute, input_schema=state)
    builder.add_node("execute", stands_before_execute, input_schema=state)
    builder.set_entry_point("preview")
    builder.add_edge("preview", "execute")
    return builder


@pytest.mark.parametrize("way", ["approve", "edit", "feedback", "reject"])
async def test_an_older_thread_goes_on(desk: str, way: str) -> None:
    saver, before = InMemorySaver(), level(desk)
    talk = Desk.open(saver=saver)
    old = older().compile(checkpointer=saver, interrupt_before=["execute"])
    await old.ainvoke({"messages": [SET_LEVEL]}, talk.config)
    assert not ADDED_SINCE & (await old.aget_state(talk.config)).values.keys()
    if way == "approve":
        state = await talk.approve()
        assert (talk.nodes, await talk.next()) == (["execute", "check", "preview"], ("execute",))
        assert (state.get("effect", "")[:13], writes(desk, talk)) == ("changes 1 row", 0)
    elif way == "edit":
        await talk.write("generate", sql="update stock set reorder_level = 31 where sku = 'P9001-1'")
    elif way == "feedback":
        await talk.write("generate", feedback="make it 32")
    else:
        state = await talk.write(reject="no")
        assert (state.get("outcome"), level(desk)) == ("rejected", before)
        return
    state = await talk.approve()
    assert state.get("outcome") == "changed"
    assert level(desk) == {"approve": 25, "edit": 31, "feedback": 32}[way]


def test_todays_state_holds_what_was_added() -> None:
    assert set(State.__annotations__) >= ADDED_SINCE
    assert today.graph.name == "sql_operator"
