"""Limits, sanctions and duplicates, also where they change while people decide."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.treasury.book import Limits
from agents.treasury.checks import signatures_for
from agents.treasury.context import Context
from tests.agents.treasury.desk import ACCOUNT, APPROVE, Book, Desk, pay


@pytest.mark.parametrize(
    "beneficiary",
    [
        "Vostok Meridian Trading LLC",
        "vostok  meridian, TRADING ltd.",
        "Trading Vostok Meridian",
        "Восток Меридиан",
        "Jose Ramirez Quintero",
        "Quintero José Ramírez",
    ],
)
async def test_a_payee_on_a_list_is_never_paid_and_compliance_hears_of_it(
    book: Book, beneficiary: str
) -> None:
    desk = Desk()
    values = await desk.ask(pay(10, beneficiary=beneficiary))
    assert values["outcome"] == "sanctioned"
    assert book.transactions(desk.thread_id) == []
    (mail,) = book.mails(desk.thread_id)
    assert mail["recipient"] == "compliance@shop.example"
    assert "DEMO-" in mail["body"]
    assert "DEMO-" not in values["messages"][-1].text


async def test_an_account_on_a_list_is_found_however_it_is_written(book: Book) -> None:
    values = await Desk().ask(pay(10, account="RU02 0445 2560 0407 0281 0412 3456 7890 1"))
    assert values["outcome"] == "sanctioned"


@pytest.mark.parametrize(
    "beneficiary", ["Gazanpronbank", "Halcyon Orient Shiping", "Hаlcyon Orient Shipping Ltd"]
)
async def test_a_name_like_one_on_a_list_is_held_until_compliance_clears_it(
    book: Book, beneficiary: str
) -> None:
    desk = Desk()
    values = await desk.ask(pay(10, beneficiary=beneficiary))
    assert values["outcome"] in ("held", "sanctioned")
    book.execute(
        "insert into treasury.clearances (tenant, account_key, entry, cleared_by, note) "
        "select %s, %s, entry, 'ada', 'another firm' from treasury.sanctions group by entry",
        book.tenant,
        ACCOUNT,
    )
    assert (await Desk().ask(pay(10, beneficiary=beneficiary)))["outcome"] == "executed"


@pytest.mark.parametrize(
    "beneficiary", ["Nordwind Logistics GmbH", "Meridian Bakery", "Shipping Partners", "José Pérez"]
)
async def test_others_are_on_no_list(book: Book, beneficiary: str) -> None:
    assert (await Desk().ask(pay(10, beneficiary=beneficiary)))["outcome"] == "executed"


async def test_without_a_list_nobody_is_paid(own_book: Book) -> None:
    own_book.execute("delete from treasury.sanctions")
    desk = Desk()
    values = await desk.ask(pay(10))
    assert values["outcome"] == "dead_letter"
    assert "No sanctions list is loaded" in own_book.dead_letters(desk.thread_id)[0]["reason"]


async def test_a_payee_who_is_listed_while_it_waits_is_not_paid(own_book: Book) -> None:
    desk = Desk()
    await desk.ask(pay(7_200))
    own_book.execute(
        "insert into treasury.sanctions (entry, list, name) values ('NEW-1', 'x', 'Nordwind Logistics')"
    )
    values = await desk.answer(APPROVE, by="ada")
    assert values["outcome"] == "sanctioned"
    assert own_book.statuses(desk.thread_id) == ["cancelled"]
    assert len(own_book.mails(desk.thread_id)) == 1


async def test_more_than_goes_out_at_once(book: Book) -> None:
    values = await Desk().ask(pay(250_000.01))
    assert values["outcome"] == "over_limit"
    assert "$250,000.00 that go out at once" in values["messages"][-1].text


async def test_the_days_limit_counts_what_is_out_and_holds_when_signed(book: Book) -> None:
    book.execute("update treasury.limits set daily_usd = 12000 where tenant = %s", book.tenant)
    waits = Desk()
    await waits.ask(pay(9_000))
    assert (await Desk().ask(pay(4_000)))["outcome"] == "executed"
    values = await waits.answer(APPROVE, by="ada")
    assert values["outcome"] == "over_limit"
    assert book.statuses(waits.thread_id) == ["cancelled"]
    assert (await Desk().ask(pay(8_000.01)))["outcome"] == "over_limit"
    assert (await Desk(tenant=f"not-{book.tenant}").ask(pay(5_000)))["outcome"] == "executed"


@pytest.mark.parametrize(
    "changes", [{"account": "de89 3704 0044 0532 0130 00"}, {"reference": "inv-2041"}, {"amount_usd": 11.0}]
)
async def test_one_invoice_of_a_payee_is_paid_once(book: Book, changes: dict[str, object]) -> None:
    assert (await Desk().ask(pay(10, "INV-2041")))["outcome"] == "executed"
    values = await Desk().ask({**pay(10, "INV-2041"), **changes})
    assert values["outcome"] == "duplicate"
    assert "is known already" in values["messages"][-1].text


async def test_one_that_waits_elsewhere_is_a_duplicate_too(book: Book) -> None:
    await Desk().ask(pay(7_200, "INV-9"))
    assert (await Desk().ask(pay(7_200, "INV-9")))["outcome"] == "duplicate"


async def test_what_looks_like_one_of_last_week_is_shown_to_who_signs(book: Book) -> None:
    await Desk().ask(pay(4_000, "INV-1"))
    desk = Desk()
    desk.context = desk.context.model_copy(update={"signature_above_usd": 100.0})
    await desk.ask(pay(4_000, "INV-2"))
    checks = (await desk.question()).value["checks"]
    assert any("looks like transaction" in line and "INV-1" in line for line in checks)
    assert "a payee that was paid before" in checks
    assert "with this, $8,000.00 to this payee in 24 hours" in checks


@given(
    st.floats(0.01, 1_000_000),
    st.floats(0, 5_000),
    st.floats(0, 10_000),
    st.floats(0, 5_000),
    st.floats(0, 10_000),
)
def test_whatever_is_set_the_house_is_never_undercut(
    amount: float, tenant_one: float, tenant_two: float, assistant_one: float, assistant_two: float
) -> None:
    bound = Limits(tenant_one, tenant_two, 1e9, 1e9, ())
    context = Context(signature_above_usd=assistant_one, two_above_usd=assistant_two)
    needed = signatures_for(amount, bound, context)
    assert needed >= (2 if amount > 10_000 else 1 if amount > 5_000 else 0)
    assert signatures_for(amount * 2, bound, context) >= needed
