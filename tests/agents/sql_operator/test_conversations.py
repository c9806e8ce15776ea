"""Whole questions in this process: what a person may do at the breakpoint, and what becomes of it in the tables."""

import asyncio
from typing import Any

import psycopg
import pytest

from agents.sql_operator.context import MAX_REPLANS, Context
from tests.agents.sql_operator.in_process import SET_LEVEL, Desk, level, rows, writes

PENDING = "How many pending orders are there?"


def pending(uri: str) -> int:
    return rows(uri, "select count(*) as n from shop.orders where status = 'pending'")[0]["n"]


def told(state: Any) -> str:
    return state["messages"][-1].text


def why(state: Any) -> str:
    """The problem that is shown."""
    return (state.get("problem") or {}).get("error", "")


async def test_a_question_waits_and_then_is_answered(desk: str) -> None:
    talk = Desk.open()
    state = await talk.ask(PENDING)
    assert (await talk.next(), talk.nodes) == (("execute",), ["intake", "generate", "check", "preview"])
    assert state.get("sql") == "SELECT COUNT(*) AS orders FROM desk.orders WHERE status = 'pending'"
    assert state.get("effect") == "reads orders; changes nothing"
    assert state.get("outcome") is None
    state = await talk.approve()
    assert (state.get("outcome"), talk.nodes) == ("answered", ["execute", "answer"])
    assert (state.get("result") or {})["rows"] == [[pending(desk)]]
    assert f"| {pending(desk)} |" in told(state)


async def test_a_write_is_counted_first_and_done_once(desk: str) -> None:
    talk, before = Desk.open(), level(desk)
    state = await talk.ask(SET_LEVEL)
    assert state.get("effect", "").startswith("changes 1 row (")
    assert (level(desk), writes(desk, talk)) == (before, 0)
    state = await talk.approve()
    assert (state.get("outcome"), level(desk), writes(desk, talk)) == ("changed", 25, 1)
    assert told(state) == "Done: 1 row changed. Sets the reorder level of P9001-1 to 25."


async def test_execute_that_runs_again_finds_its_write_done(desk: str) -> None:
    """As after a crash between the write and the checkpoint: the checkpoint before `execute` runs once more."""
    talk = Desk.open()
    await talk.ask(SET_LEVEL)
    before = (await talk.graph.aget_state(talk.config)).config
    await talk.approve()
    with psycopg.connect(desk) as conn:
        conn.execute("update desk.stock set reorder_level = 1 where sku = 'P9001-1'")
    state = await talk.graph.ainvoke(None, before, context=talk.context)
    assert (state["result"]["repeated"], level(desk), writes(desk, talk)) == (True, 1, 1)
    assert "it was not done twice" in told(state)


async def test_the_same_wish_as_a_new_question_is_another_write(desk: str) -> None:
    talk = Desk.open()
    for _ in range(2):
        await talk.ask(SET_LEVEL)
        await talk.approve()
    assert writes(desk, talk) == 2


async def test_rows_that_became_more_meanwhile_are_shown_again(own_desk: str) -> None:
    talk = Desk.open()
    state = await talk.ask("set the reorder level of all garden to 3")
    shown = (state.get("checked") or {})["rows"] or 0
    with psycopg.connect(own_desk) as conn:
        conn.execute("update desk.stock set category = 'garden' where sku = 'P9001-1'")
    state = await talk.approve()
    assert await talk.next() == ("execute",)
    assert why(state) == f"it would change {shown + 1} rows now, {shown} were shown; nothing was kept"
    assert writes(own_desk, talk) == 0
    state = await talk.approve()
    assert (state.get("outcome"), (state.get("result") or {})["row_count"]) == ("changed", shown + 1)


async def test_an_edit_as_the_generator_is_checked_and_shown_again(desk: str) -> None:
    talk = Desk.open()
    await talk.ask(PENDING)
    state = await talk.write(
        "generate", sql="select count(*) from orders where status in ('pending', 'processed')"
    )
    assert talk.nodes == ["check", "preview"]
    assert await talk.next() == ("execute",)
    assert state.get("sql") == "SELECT COUNT(*) FROM desk.orders WHERE status IN ('pending', 'processed')"
    assert state.get("explanation") == "Written by the person who was asked."
    state = await talk.approve()
    assert (state.get("outcome"), (state.get("result") or {})["row_count"]) == ("answered", 1)


