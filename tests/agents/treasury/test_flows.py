"""The treasury's ways in this process: what passes, what one person signs, what two sign, what is refused."""

import pytest

from agents.treasury.context import Context
from tests.agents.treasury.desk import APPROVE, Book, Desk, pay, trade


@pytest.mark.parametrize("amount", [0.01, 4_999.99, 5_000.0])
async def test_a_small_amount_never_pauses(book: Book, amount: float) -> None:
    desk = Desk()
    values = await desk.ask(pay(amount))
    assert desk.nodes == ["intake", "check", "record", "gate", "execute", "reply"]
    assert values["outcome"] == "executed"
    assert book.statuses(desk.thread_id) == ["executed"]
    assert book.signers(desk.thread_id) == []
    assert values["bank_reference"] in values["messages"][-1].text


async def test_plain_words_are_read_without_a_model(book: Book) -> None:
    desk = Desk()
    values = await desk.say(
        "Please pay $1,250.40 to Blau & Söhne GmbH, account DE89 3704 0044 0532 0130 00, invoice INV-88."
    )
    assert values["outcome"] == "executed"
    (row,) = book.transactions(desk.thread_id)
    assert (row["beneficiary"], row["reference"], float(row["amount_usd"])) == (
        "Blau & Söhne GmbH",
        "INV-88",
        1_250.40,
    )
    assert values["usage"]["understand|offline:rules"]["calls"] == 1


@pytest.mark.parametrize("amount", [5_000.01, 10_000.0])
async def test_above_5000_one_officer_signs(book: Book, amount: float) -> None:
    desk = Desk()
    await desk.ask(pay(amount))
    asked = (await desk.question()).value
    assert (asked["signatures_needed"], asked["amount_usd"], asked["signed_by"]) == (1, amount, [])
    assert asked["title"].startswith(f"Sign ${amount:,.2f} to ")
    assert book.statuses(desk.thread_id) == ["checked"]
    values = await desk.answer(APPROVE, by="ada")
    assert (values["outcome"], values["signatures"]) == ("executed", ["ada"])
    assert book.statuses(desk.thread_id) == ["executed"]
    assert book.signers(desk.thread_id) == ["ada"]


async def test_above_10000_two_different_people_sign(book: Book) -> None:
    desk = Desk()
    await desk.ask(pay(10_000.01))
    values = await desk.answer(APPROVE, by="ada")
    assert values["outcome"] == "waiting"
    assert book.statuses(desk.thread_id) == ["checked"]
    assert (await desk.question()).value["signed_by"] == ["ada"]

    await desk.answer(APPROVE, by="ada")
    asked = (await desk.question()).value
    assert "ada has signed already" in asked["problem"]
    assert book.statuses(desk.thread_id) == ["checked"]

    values = await desk.answer(APPROVE, by="bo")
    assert (values["outcome"], values["signatures"]) == ("executed", ["ada", "bo"])


async def test_two_people_who_agreed_in_the_inbox_sign_at_once(book: Book) -> None:
    desk = Desk()
    await desk.ask(pay(40_000))
    values = await desk.decided(APPROVE, "kim", "lee")
    assert (values["outcome"], values["signatures"]) == ("executed", ["kim", "lee"])
    assert book.signers(desk.thread_id) == ["kim", "lee"]


async def test_one_answer_of_the_inbox_is_one_signature(book: Book) -> None:
    desk = Desk()
    await desk.ask(pay(40_000))
    await desk.decided(APPROVE, "kim")
    assert await desk.waits()
    assert book.statuses(desk.thread_id) == ["checked"]
    values = await desk.decided(APPROVE, "lee")
    assert values["outcome"] == "executed"


async def test_an_approver_leaves_a_note_beside_the_answer(book: Book) -> None:
    desk = Desk()
    await desk.ask(pay(7_200))
    values = await desk.answer(APPROVE, by="ada", update={"compliance_note": "called the payee back"})
    assert values["outcome"] == "executed"
    assert values["compliance_note"] == ""
    (signature,) = book.rows(
        "select note from treasury.signatures s join treasury.transactions using (transaction_id) "
        "where starts_with(request, %s)",
        desk.thread_id,
    )
    assert signature["note"] == "called the payee back"


async def test_a_rejection_pays_nothing_and_frees_the_reference(book: Book) -> None:
    desk, reference = Desk(), "INV-rejected"
    await desk.ask(pay(7_200, reference))
    values = await desk.answer({"action": "reject", "reason": "No such order."}, by="ada")
    assert values["outcome"] == "rejected"
    assert "No such order." in values["messages"][-1].text
    assert book.statuses(desk.thread_id) == ["cancelled"]
    assert (await Desk().ask(pay(10, reference)))["outcome"] == "executed"


