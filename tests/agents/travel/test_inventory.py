"""The agency's book: what is never held, whoever asks: a seat twice, another price, anything without a yes."""

import asyncio

import psycopg
import pytest
from psycopg.errors import CheckViolation, ForeignKeyViolation, IntegrityError

from agents.travel import inventory
from agents.travel.inventory import NotAgreed, PriceChanged, SoldOut
from agents.travel.state import Draft, Offer
from tests.agents.travel.agency import Agency, day
from tests.agents.travel.offering import TRIP, agreed, draft_of, offered


@pytest.fixture
def trip(agency: Agency) -> Draft:
    """There, back and a hotel: one seat in each flight, one room in each of four nights."""
    there = agency.flight("SM11", 10, seats=1)
    back = agency.flight("SM12", 14, seats=1, way="LIS-BER")
    return draft_of(there, back, agency.hotel("Casa", 10, 4, rooms=1))


async def test_a_hold_takes_seats_and_rooms_and_its_end_gives_them_back(agency: Agency, trip: Draft) -> None:
    await agreed(agency, "t", trip)
    held = await inventory.hold(agency.tenant, "t")
    assert (held["total_usd"], held["status"], agency.taken()) == (400.0, "held", (2, 4))
    assert held["lines"][-1] == f"Casa, 1 room, {day(10)} to {day(14)}"
    assert await inventory.hold(agency.tenant, "t") == held
    released = await inventory.release(agency.tenant, "t", "rosa")
    assert released is not None
    assert (released["status"], agency.taken()) == ("released", (0, 0))
    assert await inventory.release(agency.tenant, "t", "rosa") is None
    assert (await inventory.hold(agency.tenant, "t"))[
        "status"
    ] == "released"  # the same request makes no second one


async def test_of_many_at_once_one_gets_the_last_seat(agency: Agency, trip: Draft) -> None:
    threads = [f"race-{number}" for number in range(12)]
    for thread in threads:
        await agreed(agency, thread, trip)
    came = await asyncio.gather(
        *(inventory.hold(agency.tenant, one) for one in threads), return_exceptions=True
    )
    assert len([one for one in came if isinstance(one, dict)]) == 1
    assert len([one for one in came if isinstance(one, SoldOut)]) == 11
    assert (agency.statuses(), agency.taken()) == (["held"], (2, 4))


async def test_the_same_request_many_times_at_once_is_one_hold(agency: Agency, trip: Draft) -> None:
    await agreed(agency, "t", trip)
    came = await asyncio.gather(*(inventory.hold(agency.tenant, "t") for _ in range(8)))
    assert len({held["reference"] for held in came}) == 1
    assert agency.taken() == (2, 4)


async def test_what_expires_is_free_for_the_next(agency: Agency, trip: Draft) -> None:
    await agreed(agency, "a", trip)
    await inventory.hold(agency.tenant, "a")
    agency.let_expire()
    assert await inventory.live_hold(agency.tenant, "a") is None
    await inventory.expire()
    await agreed(agency, "b", trip)
    await inventory.hold(agency.tenant, "b")
    assert (agency.statuses("a"), agency.statuses("b"), agency.taken()) == (["expired"], ["held"], (2, 4))


async def test_a_new_hold_of_a_thread_ends_its_old_one_or_leaves_it(agency: Agency) -> None:
    first, second = draft_of(agency.flight("SM11", 10)), draft_of(agency.flight("SM13", 11, usd=90, seats=1))
    await agreed(agency, "t", first)
    await inventory.hold(agency.tenant, "t")
    await agreed(agency, "t", second, turn=2)
    await agreed(agency, "other", second)
    await inventory.hold(agency.tenant, "other")
    with pytest.raises(SoldOut):
        await inventory.hold(agency.tenant, "t")
    assert agency.statuses("t") == ["held"]
    await inventory.release(agency.tenant, "other", "rosa")
    assert (await inventory.hold(agency.tenant, "t"))["total_usd"] == 90.0
    assert (agency.statuses("t"), agency.taken()) == (["released", "held"], (1, 0))