@pytest.mark.parametrize("as_node", ["generate", None])
async def test_an_edit_that_is_not_allowed_leaves_what_was_there(desk: str, as_node: str | None) -> None:
    talk = Desk.open()
    first = (await talk.ask(PENDING)).get("sql")
    state = await talk.write(as_node, sql="drop table desk.stock")
    assert await talk.next() == ("execute",)
    assert (state.get("sql"), why(state)[:19]) == (first, "DROP is not allowed")
    assert "generate" not in talk.nodes
    state = await talk.write(as_node, sql="select count(*) as n from orders where status = 'open'")
    assert (await talk.next(), why(state)) == (("execute",), "")
    assert (await talk.approve()).get("outcome") == "answered"


async def test_an_edit_that_the_database_can_not_do_leaves_what_was_there(desk: str) -> None:
    talk = Desk.open()
    first = (await talk.ask(PENDING)).get("sql")
    state = await talk.write("generate", sql="select nothing_like_it from orders")
    assert (await talk.next(), state.get("sql")) == (("execute",), first)
    assert why(state) == 'the database refuses it: column "nothing_like_it" does not exist'
    assert (await talk.approve()).get("outcome") == "answered"


async def test_a_changed_state_never_runs_unseen(desk: str) -> None:
    """The inbox's "change the state and continue" writes past the generator: it comes back to be looked at."""
    talk = Desk.open()
    await talk.ask(PENDING)
    state = await talk.write(sql="update stock set reorder_level = 99 where category = 'kitchen'")
    assert talk.nodes == ["execute", "check", "preview"]
    assert (await talk.next(), state.get("outcome"), writes(desk, talk)) == (("execute",), None, 0)
    assert state.get("effect", "").startswith("changes 34 rows")
    assert (await talk.approve()).get("outcome") == "changed"


async def test_forged_marks_of_a_check_do_not_run_a_statement_of_another_kind(desk: str) -> None:
    talk = Desk.open()
    checked = (await talk.ask(PENDING)).get("checked")
    assert checked is not None
    for forged in ({"sql": "drop table desk.stock"}, {"kind": "write", "rows": 0}):
        state = await talk.write(checked={**checked, **forged})
        assert (await talk.next(), state.get("outcome")) == (("execute",), None)
        assert talk.nodes == ["execute", "check", "preview"]
    assert rows(desk, "select count(*) as n from desk.stock")[0]["n"] > 0


@pytest.mark.parametrize("as_node", ["intake", "generate", "check", "preview", None])
async def test_feedback_makes_a_new_plan(desk: str, as_node: str | None) -> None:
    talk = Desk.open()
    await talk.ask("top 3 customers")
    state = await talk.write(as_node, feedback="top 5 please, and only last month")
    assert (await talk.next(), state.get("feedback")) == (("execute",), "")
    assert "generate" in talk.nodes
    sql = state.get("sql", "")
    assert "INTERVAL '1 MONTH'" in sql
    state = await talk.approve()
    assert state.get("outcome") == "answered"


async def test_feedback_without_end_ends(desk: str) -> None:
    talk = Desk.open()
    await talk.ask(PENDING)
    for _ in range(MAX_REPLANS):
        await talk.write("intake", feedback="otherwise")
        assert await talk.next() == ("execute",)
    state = await talk.write("intake", feedback="otherwise")
    assert (await talk.next(), state.get("outcome")) == ((), "gave_up")


@pytest.mark.parametrize("as_node", ["intake", "generate", "check", "preview", None])
async def test_a_rejection_runs_nothing(desk: str, as_node: str | None) -> None:
    talk, before = Desk.open(), level(desk)
    await talk.ask(SET_LEVEL)
    state = await talk.write(as_node, reject="Not this quarter.")
    assert (await talk.next(), state.get("outcome"), level(desk)) == ((), "rejected", before)
    assert told(state) == "It was not run: Not this quarter."


