"""The bank as a real server that misbehaves: retried, dead-lettered, and never paid twice or forgotten."""

from collections.abc import AsyncIterator

import pytest

from agents.shared.resilience.retry import Retries
from agents.treasury import bank as banks
from agents.treasury import book as treasury_book
from tests.agents.treasury.desk import APPROVE, Book, Desk, pay, trade
from tests.fakes.payment_provider import Cut, Garble, Hang, Misstate, PaymentProvider, Status

QUICK = Retries(first_wait_s=0.01, jitter=0)


@pytest.fixture
async def bank(book: Book) -> AsyncIterator[PaymentProvider]:
    """A bank that the treasury asks, over HTTP; its breaker is shut."""
    with PaymentProvider.running() as server:
        banks.configure(banks.HttpBank(server.url, server.api_key, timeout_s=0.5, retries=QUICK))
        yield server
        banks.configure(None)


async def test_the_bank_is_asked_once_with_the_transactions_key(bank: PaymentProvider, book: Book) -> None:
    desk = Desk()
    values = await desk.ask(pay(7_200, "INV-1"))
    values = await desk.answer(APPROVE, by="ada")
    (order,) = bank.orders
    assert values["bank_reference"] == order.id
    assert (order.path, order.body["amount"], order.body["reference"]) == ("/transfers", "7200.00", "INV-1")
    assert order.key.startswith(f"{book.tenant}:{desk.thread_id}:1:1:")
    assert len(bank.asked) == 1


async def test_a_trade_goes_to_the_exchange(bank: PaymentProvider, book: Book) -> None:
    await Desk().ask(trade("buy", 3))
    (order,) = bank.orders
    assert (order.path, order.body["symbol"], order.body["amount"]) == ("/trades", "ACME", "94.50")


@pytest.mark.parametrize(
    "steps",
    [
        (Status(500), Status(503)),
        (Status(429, {"Retry-After": "0"}),),
        (Cut(), Cut(recorded=True)),
        (Hang(recorded=True),),
        (Garble(),),
    ],
    ids=["500", "429", "reset", "hang", "garbage"],
)
async def test_trouble_that_passes_is_tried_again_and_pays_once(
    bank: PaymentProvider, book: Book, steps: tuple[Status | Cut | Hang | Garble, ...]
) -> None:
    bank.script(*steps)
    desk = Desk()
    values = await desk.ask(pay(50))
    assert (values["outcome"], len(bank.orders), len(bank.asked)) == ("executed", 1, len(steps) + 1)
    assert book.statuses(desk.thread_id) == ["executed"]


@pytest.mark.parametrize(
    ("steps", "status"),
    [
        ([Status(500)] * 3, "executing"),
        ([Status(429)] * 3, "failed"),
        ([Cut(recorded=True)] * 3, "executing"),
        ([Garble()] * 3, "executing"),
        ([Hang(recorded=True)] * 3, "executing"),
        ([Status(400)], "failed"),
        ([Status(403)], "failed"),
        ([Cut(recorded=True), Status(403)], "executing"),
        ([Misstate("1.00")], "executing"),
    ],
    ids=["500", "429", "reset", "garbage", "hang", "refused", "our key", "our key later", "other amount"],
)
async def test_what_stays_wrong_is_dead_lettered_and_money_that_may_be_gone_counts_as_gone(
    bank: PaymentProvider, book: Book, steps: list[Status | Cut | Garble | Hang | Misstate], status: str
) -> None:
    bank.script(*steps)
    desk = Desk()
    values = await desk.ask(pay(50, "INV-2"))
    assert values["outcome"] == "dead_letter"
    assert book.statuses(desk.thread_id) == [status]
    (letter,) = book.dead_letters(desk.thread_id)
    assert (letter["graph"], letter["node"]) == ("treasury", "execute")
    assert len(bank.asked) == len(steps)
    again = await Desk().ask(pay(50, "INV-2"))
    assert again["outcome"] == ("executed" if status == "failed" else "duplicate")


async def test_a_bank_that_is_back_is_asked_with_the_same_key_and_answers_the_same(
    bank: PaymentProvider, book: Book
) -> None:
    bank.script(*[Cut(recorded=True)] * 3)
    desk = Desk()
    await desk.ask(pay(50))
    values = await desk.replay("execute")
    assert (values["outcome"], len(bank.orders)) == ("executed", 1)
    assert book.statuses(desk.thread_id) == ["executed"]


