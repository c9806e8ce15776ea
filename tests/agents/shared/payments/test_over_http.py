"""Refunds through a provider over real HTTP: each failure, and what both ledgers hold afterwards."""

import asyncio
import socket
from decimal import Decimal

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from agents.shared import database, payments
from agents.shared.errors import TransientError
from agents.shared.payments import (
    HttpProvider,
    PaymentRefused,
    PaymentUnavailable,
    PaymentUnrecorded,
    Receipt,
    ledger,
)
from agents.shared.resilience import is_transient
from agents.shared.shop import orders
from tests.agents.shared.payments.conftest import QUICK, Ask
from tests.fakes.payment_provider import Cut, Garble, Hang, Misstate, PaymentProvider, Status, Step

ROWS = "select idempotency_key, amount_usd, provider, reference from shop.refunds"
HOLDS = "select idempotency_key, amount_usd from shop.refund_holds"
ROW = {"idempotency_key": "k", "amount_usd": Decimal(640), "provider": "http", "reference": "re_0001"}


async def pay(key: str = "k", amount: str = "640", ticket_id: str = "T-1") -> Receipt:
    return await payments.refund(key=key, order_id="88123", ticket_id=ticket_id, amount=Decimal(amount))


async def refundable() -> float:
    order = await orders.find_order("88123")
    assert order is not None
    return order["refundable_usd"]


async def test_a_refund_is_made_there_and_recorded_here(over_http: PaymentProvider, ask: Ask) -> None:
    receipt = await pay()
    assert (receipt["reference"], receipt["provider"], receipt["repeated"]) == ("re_0001", "http", False)
    [asked] = over_http.asked
    assert asked.key == "k"
    assert asked.body == {"order_id": "88123", "amount": "640.00", "currency": "USD"}
    assert await ask(ROWS) == [ROW]
    assert await ask(HOLDS) == []


@pytest.mark.parametrize(
    "steps",
    [
        [Status(500)],
        [Status(503), Status(500)],
        [Status(429, {"Retry-After": "0"})],
        [Status(409)],
        [Cut()],
        [Cut(recorded=True)],
        [Cut(recorded=True), Status(502)],
        [Garble()],
        [Garble(b'{"id": "re_9"}')],
    ],
    ids=str,
)
async def test_what_passes_is_tried_again(over_http: PaymentProvider, ask: Ask, steps: list[Step]) -> None:
    over_http.script(*steps)
    receipt = await pay()
    assert receipt["reference"] == "re_0001"
    assert len(over_http.asked) == len(steps) + 1
    assert {asked.key for asked in over_http.asked} == {"k"}
    assert len(over_http.refunds) == 1
    assert await ask(ROWS) == [ROW]


async def test_retry_after_is_honoured(over_http: PaymentProvider) -> None:
    over_http.script(Status(429, {"Retry-After": "0.3"}))
    loop = asyncio.get_running_loop()
    before = loop.time()
    await pay()
    assert loop.time() - before >= 0.3


async def test_a_provider_that_hangs_is_left_and_asked_again(
    shop: str, provider: PaymentProvider, ask: Ask
) -> None:
    payments.configure(HttpProvider(provider.url, provider.api_key, timeout_s=0.3, retries=QUICK))
    provider.script(Hang(recorded=True))
    receipt = await pay()
    assert receipt["repeated"], "the provider had recorded it before it hung"
    assert len(provider.refunds) == 1
    assert await ask(ROWS) == [ROW]


async def test_three_failures_are_transient_and_keep_the_money_aside(
    over_http: PaymentProvider, ask: Ask
) -> None:
    over_http.script(Status(500), Status(500), Cut(recorded=True))
    with pytest.raises(PaymentUnavailable) as caught:
        await pay()
    assert is_transient(caught.value)
    assert len(over_http.asked) == 3
    assert await ask(ROWS) == []
    assert await ask(HOLDS) == [{"idempotency_key": "k", "amount_usd": 640}]
    assert await refundable() == 0.0
    with pytest.raises(PaymentRefused, match="more than can still be paid back"):
        await pay("another", "640")
    receipt = await pay()  # the node is tried again, later or after a crash
    assert receipt["reference"] == "re_0001"
    assert len(over_http.refunds) == 1
    assert await ask(ROWS) == [ROW]
    assert await ask(HOLDS) == []


async def test_a_provider_that_was_never_reached_keeps_nothing_aside(shop: str, ask: Ask) -> None:
    with socket.socket() as taken:  # bound and not listening: a connection is refused
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        payments.configure(HttpProvider(url, "key", retries=QUICK))
        with pytest.raises(PaymentUnavailable, match="not reached"):
            await pay()
    assert await ask(HOLDS) == []
    assert await refundable() == 640.0