async def test_nothing_is_held_without_a_yes_to_exactly_this(agency: Agency, trip: Draft) -> None:
    offer = await offered(agency, "t", trip)
    with pytest.raises(NotAgreed, match="nobody has said yes"):
        await inventory.hold(agency.tenant, "t")
    cheaper: Offer = {**offer, "total_usd": 1.0}
    with pytest.raises(NotAgreed, match="not what was offered"):
        await inventory.agree(agency.tenant, "t", cheaper, "hold", "rosa")
    with pytest.raises(NotAgreed, match="rosa's trip"):
        await inventory.agree(agency.tenant, "t", offer, "hold", "mallory", "rosa")
    await inventory.agree(agency.tenant, "t", offer, "visa", "rosa")
    with pytest.raises(NotAgreed):
        await inventory.hold(agency.tenant, "t")
    await inventory.agree(agency.tenant, "t", offer, "hold", "console", "kim")
    assert (await inventory.hold(agency.tenant, "t"))["status"] == "held"
    assert agency.agreements("t") == [("visa", "rosa"), ("hold", "kim, by console")]


async def test_a_yes_to_an_older_offer_holds_nothing(agency: Agency) -> None:
    first, second = draft_of(agency.flight("SM11", 10)), draft_of(agency.flight("SM13", 11))
    offer = await agreed(agency, "t", first)
    await offered(agency, "t", second)
    with pytest.raises(NotAgreed):
        await inventory.hold(agency.tenant, "t")
    with pytest.raises(NotAgreed):
        await inventory.agree(agency.tenant, "t", offer, "hold", "rosa")


async def test_a_visa_that_is_missing_stops_it_in_the_book(agency: Agency, trip: Draft) -> None:
    offer = await agreed(agency, "t", trip, passports=["IN"])
    assert offer["visa"] == "required"
    with pytest.raises(NotAgreed, match="visa"):
        await inventory.hold(agency.tenant, "t")
    await inventory.agree(agency.tenant, "t", offer, "visa", "rosa")
    assert (await inventory.hold(agency.tenant, "t"))["status"] == "held"


async def test_a_price_that_moved_is_not_taken(agency: Agency, trip: Draft) -> None:
    await agreed(agency, "t", trip)
    agency.price("SM11", 130)
    with pytest.raises(PriceChanged, match=r"\$430.00"):
        await inventory.hold(agency.tenant, "t")
    assert agency.taken() == (0, 0)


async def test_who_answers_for_a_traveller_asks_for_nothing_of_their_own(agency: Agency) -> None:
    await offered(agency, "t", draft_of(agency.flight("SM11", 10)))
    await offered(agency, "t", draft_of(agency.flight("SM13", 11)), by="console")
    assert [row["traveller"] for row in agency.offers("t")] == ["rosa", "rosa"]


async def test_an_inbox_goes_on_for_the_traveller_in_later_requests_too(agency: Agency) -> None:
    await offered(agency, "t", draft_of(agency.flight("SM11", 10)))
    await offered(agency, "t", draft_of(agency.flight("SM13", 11)), by="console", turn=2)
    await offered(agency, "t", draft_of(agency.flight("SM15", 12)), by="bo", turn=3)
    assert [row["traveller"] for row in agency.offers("t")] == ["rosa", "rosa", "bo"]


async def test_a_hold_of_one_traveller_is_not_replaced_by_another_s(agency: Agency) -> None:
    await agreed(agency, "t", draft_of(agency.flight("SM11", 10)))
    await inventory.hold(agency.tenant, "t")
    await agreed(agency, "t", draft_of(agency.flight("SM13", 11)), by="bo", turn=2)
    with pytest.raises(NotAgreed, match="a trip of rosa's is held on this thread"):
        await inventory.hold(agency.tenant, "t")
    with pytest.raises(NotAgreed, match="held for rosa"):
        await inventory.release(agency.tenant, "t", "bo")
    assert agency.statuses("t") == ["held"]


