"""Nobody holds more than their share: by a count in the database, in which runs that race are counted one by one."""

import asyncio

import pytest
from psycopg.errors import CheckViolation

from agents.travel import inventory
from agents.travel.context import Context
from agents.travel.inventory import ShareExceeded
from tests.agents.travel.agency import Agency, day
from tests.agents.travel.offering import agreed, draft_of
from tests.agents.travel.traveller import APPROVE, Traveller

WISH = f"One way from Berlin to Lisbon on {day(10)}, German passport"


async def holding(agency: Agency, many: int, name: str = "rosa") -> list[Traveller]:
    """So many threads of one traveller, with a trip held on each."""
    threads = [Traveller(agency, name) for _ in range(many)]
    for one in threads:
        await one.say(WISH)
        assert (await one.answer(APPROVE))["outcome"] == "held"
    return threads


async def test_who_holds_enough_is_told_what_and_until_when_and_goes_on_once_one_is_let_go(
    agency: Agency,
) -> None:
    agency.share(holds=2)
    agency.flight("SM11", 10, seats=40)
    first, _ = await holding(agency, 2)
    third = Traveller(agency)
    values = await third.say(WISH)
    assert (values["outcome"], await third.waits(), agency.taken()) == ("at_limit", False, (2, 0))
    reply = await third.reply()
    reference = (await first.values())["hold"]["reference"]
    assert "2 trips are held for you, and 2 at once is the most" in reply
    assert f"{reference}, Berlin to Lisbon, until" in reply
    assert "Berlin time" in reply
    assert "$100.00 in all" in reply  # what was found
    await first.say("Please release it.")
    await third.say("Search again.")
    assert (await third.answer(APPROVE))["outcome"] == "held"


async def test_what_expired_counts_no_longer_and_its_seats_are_free(agency: Agency) -> None:
    agency.share(holds=2)
    agency.flight("SM11", 10, seats=2)
    await holding(agency, 2)
    agency.let_expire()
    await holding(agency, 1)
    assert (agency.statuses(), agency.taken()) == (["expired", "expired", "held"], (1, 0))


async def test_a_yes_that_comes_too_late_is_refused_politely(agency: Agency) -> None:
    agency.share(holds=1)
    agency.flight("SM11", 10)
    one, two = Traveller(agency), Traveller(agency)
    await one.say(WISH)
    await two.say(WISH)
    assert (await one.answer(APPROVE))["outcome"] == "held"
    values = await two.answer(APPROVE)
    assert (values["outcome"], await two.waits(), agency.taken()) == ("at_limit", False, (1, 0))
    assert "1 trips are held" not in await two.reply()
    assert "1 trip is held for you, and 1 at once is the most" in await two.reply()


@pytest.mark.parametrize("many", [8, pytest.param(60, marks=pytest.mark.slow)])
async def test_runs_that_race_do_not_pass_it(agency: Agency, many: int) -> None:
    agency.share(holds=3)
    flight = draft_of(agency.flight("SM11", 10, seats=100))
    threads = [f"race-{number}" for number in range(many)]
    for thread in threads:
        await agreed(agency, thread, flight)
    came = await asyncio.gather(
        *(inventory.hold(agency.tenant, one) for one in threads), return_exceptions=True
    )
    assert len([one for one in came if isinstance(one, dict)]) == 3
    assert len([one for one in came if isinstance(one, ShareExceeded)]) == many - 3
    assert (agency.statuses(), agency.taken()) == (["held"] * 3, (3, 0))


@pytest.mark.parametrize("many", [8, pytest.param(40, marks=pytest.mark.slow)])
async def test_who_change_places_do_not_wait_for_each_other(agency: Agency, many: int) -> None:
    """Each thread gives back one flight and some nights and takes others, half of them the other way round."""
    agency.share(holds=many, seats=many)
    flights = [agency.flight(number, 10, seats=many) for number in ("SM11", "SM13")]
    back = agency.flight("SM12", 14, seats=2 * many, way="LIS-BER")
    hotels = [agency.hotel(name, 8, 12, rooms=many) for name in ("Casa", "Palacio")]
    drafts = [draft_of(flight, back, hotel) for flight, hotel in zip(flights, hotels, strict=True)]
    threads = {f"change-{number}": number for number in range(many)}
    for turn in (1, 2):
        for thread, number in threads.items():
            draft = drafts[(number + turn) % 2]
            await agreed(agency, thread, draft, turn=turn, by=f"traveller-{number % 4}")
        came = await asyncio.gather(*(inventory.hold(agency.tenant, thread) for thread in threads))
        assert {one["status"] for one in came} == {"held"}
    assert (agency.statuses().count("held"), agency.taken()) == (many, (2 * many, 4 * many))


async def test_each_traveller_and_each_tenant_has_its_own(agency: Agency) -> None:
    other = Agency(agency.uri, f"{agency.tenant}-other")
    for one in (agency, other):
        one.share(holds=1)
        one.flight("SM11", 10)
        await holding(one, 1)
    await holding(agency, 1, "bo")
    assert (await Traveller(agency).say(WISH))["outcome"] == "at_limit"


async def test_a_second_trip_on_the_thread_takes_the_place_of_the_first(agency: Agency) -> None:
    agency.share(holds=1)
    agency.flight("SM11", 10)
    (rosa,) = await holding(agency, 1)
    await rosa.say("Make it two travellers.")
    assert (await rosa.answer(APPROVE))["outcome"] == "held"
    assert (agency.statuses(), agency.taken()) == (["released", "held"], (2, 0))


async def test_an_assistant_lowers_it_and_can_not_raise_it(agency: Agency) -> None:
    agency.share(holds=2)
    agency.flight("SM11", 10)
    await holding(agency, 1)
    strict = Traveller(agency, context=Context(model="offline:rules", max_holds=1))
    assert (await strict.say(WISH))["outcome"] == "at_limit"
    await holding(agency, 1)
    generous = Traveller(agency, context=Context(model="offline:rules", max_holds=100))
    assert (await generous.say(WISH))["outcome"] == "at_limit"


async def test_seats_are_counted_too_and_the_database_says_so_to_everybody(agency: Agency) -> None:
    agency.share(seats=6)
    flight = draft_of(agency.flight("SM11", 10, seats=40))
    await agreed(agency, "one", flight, travellers=5)
    await inventory.hold(agency.tenant, "one")
    await agreed(agency, "two", flight, travellers=2)
    with pytest.raises(
        ShareExceeded, match="5 seats are held for you, this trip needs 2, and 6 at once is the most"
    ):
        await inventory.hold(agency.tenant, "two")
    with pytest.raises(CheckViolation) as refused:
        agency.execute("insert into travel.holds (offer_id) values (%s)", agency.offers("two")[0]["offer_id"])
    assert refused.value.diag.constraint_name == "holds_share"


async def test_without_a_row_of_its_own_a_tenant_has_everybody_s(agency: Agency) -> None:
    flight = draft_of(agency.flight("SM11", 10, seats=40))
    for number in range(6):
        await agreed(agency, f"t{number}", flight)
    for number in range(5):
        await inventory.hold(agency.tenant, f"t{number}")
    with pytest.raises(ShareExceeded, match="5 at once"):
        await inventory.hold(agency.tenant, "t5")
