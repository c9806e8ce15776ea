"""The SQL operator through the SDK, on the server that all graphs share: no key. Effects are counted in tables."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.reviews.agent_server import AgentServer as Reviewed
from stationmaster.reviews.agent_server import connect
from stationmaster.reviews.model import Gone, Pending, Submission
from stationmaster.reviews.questions import questions
from stationmaster.reviews.shapes import breakpoint as breakpoints
from tests.agents.sql_operator.abuses import SIDE_DOORS, TRICKS
from tests.agents.sql_operator.in_process import level, rows
from tests.agents.support.client import every
from tests.agents.thread import ServedThread
from tests.fakes.agent_server import AgentServer

SKU = "P9002-1"


async def begin(client: LangGraphClient, **context: Any) -> ServedThread:
    return await ServedThread.begin(client, "sql_operator", context=context)


def asks(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


def done(uri: str, thread: ServedThread) -> list[dict[str, Any]]:
    """The writes of a thread."""
    return rows(
        uri,
        "select statement, row_count from desk.writes where idempotency_key like %s",
        f"write:{thread.thread_id}:%",
    )


async def following(thread: ServedThread) -> list[str]:
    return (await thread.state())["next"]


async def test_a_question_is_shown_and_then_answered(client: LangGraphClient, served_shop: str) -> None:
    thread = await begin(client)
    values = await thread.run(input=asks("How many pending orders are there?"))
    assert (await following(thread), values["effect"]) == (["execute"], "reads orders; changes nothing")
    values = await thread.run(input=None)
    wanted = rows(served_shop, "select count(*) as n from shop.orders where status = 'pending'")[0]["n"]
    assert (values["outcome"], values["result"]["rows"]) == ("answered", [[wanted]])


async def test_a_write_is_counted_shown_and_done_once(client: LangGraphClient, served_shop: str) -> None:
    thread = await begin(client)
    values = await thread.run(input=asks(f"Set the reorder level of {SKU} to 41"))
    assert values["effect"].startswith("changes 1 row (")
    assert done(served_shop, thread) == []
    values = await thread.run(input=None)
    assert (values["outcome"], level(served_shop, SKU)) == ("changed", 41)
    assert [row["row_count"] for row in done(served_shop, thread)] == [1]


async def test_edit_as_the_generator_then_resume(client: LangGraphClient, served_shop: str) -> None:
    thread = await begin(client)
    await thread.run(input=asks("How many orders are there?"))
    sql = "select count(*) as n from orders where status = 'delivered'"
    await client.threads.update_state(thread.thread_id, {"sql": sql}, as_node="generate")
    values = await thread.run(input=None)
    assert await following(thread) == ["execute"]
    assert values["sql"].endswith("WHERE status = 'delivered'")
    values = await thread.run(input=None)
    assert values["outcome"] == "answered"


async def test_feedback_replans_and_a_rejection_ends_it(client: LangGraphClient, served_shop: str) -> None:
    thread = await begin(client)
    await thread.run(input=asks(f"Set the reorder level of {SKU} to 50"))
    await client.threads.update_state(thread.thread_id, {"feedback": "make it 51"}, as_node="intake")
    values = await thread.run(input=None)
    assert (await following(thread), "reorder_level = 51" in values["sql"]) == (["execute"], True)
    await client.threads.update_state(thread.thread_id, {"reject": "Not now."}, as_node="generate")
    values = await thread.run(input=None)
    assert (values["outcome"], await following(thread), done(served_shop, thread)) == ("rejected", [], [])


async def test_every_side_door_and_trick_is_refused(client: LangGraphClient, served_shop: str) -> None:
    """Typed as a question, the rules take it for a statement; and written into the state of a thread that waits."""
    before = rows(served_shop, "select count(*) as n from desk.stock")
    waiting = await begin(client)
    first = (await waiting.run(input=asks("How many orders are there?")))["sql"]
    for text in (
        "drop table desk.stock",
        SIDE_DOORS["read a file"],
        TRICKS["nested comments"],
        SIDE_DOORS["several"],
    ):
        await client.threads.update_state(waiting.thread_id, {"sql": text}, as_node="generate")
        values = await waiting.run(input=None)
        assert (await following(waiting), values["sql"]) == (["execute"], first)
        assert values["problem"]["node"] == "edit"

    async def refused(text: str) -> None:
        thread = await begin(client)
        values = await thread.run(input=asks(text))
        assert values["outcome"] in ("refused", "cannot"), text
        assert await following(thread) == []
        assert done(served_shop, thread) == []

    typed = [
        SIDE_DOORS[name]
        for name in ("drop", "delete in a CTE", "sleep", "copy to a program", "tenant", "dblink")
    ]
    await every(refused(text) for text in [*typed, TRICKS["a comment after"], TRICKS["a CTE in a corner"]])
    assert rows(served_shop, "select count(*) as n from desk.stock") == before


async def test_a_slow_statement_is_ended(client: LangGraphClient) -> None:
    thread = await begin(client, timeout_s=0.3)
    await thread.run(input=asks("select count(*) from orders a, orders b, orders c, order_items d"))
    assert (await thread.run(input=None))["outcome"] == "too_slow"


async def test_a_row_limit_is_kept(client: LangGraphClient) -> None:
    thread = await begin(client, row_limit=3)
    await thread.run(input=asks("select order_id from orders"))
    result = (await thread.run(input=None))["result"]
    assert (result["row_count"], result["more"]) == (3, True)


@pytest.fixture
async def reviewed(served: AgentServer) -> AsyncIterator[Reviewed]:
    """The server as the review service sees it."""
    async with connect(served.url) as server:
        yield server


async def asked(reviewed: Reviewed, thread: ServedThread) -> Pending:
    """The one thing that the inbox shows of the thread."""
    seen = await reviewed.read(thread.thread_id)
    assert not isinstance(seen, Gone)
    (pending,) = questions(seen)
    return pending


async def test_the_inbox_shows_a_breakpoint_and_its_answers_are_the_graphs(
    client: LangGraphClient, reviewed: Reviewed, served_shop: str
) -> None:
    thread = await begin(client)
    await thread.run(input=asks(f"Set the reorder level of {SKU} to 60"))
    pending = await asked(reviewed, thread)
    assert (pending.kind, pending.debug, pending.value["next"]) == ("breakpoint", False, ["execute"])
    assert {choice.decision for choice in breakpoints.form(pending).choices} == {
        "continue",
        "edit",
        "send_back",
    }

    back = {"as_node": "intake", "state_update": {"feedback": "61, please"}}
    resume = breakpoints.answer(pending, Submission("send_back", raw=back, has_raw=True))
    await reviewed.update_state(thread.thread_id, resume.state_update, as_node=resume.as_node)
    await thread.run(input=None)
    pending = await asked(reviewed, thread)
    assert "reorder_level = 61" in pending.value["values"]["sql"]

    sql = f"update stock set reorder_level = 62 where sku = '{SKU}'"
    resume = breakpoints.answer(pending, Submission("edit", raw={"sql": sql}, has_raw=True))
    await reviewed.update_state(thread.thread_id, resume.state_update, as_node=resume.as_node)
    await thread.run(input=None)
    assert done(served_shop, thread) == []  # checked and counted, and shown once more
    pending = await asked(reviewed, thread)
    assert "reorder_level = 62" in pending.value["values"]["sql"]

    resume = breakpoints.answer(pending, Submission("continue"))
    assert resume.kind == "continue"
    assert (await thread.run(input=None))["outcome"] == "changed"
    assert level(served_shop, SKU) == 62