async def test_a_flight_of_another_tenant_can_be_neither_priced_nor_offered(agency: Agency) -> None:
    other = Agency(agency.uri, f"{agency.tenant}-other")
    foreign = other.flight("SM11", 10)
    with pytest.raises(SoldOut):
        await inventory.quote(agency.tenant, draft_of(foreign), TRIP)
    assert await inventory.flights(agency.tenant, TRIP, {"depart_on": day(10), "return_on": None}) == ([], [])
    with pytest.raises(ForeignKeyViolation):
        agency.execute(
            "insert into travel.offers (tenant, thread_id, turn, digest, traveller, travellers, outbound_id, visa, "
            "total_usd, hold_minutes) values (%s, 't', 1, repeat('a', 64), 'rosa', 1, %s, 'none', 1, 30)",
            agency.tenant, foreign,
        )  # fmt: skip


async def test_another_tenants_hold_is_not_there(agency: Agency, trip: Draft) -> None:
    await agreed(agency, "t", trip)
    await inventory.hold(agency.tenant, "t")
    assert await inventory.release("somebody-else", "t", "rosa") is None
    assert await inventory.live_hold("somebody-else", "t") is None
    assert agency.statuses() == ["held"]


@pytest.mark.parametrize(
    "statement",
    [
        "update travel.holds set total_usd = 1 where tenant = %s",
        "update travel.holds set expires_at = expires_at + interval '1 year' where tenant = %s",
        "delete from travel.holds where tenant = %s",
        "update travel.offers set total_usd = 1 where tenant = %s",
        "update travel.flights set destination = 'ROM' where tenant = %s",
        "update travel.flights set taken = seats + 1 where tenant = %s",
        "update travel.flights set seats = 0 where tenant = %s",
    ],
)
async def test_what_was_shown_and_held_can_not_be_written_over(
    agency: Agency, trip: Draft, statement: str
) -> None:
    await agreed(agency, "t", trip)
    await inventory.hold(agency.tenant, "t")
    with pytest.raises(IntegrityError):
        agency.execute(statement, agency.tenant)


async def test_a_hold_ends_once(agency: Agency, trip: Draft) -> None:
    await agreed(agency, "t", trip)
    await inventory.hold(agency.tenant, "t")
    await inventory.release(agency.tenant, "t", "rosa")
    with pytest.raises(IntegrityError):
        agency.execute(
            "update travel.holds set status = 'held', ended_at = null where tenant = %s", agency.tenant
        )
    assert agency.taken() == (0, 0)


async def test_a_flight_that_has_left_is_not_held(agency: Agency) -> None:
    flight = agency.flight("SM11", 1)
    await agreed(agency, "t", draft_of(flight))
    agency.execute(
        "update travel.flights set departs = now() - interval '1 day' where flight_id = %s", flight
    )
    with pytest.raises(SoldOut):
        await inventory.hold(agency.tenant, "t")


async def test_a_hold_names_an_offer_and_nothing_else(agency: Agency, trip: Draft) -> None:
    """Whatever a statement says of price, tenant or status, the row is the offer's."""
    await agreed(agency, "t", trip)
    (offer,) = agency.offers("t")
    agency.execute(
        "insert into travel.holds (offer_id, tenant, thread_id, key, traveller, total_usd, expires_at) "
        "values (%s, 'x', 'x', 'x', 'x', 1, now() + interval '1 year')",
        offer["offer_id"],
    )
    (row,) = agency.holds()
    assert (row["key"], row["traveller"], float(row["total_usd"])) == ("t:1", "rosa", 400.0)
    with pytest.raises((CheckViolation, psycopg.errors.UniqueViolation)):
        agency.execute("insert into travel.holds (offer_id) values (%s)", offer["offer_id"])


@pytest.mark.parametrize(
    ("passports", "country", "days", "requirement"),
    [
        (["DE"], "PT", 5, "none"),
        (["PT"], "PT", 500, "none"),
        (["DE"], "JP", 91, "required"),
        (["DE"], "GB", 5, "eta"),
        (["IN"], "JP", 5, "on_arrival"),
        (["DE", "IN"], "PT", 5, "required"),
        (["XX"], "PT", 5, "unknown"),
        ([], "PT", None, "unknown"),
    ],
)
async def test_the_strictest_rule_counts(
    agency: Agency, passports: list[str], country: str, days: int | None, requirement: str
) -> None:
    assert (await inventory.visa_for(passports, country, days))["requirement"] == requirement
