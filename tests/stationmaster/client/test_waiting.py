"""Waiting for a person: until the question is answered and the run after it has ended."""

import asyncio
from typing import Any

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from stationmaster.client import Limits, ServerAway, ThreadGone, standing, wait_for_person
from tests.agents.support.client import GRAPH, Conversation
from tests.fakes.line import Line
from tests.fakes.shop import Ledger, lock_waiters, locked

APPROVE = {"action": "approve"}


@pytest.fixture
async def waiting(talk: Conversation) -> Conversation:
    """A conversation that waits at the gate."""
    await talk.want_refund()
    return talk


async def test_nobody_is_waited_for(talk: Conversation) -> None:
    await talk.say("I want to talk to a person.")
    waited = await wait_for_person(talk.client, talk.thread_id)
    assert waited.answered
    assert waited.standing.questions == ()
    assert waited.standing.values["outcome"] == "human"


async def test_it_says_that_it_still_waits(waiting: Conversation) -> None:
    waited = await wait_for_person(waiting.client, waiting.thread_id, timeout_s=0.3)
    assert not waited.answered
    assert waited.standing.waits
    (question,) = waited.standing.questions
    assert (question.id, question.value) == (
        (await waiting.question())["id"],
        waited_for(await waiting.state()),
    )


def waited_for(state: Any) -> Any:
    return state["interrupts"][0]["value"]


async def test_answered_by_somebody_else_and_the_run_has_ended(
    waiting: Conversation, served_shop: str, ledger: Ledger
) -> None:
    """The refund waits for a lock: the question is gone long before the run is over."""
    task = asyncio.create_task(wait_for_person(waiting.client, waiting.thread_id))
    with locked(served_shop, "lock table shop.refunds in exclusive mode"):
        await waiting.start(command=await waiting.resume(APPROVE))
        await lock_waiters(served_shop, like="%shop.refunds%")
        under_way = await standing(waiting.client, waiting.thread_id)
        assert under_way.busy
        assert not under_way.waits
        still = await wait_for_person(waiting.client, waiting.thread_id, timeout_s=0.2)
        assert not still.answered
        assert not task.done()
    waited = await task
    assert waited.answered
    assert waited.standing.values["outcome"] == "refunded"
    assert ledger.refunded_usd(waiting.ticket_id) == [640]


async def test_an_answer_that_leads_to_another_question(waiting: Conversation) -> None:
    """More than was paid: the gate asks again, and the caller sees the new question."""
    before = await waiting.question()
    task = asyncio.create_task(wait_for_person(waiting.client, waiting.thread_id))
    await waiting.answer({"action": "edit", "amount_usd": 9_999})
    waited = await task
    assert waited.answered
    (question,) = waited.standing.questions
    assert question.id != before["id"]
    assert waited.standing.waits


async def test_an_answer_that_cannot_be_read_leaves_the_question_open(waiting: Conversation) -> None:
    await waiting.answer({"action": "perhaps"}, raise_error=False)
    waited = await wait_for_person(waiting.client, waiting.thread_id, timeout_s=0.3)
    assert not waited.answered
    assert waited.standing.error
    assert len(waited.standing.questions) == 1


async def test_a_thread_that_is_deleted_meanwhile(waiting: Conversation) -> None:
    task = asyncio.create_task(wait_for_person(waiting.client, waiting.thread_id))
    await waiting.client.threads.delete(waiting.thread_id)
    with pytest.raises(ThreadGone, match=f"no thread {waiting.thread_id}.*start a new one"):
        await task


async def test_a_server_that_is_away_for_a_while_and_one_that_stays_away(
    waiting: Conversation, far: LangGraphClient, cable: Line
) -> None:
    told: list[str] = []
    lost = asyncio.Event()

    def tell(line: str) -> None:
        told.append(line)
        lost.set()

    await cable.hang_up()
    limits = Limits(answer_s=0.5, silent_s=0.5, pause_s=0.2)
    task = asyncio.create_task(wait_for_person(far, waiting.thread_id, limits=limits, tell=tell))
    await lost.wait()
    await cable.pick_up()
    await waiting.answer(APPROVE)
    assert (await task).standing.values["outcome"] == "refunded"
    assert told[-1] == "connected again"

    await cable.hang_up()
    short = Limits(away_s=0.4, silent_s=0.2, pause_s=0.1)
    with pytest.raises(ServerAway, match="the question is kept there; wait again"):
        await wait_for_person(far, waiting.thread_id, limits=short)


async def test_a_new_message_takes_the_question_away(waiting: Conversation) -> None:
    task = asyncio.create_task(wait_for_person(waiting.client, waiting.thread_id))
    async with get_client(url=str(waiting.client.http.client.base_url), api_key=None) as other:
        await other.runs.wait(waiting.thread_id, GRAPH, input=waiting.input("I want to talk to a person."))
    waited = await task
    assert waited.answered
    assert waited.standing.values["outcome"] == "human"
