"""No statement runs that nobody could look at, whichever breakpoints a run asks for: they replace the compiled one."""

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.types import Command

from stationmaster.reviews import shapes
from stationmaster.reviews.model import Pending
from tests.agents.sql_operator.in_process import SET_LEVEL, Desk, level, writes

OTHER_BREAKPOINTS = [
    {"interrupt_before": ["answer"]},
    {"interrupt_before": ["generate"]},
    {"interrupt_before": ["answer"], "recursion_limit": 9},
]


async def run(desk: Desk, sent: Any, **options: Any) -> None:
    """A run with breakpoints of its own."""
    limit = options.pop("recursion_limit", desk.config.get("recursion_limit"))
    config = {**desk.config, "recursion_limit": limit}
    await desk.graph.ainvoke(sent, config, context=desk.context, **options)  # type: ignore[arg-type]


async def asked(desk: Desk) -> list[Any]:
    state = await desk.graph.aget_state(desk.config)
    return [question for task in state.tasks for question in task.interrupts]


@pytest.mark.parametrize("breakpoints", OTHER_BREAKPOINTS)
async def test_a_runs_own_breakpoints_let_no_statement_run(
    own_desk: str, breakpoints: dict[str, Any]
) -> None:
    desk, before = Desk.open(), level(own_desk)
    await run(desk, {"messages": [HumanMessage(SET_LEVEL)]}, **breakpoints)
    if await desk.next() == ("generate",):
        await run(desk, None, **breakpoints)
    assert await desk.next() == ("execute",)
    assert (level(own_desk), writes(own_desk, desk)) == (before, 0)
    (question,) = await asked(desk)
    assert "changes 1 row" in question.value["title"]
    assert question.value["details"]["sql"] == (await desk.state()).get("sql")

    await run(desk, Command(resume={question.id: {"action": "approve"}}), **breakpoints)
    assert (level(own_desk), writes(own_desk, desk)) == (25, 1)
    assert not await asked(desk)


async def test_the_compiled_breakpoint_says_what_it_asks(own_desk: str) -> None:
    """In the state, where the inbox reads it; the next question clears it."""
    desk = Desk.open()
    state = await desk.run({"messages": [HumanMessage(SET_LEVEL)]})
    assert await desk.next() == ("execute",) and not await asked(desk)
    said = state.get("asks")
    assert said and said["before"] == ["execute"] and "It changes 1 row" in said["title"]
    assert said["details"] == {"question": SET_LEVEL, "sql": state.get("sql")}


async def test_what_it_asks_can_be_rejected_and_nothing_else_counts(own_desk: str) -> None:
    desk, before = Desk.open(), level(own_desk)
    await run(desk, {"messages": [HumanMessage(SET_LEVEL)]}, interrupt_before=["answer"])
    await run(desk, Command(resume={"action": "edit"}))
    (question,) = await asked(desk)
    assert question.value["title"].startswith("The last answer could not be used")
    state = await desk.run(Command(resume={"action": "reject", "reason": "not this week"}))
    assert (state.get("outcome"), state.get("reject")) == ("rejected", "not this week")
    assert (level(own_desk), writes(own_desk, desk)) == (before, 0)


async def test_after_five_answers_of_no_use_it_counts_as_rejected(own_desk: str) -> None:
    desk, before = Desk.open(), level(own_desk)
    await run(desk, {"messages": [HumanMessage(SET_LEVEL)]}, interrupt_before=["answer"])
    for _ in range(5):
        assert await desk.next() == ("execute",)
        await run(desk, Command(resume=True))
    assert (await desk.state()).get("outcome") == "rejected"
    assert level(own_desk) == before


async def test_the_inbox_reads_what_it_asks(own_desk: str) -> None:
    desk = Desk.open()
    await run(desk, {"messages": [HumanMessage(SET_LEVEL)]}, interrupt_before=["answer"])
    (question,) = await asked(desk)
    pending = Pending(desk.thread_id, question.id, question.value, question.response_schema)
    found = shapes.of(pending)
    assert found.NAME == "typed"
    assert found.describe(pending).title == question.value["title"]
    assert [choice.decision for choice in found.form(pending).choices] == ["approve", "reject"]


async def test_without_an_answer_it_goes_on_as_from_the_breakpoint(own_desk: str) -> None:
    desk = Desk.open()
    await run(desk, {"messages": [HumanMessage(SET_LEVEL)]}, interrupt_before=["answer"])
    await desk.approve()
    assert (level(own_desk), writes(own_desk, desk)) == (25, 1)


async def test_one_step_earlier_is_not_before_it(own_desk: str) -> None:
    """Stopped before `preview`, and let go on from there: the statement was not shown with its effect."""
    desk, before = Desk.open(), level(own_desk)
    await run(desk, {"messages": [HumanMessage(SET_LEVEL)]}, interrupt_before=["preview"])
    assert await desk.next() == ("preview",)
    await run(desk, None, interrupt_before=["answer"])
    assert await desk.next() == ("execute",)
    assert level(own_desk) == before


async def test_another_statement_in_place_of_the_shown_one_is_asked_about(own_desk: str) -> None:
    """Both the statement and its check are forged, as of the node that showed another one."""
    desk = Desk.open()
    waiting = await desk.ask(SET_LEVEL)
    sql = (waiting.get("sql") or "").replace("25", "77")
    checked = {**(waiting.get("checked") or {}), "sql": sql}
    await desk.write(as_node="preview", sql=sql, generated=sql, checked=checked)
    assert await desk.next() == ("execute",)
    assert writes(own_desk, desk) == 0


async def test_a_run_that_is_begun_anew_asks_all_the_same(own_desk: str) -> None:
    """A crash between `preview` and the breakpoint: LangGraph goes past it when the run is taken up again."""
    desk = Desk.open()
    config: Any = {**desk.config, "configurable": {**desk.config["configurable"], "run_id": "r-1"}}  # pyright: ignore[reportTypedDictNotRequiredAccess]
    sent = {"messages": [HumanMessage(SET_LEVEL)]}
    await desk.graph.ainvoke(sent, config, context=desk.context)
    await desk.graph.ainvoke(None, config, context=desk.context)
    assert await desk.next() == ("execute",)
    assert writes(own_desk, desk) == 0
    assert len(await asked(desk)) == 1


async def test_a_run_from_the_past_goes_on_where_it_was_shown(own_desk: str) -> None:
    desk = Desk.open()
    await desk.ask(SET_LEVEL)
    await desk.approve()
    past = [one async for one in desk.graph.aget_state_history(desk.config)]
    before = next(one for one in past if one.next == ("execute",))
    await desk.graph.ainvoke(None, before.config, context=desk.context)
    assert (await desk.state()).get("outcome") == "changed"
    assert writes(own_desk, desk) == 1


async def test_a_value_that_answers_nothing_is_no_yes_at_the_breakpoint(own_desk: str) -> None:
    """Nothing was asked there. The thread is not lost to it either: the question can still be answered."""
    desk, before = Desk.open(), level(own_desk)
    await desk.ask(SET_LEVEL)
    await run(desk, Command(resume="yes"))
    assert level(own_desk) == before
    assert len(await asked(desk)) == 1
    await run(desk, Command(resume={"action": "approve"}))
    assert (level(own_desk), writes(own_desk, desk)) == (25, 1)
