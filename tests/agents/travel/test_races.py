"""The world moves while a traveller thinks: the last seat goes, a price rises. Nothing is taken but what was shown."""

import asyncio

import pytest

from tests.agents.travel.agency import Agency, day
from tests.agents.travel.traveller import APPROVE, WISH, Traveller


async def asked(agency: Agency, many: int, text: str) -> list[Traveller]:
    """So many travellers, each before the same question."""
    travellers = [Traveller(agency, f"traveller-{number}") for number in range(many)]
    await asyncio.gather(*(one.say(text) for one in travellers))
    return travellers


@pytest.mark.parametrize("many", [10, pytest.param(100, marks=pytest.mark.slow)])
async def test_of_many_who_say_yes_to_the_last_seat_one_gets_it_and_the_others_are_offered_what_is_left(
    agency: Agency, many: int
) -> None:
    agency.flight("SM11", 10, seats=1)
    agency.flight("SM13", 10, usd=180, at="17:00", seats=many)
    agency.flight("SM12", 14, usd=120, way="LIS-BER", seats=many)
    travellers = await asked(agency, many, f"{WISH} No hotel.")
    assert {(await one.asked())["amount_usd"] for one in travellers} == {220.0}
    ended = await asyncio.gather(*(one.answer(APPROVE) for one in travellers))
    assert [values["outcome"] for values in ended].count("held") == 1
    assert agency.taken() == (2, 0)
    losers = [one for one, values in zip(travellers, ended, strict=True) if values["outcome"] != "held"]
    for one in losers:
        question = await one.asked()
        assert "taken a moment ago" in question["problem"] or "0 seats left" in question["problem"]
        assert question["amount_usd"] == 300.0
    ended = await asyncio.gather(*(one.answer(APPROVE) for one in losers))
    assert {values["outcome"] for values in ended} == {"held"}
    assert (len(agency.holds()), agency.taken()) == (many, (2 * many, 0))


async def test_who_loses_the_last_room_is_told_and_offered_another(agency: Agency) -> None:
    agency.week(rooms=1)
    rosa, bo = await asked(agency, 2, WISH.replace("$900", "$1,200"))
    await rosa.answer(APPROVE)
    await bo.answer(APPROVE)
    question = await bo.asked()
    assert "last room" in question["problem"]
    assert (question["amount_usd"], question["itinerary"][2][:7]) == (980.0, "Palacio")
    assert agency.taken() == (2, 4)


async def test_nothing_left_is_said_with_what_was_seen(agency: Agency) -> None:
    agency.flight("SM11", 10, seats=1)
    agency.flight("SM12", 14, usd=120, way="LIS-BER", seats=9)
    rosa, bo = await asked(agency, 2, f"{WISH} No hotel.")
    await rosa.answer(APPROVE)
    values = await bo.answer(APPROVE)
    assert (values["outcome"], await bo.waits(), len(agency.holds())) == ("answered", False, 1)
    reply = await bo.reply()
    assert "last seats" in reply.lower() or "seats left" in reply
    assert "Nothing is held" in reply or "Name other dates" in reply


async def test_a_loser_is_offered_other_dates_where_its_own_are_full(agency: Agency) -> None:
    for shift in (0, 2):
        agency.flight("SM11", 10 + shift, seats=1)
        agency.flight("SM12", 14 + shift, way="LIS-BER")
    rosa, bo = await asked(agency, 2, f"{WISH} No hotel.")
    await rosa.answer(APPROVE)
    await bo.answer(APPROVE)
    assert day(12) in (await bo.asked())["itinerary"][0]


async def test_who_loses_four_times_is_told_what_was_seen(agency: Agency) -> None:
    for number in range(6):
        agency.flight(f"SM{number}1", 10, usd=100 + number, at=f"1{number}:00")
    rosa = Traveller(agency)
    await rosa.say(f"One way from Berlin to Lisbon on {day(10)}, German passport")
    for _ in range(4):
        number = (await rosa.asked())["itinerary"][0].split()[0]
        agency.execute(
            "update travel.flights set taken = seats where tenant = %s and number = %s", agency.tenant, number
        )
        await rosa.answer(APPROVE)
    values = await rosa.values()
    assert (values["outcome"], values["losses"], agency.holds()) == ("sold_out", 4, [])
    assert "What I found" in await rosa.reply()


async def test_a_price_that_rose_is_asked_about_again(agency: Agency) -> None:
    agency.week()
    rosa = Traveller(agency)
    await rosa.say(WISH)
    agency.price("SM11", 600)
    await rosa.answer(APPROVE)
    question = await rosa.asked()
    assert (question["amount_usd"], question["over_budget_usd"], question["attempt"]) == (920.0, 20.0, 2)
    assert "$420.00 was shown, and it costs $920.00 by now: nothing was taken" in question["problem"]
    assert agency.holds() == []
    await rosa.answer(APPROVE)
    assert [float(row["total_usd"]) for row in agency.holds()] == [920.0]


async def test_a_price_that_fell_is_asked_about_again(agency: Agency) -> None:
    agency.week()
    rosa = Traveller(agency)
    await rosa.say(WISH)
    agency.price("SM12", 20)
    await rosa.answer(APPROVE)
    assert (await rosa.asked())["amount_usd"] == 320.0


async def test_a_price_that_never_stands_still_ends_the_request(agency: Agency) -> None:
    agency.week()
    rosa = Traveller(agency)
    await rosa.say(WISH)
    for step in range(6):
        agency.price("SM11", 200 + step)
        await rosa.answer(APPROVE)
    assert ((await rosa.values())["outcome"], await rosa.waits(), agency.holds()) == ("stopped", False, [])


async def test_a_flight_that_has_left_meanwhile_is_not_held(agency: Agency) -> None:
    agency.week()
    rosa = Traveller(agency)
    await rosa.say(f"{WISH} No hotel.")
    agency.execute(
        "update travel.flights set departs = now() - interval '1 hour' where tenant = %s and number = 'SM11'",
        agency.tenant,
    )
    await rosa.answer(APPROVE)
    assert "no longer on sale" in (await rosa.asked())["problem"]
    assert (await rosa.asked())["itinerary"][0].startswith("SM13")


async def test_what_expired_is_the_next_ones(agency: Agency) -> None:
    agency.flight("SM11", 10, seats=1)
    rosa, bo = Traveller(agency), Traveller(agency, "bo")
    wish = f"One way from Berlin to Lisbon on {day(10)}, German passport"
    await rosa.say(wish)
    await rosa.answer(APPROVE)
    await bo.say(wish)
    assert not await bo.waits()
    agency.let_expire()
    await bo.say("Search again")
    await bo.answer(APPROVE)
    assert agency.statuses() == ["expired", "held"]
    await rosa.say("What do I hold?")
    assert await rosa.reply() == "Nothing is held."