async def test_a_crash_between_the_bank_and_the_book_pays_once(
    bank: PaymentProvider, book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Crash(BaseException):
        """As a process that is killed: nothing catches it."""

    async def crash(*_: object) -> None:
        raise Crash

    desk = Desk()
    with monkeypatch.context() as patch:
        patch.setattr(treasury_book, "finish", crash)
        with pytest.raises(Crash):
            await desk.ask(pay(50))
    assert book.statuses(desk.thread_id) == ["executing"]
    values = await desk.run(None)
    assert (values["outcome"], len(bank.orders), len(bank.asked)) == ("executed", 1, 2)
    assert book.statuses(desk.thread_id) == ["executed"]


async def test_a_request_that_comes_again_after_its_thread_was_lost_is_no_duplicate_of_itself(
    bank: PaymentProvider, book: Book
) -> None:
    bank.script(*[Cut(recorded=True)] * 3)
    desk, request = Desk(), pay(50)
    await desk.ask(request)
    again = Desk(thread_id=desk.thread_id)  # with a checkpointer that knows nothing of it
    values = await again.ask(request)
    assert (values["outcome"], len(bank.orders)) == ("executed", 1)
    assert book.statuses(desk.thread_id) == ["executed"]


async def test_another_request_on_a_thread_that_was_lost_is_another_transaction(
    bank: PaymentProvider, book: Book
) -> None:
    desk = Desk()
    await desk.ask(pay(50))
    values = await Desk(thread_id=desk.thread_id).ask(pay(60))
    assert values["outcome"] == "executed"
    assert [order.body["amount"] for order in bank.orders] == ["50.00", "60.00"]
    assert book.statuses(desk.thread_id) == ["executed", "executed"]


async def test_an_open_breaker_asks_nobody(bank: PaymentProvider, book: Book) -> None:
    bank.script(*[Status(429)] * 15)
    for _ in range(5):
        await Desk().ask(pay(50))
    asked = len(bank.asked)
    desk = Desk()
    values = await desk.ask(pay(50, "INV-open"))
    assert values["outcome"] == "dead_letter"
    assert "BreakerOpen" in values["failures"][0]["reason"]
    assert len(bank.asked) == asked
    assert book.statuses(desk.thread_id) == ["failed"]  # nobody was asked: the money surely did not move
    book.execute("delete from shop.breakers")
    assert (await Desk().ask(pay(50, "INV-open")))["outcome"] == "executed"


async def test_an_open_breaker_says_nothing_of_what_was_asked_before(
    bank: PaymentProvider, book: Book
) -> None:
    bank.script(Cut(recorded=True), *[Cut()] * 20)
    desk = Desk()
    await desk.ask(pay(50))
    for _ in range(5):
        await Desk().ask(pay(50))
    values = await desk.replay("execute")
    assert "BreakerOpen" in values["failures"][0]["reason"]
    assert book.statuses(desk.thread_id) == ["executing"]


@pytest.mark.parametrize("steps", [[], [Status(400)]], ids=["carried out", "refused"])
async def test_what_an_operator_settled_meanwhile_is_not_written_over_and_said(
    bank: PaymentProvider, book: Book, monkeypatch: pytest.MonkeyPatch, steps: list[Status]
) -> None:
    """An operator settles it the other way while the bank is asked."""
    bank.script(*steps)
    carry_out, settled = banks.HttpBank.carry_out, "executed" if steps else "failed"

    async def meanwhile(self: banks.HttpBank, order: banks.Order) -> str:
        try:
            return await carry_out(self, order)
        finally:
            book.execute(
                "update treasury.transactions set status = %s, "
                + ("executed_at = now(), bank_reference = 'X-1'" if steps else "why = 'the bank says no'")
                + " where tenant = %s and status = 'executing'",
                settled,
                book.tenant,
            )

    monkeypatch.setattr(banks.HttpBank, "carry_out", meanwhile)
    desk = Desk()
    values = await desk.ask(pay(50))
    assert values["outcome"] == "dead_letter"
    assert f"the book has it as {settled}" in values["failures"][0]["reason"]
    assert book.statuses(desk.thread_id) == [settled]


async def test_a_bug_fails_loudly_at_once(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    async def buggy(*_: object) -> None:
        nonlocal calls
        calls += 1
        raise ValueError("a bug")

    monkeypatch.setattr(treasury_book, "begin", buggy)
    desk = Desk()
    with pytest.raises(ValueError, match="a bug"):
        await desk.ask(pay(50))
    assert calls == 1
    assert (await desk.graph.aget_state(desk.config())).next == ("execute",)
    assert book.dead_letters(desk.thread_id) == []