async def test_a_crash_after_the_provider_recorded_leaves_one_row_in_each_ledger(
    over_http: PaymentProvider, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Crash(BaseException):
        """As when the process is killed: nothing handles it."""

    async def crash(*_: object, **__: object) -> Receipt:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(ledger, "record", crash)
        with pytest.raises(Crash):
            await pay()
    assert (len(over_http.refunds), await ask(ROWS)) == (1, [])
    receipt = await pay()
    assert receipt["repeated"]
    assert len(over_http.refunds) == 1
    assert await ask(ROWS) == [ROW]


async def test_our_database_gone_after_the_call_is_transient(
    shop: str, server: str, provider: PaymentProvider, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "TIMEOUT_S", 0.5)
    payments.configure(HttpProvider(provider.url, provider.api_key, timeout_s=1.0, retries=QUICK))
    name = conninfo_to_dict(shop)["dbname"]
    provider.script(Hang(recorded=True))
    paying = asyncio.create_task(pay())
    assert await asyncio.to_thread(provider.hanging.wait, 10)
    async with await psycopg.AsyncConnection.connect(server, autocommit=True) as admin:
        await admin.execute(f'alter database "{name}" allow_connections false'.encode())
        await admin.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", [name]
        )
        with pytest.raises(TransientError) as caught:  # the hang times out, the second try is answered
            await paying
        await admin.execute(f'alter database "{name}" allow_connections true'.encode())
    assert isinstance(caught.value, database.DatabaseUnavailable)
    assert is_transient(caught.value)
    receipt = await pay()
    assert receipt["repeated"]
    assert len(provider.refunds) == 1
    assert await ask(ROWS) == [ROW]


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
async def test_a_refusal_is_final_and_frees_the_money(
    over_http: PaymentProvider, ask: Ask, status: int
) -> None:
    over_http.script(Status(status))
    with pytest.raises(PaymentRefused, match=str(status)) as caught:
        await pay()
    assert not is_transient(caught.value)
    assert len(over_http.asked) == 1
    assert await ask(ROWS) == []
    assert await ask(HOLDS) == []


async def test_a_refused_key_of_ours_says_nothing_about_an_earlier_try(
    over_http: PaymentProvider, ask: Ask
) -> None:
    over_http.script(Cut(recorded=True), Status(401))
    with pytest.raises(PaymentRefused, match="401"):
        await pay()
    assert await ask(HOLDS) == [{"idempotency_key": "k", "amount_usd": 640}]


async def test_a_verdict_after_a_broken_try_frees_the_money(over_http: PaymentProvider, ask: Ask) -> None:
    over_http.script(Cut(), Status(402))
    with pytest.raises(PaymentRefused, match="402"):
        await pay()
    assert await ask(HOLDS) == []


@pytest.mark.parametrize("paid_before", [True, False])
async def test_the_same_key_for_another_amount_is_refused(
    over_http: PaymentProvider, ask: Ask, paid_before: bool
) -> None:
    if not paid_before:
        over_http.script(Status(500), Status(500), Status(500))
        with pytest.raises(PaymentUnavailable):
            await pay(amount="100")
    else:
        await pay(amount="100")
    before = (over_http.refunds, len(over_http.asked), await ask(ROWS), await ask(HOLDS))
    with pytest.raises(PaymentRefused, match="a new refund needs a new key"):
        await pay(amount="200")
    assert (over_http.refunds, len(over_http.asked), await ask(ROWS), await ask(HOLDS)) == before


async def test_twenty_refunds_at_once_never_exceed_what_was_paid(
    over_http: PaymentProvider, ask: Ask
) -> None:
    results = await asyncio.gather(*(pay(f"k{n}", "100") for n in range(20)), return_exceptions=True)
    assert sum(isinstance(result, PaymentRefused) for result in results) == 14
    assert len(over_http.refunds) == 6, "the provider was not even asked for more"
    assert await refundable() == 40.0


async def test_the_same_key_at_once_is_one_refund_in_each_ledger(
    over_http: PaymentProvider, ask: Ask
) -> None:
    receipts = await asyncio.gather(*(pay() for _ in range(10)))
    assert {receipt["reference"] for receipt in receipts} == {"re_0001"}
    assert len(over_http.refunds) == 1
    assert await ask(ROWS) == [ROW]
    assert await ask(HOLDS) == []


async def test_a_refund_that_is_in_the_ledger_is_not_asked_for_again(over_http: PaymentProvider) -> None:
    first, again = await pay(), await pay()
    assert again == first | {"repeated": True}
    assert len(over_http.asked) == 1


async def test_a_confirmation_of_something_else_is_for_a_person(over_http: PaymentProvider, ask: Ask) -> None:
    over_http.script(Misstate("64.00"))
    with pytest.raises(PaymentUnrecorded, match="settle"):
        await pay()
    assert await ask(ROWS) == []
    assert await ask(HOLDS) == [{"idempotency_key": "k", "amount_usd": 640}]


async def test_a_key_that_no_header_can_hold_is_quoted(over_http: PaymentProvider, ask: Ask) -> None:
    await pay("refund:Tické\n1:88123")
    assert [asked.key for asked in over_http.asked] == ["refund:Tick%C3%A9%0A1:88123"]
    assert [row["idempotency_key"] for row in await ask(ROWS)] == ["refund:Tické\n1:88123"]


@pytest.mark.parametrize("url", ["", "payments.example", "ftp://payments.example"])
def test_a_url_that_is_none_stops_the_start(url: str) -> None:
    with pytest.raises(ValueError, match="must start with http"):
        HttpProvider(url, "key")
