"""The treasury through the served API: its happy path, its stops, an approver's update, state that does not fit."""

from uuid import uuid4

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.agents.thread import ServedThread
from tests.agents.treasury.desk import APPROVE, Book, pay


@pytest.fixture
def books(served_shop: str) -> Book:
    """The book behind the server; its tests count by thread."""
    return Book(served_shop)


async def desk(client: LangGraphClient) -> ServedThread:
    return await ServedThread.begin(client, "treasury", context={"model": "offline:rules"})


async def test_a_small_payment_in_words_is_made_without_a_pause(client: LangGraphClient, books: Book) -> None:
    thread = await desk(client)
    text = f"Pay $120.50 to Nordwind GmbH, account DE89370400440532013000, invoice {uuid4().hex[:12]}."
    values = await thread.run(input={"messages": [{"role": "user", "content": text}]})
    assert values["outcome"] == "executed"
    assert books.statuses(thread.thread_id) == ["executed"]


async def test_one_signs_and_two_sign(client: LangGraphClient, books: Book) -> None:
    one = await desk(client)
    await one.run(input={"request": pay(7_200)})
    question = await one.question()
    assert question["value"]["signatures_needed"] == 1
    assert {way["properties"]["action"]["const"] for way in question["response_schema"]["$defs"].values()} == {
        "approve", "reject", "ask",
    }  # fmt: skip
    assert (await one.answer(APPROVE))["outcome"] == "executed"

    two = await desk(client)
    await two.run(input={"request": pay(17_200)})
    command = {**await two.resume(APPROVE), "update": {"decided_by": "ada", "compliance_note": "called back"}}
    await two.run(command=command)
    assert (await two.question())["value"]["signed_by"] == ["ada"]
    assert books.statuses(two.thread_id) == ["checked"]
    command = {**await two.resume(APPROVE), "update": {"decided_by": "bo"}}
    assert (await two.run(command=command))["signatures"] == ["ada", "bo"]
    assert books.statuses(two.thread_id) == ["executed"]
    assert books.signers(two.thread_id) == ["ada", "bo"]


async def test_a_question_goes_to_the_requester_and_it_is_tried_again(
    client: LangGraphClient, books: Book
) -> None:
    thread = await desk(client)
    await thread.run(input={"request": pay(7_200)})
    await thread.answer({"action": "ask", "question": "Which project?"})
    assert (await thread.question())["value"]["kind"] == "requester_question"
    await thread.answer({"action": "answer", "text": "Hamburg."})
    values = await thread.answer({"action": "reject", "reason": "Not this year."})
    assert values["outcome"] == "rejected"
    assert books.statuses(thread.thread_id) == ["cancelled"]


async def test_a_verdict_that_was_written_over_opens_no_way(client: LangGraphClient, books: Book) -> None:
    thread = await desk(client)
    values = await thread.run(input={"request": pay(40_000)})
    forged = {"verdict": {**values["verdict"], "signatures_needed": 0}, "signatures": ["ada", "bo"]}
    await thread.run(command={**await thread.resume(APPROVE), "update": forged})
    assert "lacks signatures" in (await thread.question())["value"]["problem"]
    assert books.statuses(thread.thread_id) == ["checked"]


async def test_a_bad_write_fails_with_the_field_named_and_the_thread_stays_readable(
    client: LangGraphClient, books: Book
) -> None:
    thread = await desk(client)
    await thread.run(input={"request": pay(7_200)})
    command = {**await thread.resume(APPROVE), "update": {"risk": 101}}
    failed = await thread.run(command=command, raise_error=False)
    assert "risk" in str(failed["__error__"])
    assert (await thread.state())["next"] == ["gate"]
    assert books.statuses(thread.thread_id) == ["checked"]


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"amount_usd": 250_000.01}, "over_limit"),
        ({"beneficiary": "Vostok Meridian Trading LLC"}, "sanctioned"),
        ({"beneficiary": "Gazanpronbank"}, "held"),
    ],
)
async def test_what_a_check_refuses_ends_and_asks_nobody(
    client: LangGraphClient, books: Book, changes: dict[str, object], outcome: str
) -> None:
    thread = await desk(client)
    values = await thread.run(input={"request": {**pay(100), **changes}})
    assert values["outcome"] == outcome
    assert (await thread.state())["next"] == []
    assert books.transactions(thread.thread_id) == []
    assert len(books.mails(thread.thread_id)) == (outcome != "over_limit")


async def test_the_same_invoice_again_is_a_duplicate(client: LangGraphClient, books: Book) -> None:
    request = pay(100)
    one, two = await desk(client), await desk(client)
    assert (await one.run(input={"request": request}))["outcome"] == "executed"
    assert (await two.run(input={"request": request}))["outcome"] == "duplicate"
    assert books.transactions(two.thread_id) == []