async def test_a_question_goes_to_the_requester_and_it_is_tried_again(book: Book) -> None:
    desk = Desk()
    await desk.ask(pay(7_200))
    await desk.answer({"action": "ask", "question": "What is this for?"}, by="ada")
    asked = (await desk.question()).value
    assert (asked["kind"], asked["question"]) == ("requester_question", "What is this for?")
    await desk.answer({"action": "answer", "text": "Freight to Hamburg."}, by="rosa")
    assert desk.nodes == ["ask_requester", "check", "record"]
    asked = (await desk.question()).value
    assert asked["clarifications"] == [{"question": "What is this for?", "answer": "Freight to Hamburg."}]
    values = await desk.answer(APPROVE, by="ada")
    assert values["outcome"] == "executed"
    assert book.statuses(desk.thread_id) == ["executed"]


async def test_a_signature_is_for_what_was_signed_and_not_for_what_it_became(book: Book) -> None:
    desk = Desk()
    await desk.ask(pay(20_000))
    await desk.answer(APPROVE, by="ada")
    await desk.answer({"action": "ask", "question": "Is the amount right?"}, by="bo")
    await desk.answer({"action": "answer", "text": "No, it is more.", "amount_usd": 25_000}, by="rosa")
    asked = (await desk.question()).value
    assert (asked["amount_usd"], asked["signed_by"]) == (25_000, [])
    assert book.statuses(desk.thread_id) == ["cancelled", "checked"]
    await desk.answer(APPROVE, by="bo")
    assert await desk.waits()
    values = await desk.answer(APPROVE, by="ada")
    assert values["outcome"] == "executed"
    assert [float(row["amount_usd"]) for row in book.transactions(desk.thread_id)] == [20_000, 25_000]


async def test_the_requester_withdraws(book: Book) -> None:
    desk = Desk()
    await desk.ask(pay(7_200))
    await desk.answer({"action": "ask", "question": "Really?"}, by="ada")
    values = await desk.answer({"action": "withdraw"}, by="rosa")
    assert values["outcome"] == "withdrawn"
    assert book.statuses(desk.thread_id) == ["cancelled"]


async def test_questions_have_an_end(book: Book) -> None:
    desk = Desk()
    await desk.ask(pay(7_200))
    for number in range(3):
        await desk.answer({"action": "ask", "question": f"And {number}?"}, by="ada")
        await desk.answer({"action": "answer", "text": "As before."}, by="rosa")
    await desk.answer({"action": "ask", "question": "Once more?"}, by="ada")
    asked = (await desk.question()).value
    assert asked["kind"] == "payment_approval"
    assert "asked 3 times" in asked["problem"]
    assert (await desk.answer(APPROVE, by="ada"))["outcome"] == "executed"


async def test_answers_that_come_to_nothing_end_in_the_dead_letters(book: Book) -> None:
    desk = Desk()
    await desk.ask(pay(7_200))
    for _ in range(6):
        values = await desk.answer(APPROVE, by="mallory")
    assert values["outcome"] == "dead_letter"  # pyright: ignore[reportPossiblyUnboundVariable]
    (letter,) = book.dead_letters(desk.thread_id)
    assert "6 answers came to nothing" in letter["reason"]
    assert book.statuses(desk.thread_id) == ["cancelled"]


async def test_shares_are_bought_and_sold_by_the_same_rules(book: Book) -> None:
    desk = Desk()
    assert (await desk.say("Buy 40 shares of ACME"))["outcome"] == "executed"
    values = await desk.ask(trade("buy", 300))
    assert (await desk.question()).value["title"] == "Sign $9,450.00: buy 300 ACME?"
    values = await desk.answer(APPROVE, by="ada")
    assert values["outcome"] == "executed"
    values = await desk.ask(trade("sell", 400))
    assert values["outcome"] == "not_held"
    assert "only 340 shares" in values["messages"][-1].text
    assert (await desk.ask(trade("buy", 1, "NOPE")))["outcome"] == "unknown_instrument"


async def test_a_new_message_while_one_waits_drops_what_waited(book: Book) -> None:
    desk, reference = Desk(), "INV-again"
    await desk.ask(pay(7_200, reference))
    await desk.ask(pay(7_300, reference))
    assert book.statuses(desk.thread_id) == ["cancelled", "checked"]
    assert (await desk.question()).value["amount_usd"] == 7_300


@pytest.mark.parametrize(
    ("text", "outcome"), [("Hello", "incomplete"), ("Buy 1 share of NOPE", "unknown_instrument")]
)
async def test_a_new_message_that_comes_to_nothing_drops_what_waited_too(
    book: Book, text: str, outcome: str
) -> None:
    desk, request = Desk(), pay(7_200)
    await desk.ask(request)
    assert (await desk.say(text))["outcome"] == outcome
    assert not await desk.waits()
    assert book.statuses(desk.thread_id) == ["cancelled"]
    assert (await Desk().ask(request))["outcome"] == "waiting"


async def test_a_thread_that_reached_its_limit_keeps_nothing_waiting(book: Book) -> None:
    desk = Desk(context=Context(model="offline:rules", max_turns=1))
    await desk.ask(pay(7_200))
    assert (await desk.say("Hello"))["outcome"] == "closed"
    assert book.statuses(desk.thread_id) == ["cancelled"]
