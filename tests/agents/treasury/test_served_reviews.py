"""The treasury in the inbox, under the policy that is shipped: two people agree, and both names reach the book."""

import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.reviews.errors import NotFound, SecondPersonNeeded
from tests.agents.reviewing import Inbox
from tests.agents.thread import ServedThread
from tests.agents.treasury.desk import APPROVE, Book, pay


async def waiting(client: LangGraphClient, amount: float) -> ServedThread:
    """A thread that waits at the gate."""
    thread = await ServedThread.begin(client, "treasury", context={"model": "offline:rules"})
    assert (await thread.run(input={"request": pay(amount)}))["outcome"] == "waiting"
    return thread


async def test_one_person_of_compliance_is_enough_up_to_10000(
    client: LangGraphClient, inbox: Inbox, served_shop: str
) -> None:
    thread, book = await waiting(client, 7_200), Book(served_shop)
    review = await inbox.opened(thread.thread_id)
    assert (review.two_person, review.risk, review.groups) == (False, "high", ("compliance",))
    with pytest.raises(NotFound):
        await inbox.decide(review, APPROVE, "sue", group="support")
    await inbox.decide(review, APPROVE, "kim", group="compliance")
    (closed,) = await inbox.settle(thread.thread_id)
    assert closed.state == "finished"
    assert (book.statuses(thread.thread_id), book.signers(thread.thread_id)) == (["executed"], ["kim"])


async def test_above_10000_two_people_agree_and_sign_at_once(
    client: LangGraphClient, inbox: Inbox, served_shop: str
) -> None:
    thread, book = await waiting(client, 17_200), Book(served_shop)
    review = await inbox.opened(thread.thread_id)
    assert review.two_person
    first = await inbox.decide(review, APPROVE, "kim", group="compliance")
    assert (first.state, first.first_by) == ("open", "kim")
    assert book.statuses(thread.thread_id) == ["checked"]
    with pytest.raises(SecondPersonNeeded):
        await inbox.decide(review, APPROVE, "kim", group="compliance")
    await inbox.decide(review, APPROVE, "lee", group="compliance")
    (closed,) = await inbox.settle(thread.thread_id)
    assert closed.state == "finished"
    assert book.statuses(thread.thread_id) == ["executed"]
    assert book.signers(thread.thread_id) == ["kim", "lee"]


async def test_a_question_goes_round_through_the_inbox(
    client: LangGraphClient, inbox: Inbox, served_shop: str
) -> None:
    thread, book = await waiting(client, 7_200), Book(served_shop)
    asked = {"action": "ask", "question": "What for?"}
    await inbox.decide(await inbox.opened(thread.thread_id), asked, "kim", group="compliance")
    await inbox.settle(thread.thread_id)
    for_requester = await inbox.opened(thread.thread_id)
    assert for_requester.groups == ("treasury",)
    told = {"action": "answer", "text": "Freight."}
    await inbox.decide(for_requester, told, "rosa", group="treasury")
    await inbox.settle(thread.thread_id)
    again = await inbox.opened(thread.thread_id)
    assert again.payload["clarifications"] == [{"question": "What for?", "answer": "Freight."}]
    await inbox.decide(again, APPROVE, "kim", group="compliance")
    await inbox.settle(thread.thread_id)
    assert book.statuses(thread.thread_id) == ["executed"]


async def test_equal_answers_at_once_pay_once(client: LangGraphClient, served_shop: str) -> None:
    thread, book = await waiting(client, 7_200), Book(served_shop)
    command = await thread.resume(APPROVE)
    runs = [await thread.start(command=command, multitask_strategy="enqueue") for _ in range(3)]
    for run_id in runs:
        await thread.join(run_id)
    assert book.statuses(thread.thread_id) == ["executed"]
    assert book.signers(thread.thread_id) == ["local"]