async def test_what_the_parser_refuses_is_never_shown(desk: str) -> None:
    for text in ("drop table stock", "select * from orders; drop table orders", "select pg_sleep(9)"):
        talk = Desk.open()
        state = await talk.ask(text)
        assert (await talk.next(), state.get("outcome")) == ((), "refused")
        assert told(state).startswith("I can't run this: ")


async def test_a_write_for_too_many_rows_is_refused(desk: str) -> None:
    talk = Desk.open(max_changed_rows=5)
    state = await talk.ask("set the reorder level of all kitchen to 12")
    assert (await talk.next(), state.get("outcome")) == ((), "refused")
    assert "it would change 34 rows, and 5 are allowed" in told(state)
    assert writes(desk, talk) == 0


async def test_an_assistant_may_be_kept_from_writing(desk: str) -> None:
    talk = Desk.open(allow_writes=False)
    assert (await talk.ask(SET_LEVEL)).get("outcome") == "refused"


async def test_writing_that_is_switched_off_while_a_write_waits_stops_it(desk: str) -> None:
    talk = Desk.open()
    await talk.ask(SET_LEVEL)
    talk.context = Context(model="offline:rules", allow_writes=False)
    state = await talk.approve()
    assert (state.get("outcome"), writes(desk, talk)) == ("refused", 0)


async def test_more_rows_than_the_limit_are_said_to_be_there(desk: str) -> None:
    talk = Desk.open(row_limit=7)
    await talk.ask("select order_id from orders")
    state = await talk.approve()
    result = state.get("result") or {}
    assert (result["row_count"], len(result["rows"]), result["more"]) == (7, 7, True)
    assert "There are more rows than the 7 that were fetched." in told(state)


async def test_a_long_text_is_cut_where_it_is(desk: str) -> None:
    talk = Desk.open()
    await talk.ask("select string_agg(product, ', ') as a, 1 as a from stock")
    state = await talk.approve()
    result = state.get("result") or {}
    ((text, number),) = result["rows"]
    assert (len(text), text[-1], number, result["columns"]) == (300, "…", 1, ["a", "a"])


async def test_a_slow_statement_is_ended(desk: str) -> None:
    talk = Desk.open(timeout_s=0.3)
    await talk.ask("select count(*) from orders a, orders b, orders c, order_items d")
    state = await talk.approve()
    assert (state.get("outcome"), (await talk.next())) == ("too_slow", ())
    assert told(state) == "It was ended: the statement took longer than 0.3 s: ask for less."


async def test_a_fault_at_run_time_goes_back_to_whoever_wrote_it(desk: str) -> None:
    talk = Desk.open()
    await talk.ask(PENDING)
    await talk.write("generate", sql="select 1 / (count(*) - count(*)) from orders")
    state = await talk.approve()
    assert (await talk.next(), why(state)) == (("execute",), "the database refuses it: division by zero")
    assert (await talk.approve()).get("outcome") == "answered"


async def test_a_constraint_of_the_database_is_a_refusal(desk: str) -> None:
    state = await Desk.open().ask("update stock set supplier_id = 'nobody' where sku = 'P9001-1'")
    assert state.get("outcome") == "refused"
    assert "violates foreign key constraint" in told(state)


async def test_many_questions_at_once_are_all_answered(desk: str) -> None:
    """More than take their turn at once, and than the pool has connections."""

    async def answered() -> Any:
        talk = Desk.open()
        await talk.ask(PENDING)
        return (await talk.approve()).get("outcome")

    assert set(await asyncio.gather(*(answered() for _ in range(30)))) == {"answered"}


async def test_limits_of_the_thread_close_it_politely(desk: str) -> None:
    talk = Desk.open(max_turns=1)
    await talk.ask(PENDING)
    await talk.approve()
    state = await talk.ask(PENDING)
    assert (await talk.next(), state.get("outcome")) == ((), "closed")
