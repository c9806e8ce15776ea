"""What a traveller goes through, without a model: a trip that fits, dates that don't, a yes, a no, a change of mind."""

import time

import pytest

from agents.travel.context import Context
from stationmaster.docs.pages import example
from tests.agents.travel.agency import Agency, day
from tests.agents.travel.traveller import APPROVE, HAVE_VISA, WISH, Traveller, calls_of, results, whole
from tests.fakes.agent_server import ROOT


@pytest.fixture
def rosa(agency: Agency) -> Traveller:
    return Traveller(agency)


async def test_a_trip_is_found_by_three_peers_and_held_after_a_yes(agency: Agency, rosa: Traveller) -> None:
    agency.week()
    began = time.monotonic()
    values = await rosa.say(WISH)
    asked = await rosa.asked()
    assert rosa.nodes == ["intake", "flights", "visas", "hotels", "offer"]
    assert (asked["kind"], asked["amount_usd"], asked["budget_usd"]) == ("trip_hold", 420.0, 900.0)
    assert asked["other_dates"] is None
    assert asked["itinerary"][0].startswith("SM11 Berlin to Lisbon")
    assert "no visa is needed" in asked["visa"]
    assert agency.taken() == (0, 0)
    assert (values["outcome"], values["handoffs"]) == ("waiting", 2)
    values = await rosa.answer(APPROVE)
    assert (values["outcome"], rosa.nodes) == ("held", ["gate", "backfill", "hold", "finish"])
    assert (agency.statuses(rosa.thread_id), agency.taken()) == (["held"], (2, 4))
    assert agency.agreements(rosa.thread_id) == [("hold", "rosa")]
    assert f"until {values['hold']['expires_at']}" in await rosa.reply()
    assert whole(values)
    assert time.monotonic() - began < 10


async def test_a_hand_over_answers_its_own_call_and_takes_along_what_was_done(
    agency: Agency, rosa: Traveller
) -> None:
    agency.week()
    values = await rosa.say(WISH)
    assert calls_of(values) == [
        "note_trip", "search_flights", "hand_to_visas", "check_visa", "hand_to_hotels", "search_hotels", "propose_trip",
    ]  # fmt: skip
    assert whole(values)
    asked = [call for message in values["messages"] for call in getattr(message, "tool_calls", [])]
    for call in asked:
        (answer,) = [one for one in results(values, call["name"]) if one.tool_call_id == call["id"]]
        assert answer.status == "success"
    assert sum(row["calls"] for row in values["usage"].values()) == values["model_calls"] == 7
    assert len({message.id for message in values["messages"]}) == len(values["messages"])


async def test_a_no_holds_nothing_and_the_conversation_goes_on(agency: Agency, rosa: Traveller) -> None:
    agency.week()
    await rosa.say(WISH)
    values = await rosa.answer({"action": "reject", "reason": "Too early in the morning."})
    assert (values["outcome"], agency.holds(), values["active"]) == ("declined", [], "hotels")
    assert values["messages"][-2].text == "Too early in the morning."
    values = await rosa.say("Make it two people, at most $1,500 in all.")
    assert rosa.nodes[:2] == ["intake", "hotels"]  # whoever had it goes on with it
    assert ((await rosa.asked())["travellers"], (await rosa.asked())["amount_usd"]) == (2, 640.0)
    values = await rosa.answer(APPROVE)
    assert agency.taken() == (4, 4)
    by_models = [message for message in values["messages"] if getattr(message, "usage_metadata", None)]
    assert sum(row["calls"] for row in values["usage"].values()) == len(by_models)


async def test_a_change_at_the_question_is_looked_for_and_asked_again(
    agency: Agency, rosa: Traveller
) -> None:
    agency.week()
    await rosa.say(WISH)
    values = await rosa.answer({"action": "change", "text": "No hotel, please."})
    assert (await rosa.asked())["amount_usd"] == 220.0
    assert len((await rosa.asked())["itinerary"]) == 2
    assert values["turns"] == 2
    await rosa.answer(APPROVE)
    assert agency.taken() == (2, 0)


async def test_other_dates_are_tried_three_times_and_then_it_is_told_what_there_is(
    agency: Agency, rosa: Traveller
) -> None:
    for shift in range(-3, 4):
        agency.flight("SM11", 10 + shift, usd=500 + 10 * shift)
        agency.flight("SM12", 14 + shift, usd=500, way="LIS-BER")
    values = await rosa.say(f"{WISH} No hotel.")
    assert not await rosa.waits()
    assert calls_of(values).count("try_other_dates") == 3
    assert (values["outcome"], values["date_tries"], agency.offers(rosa.thread_id)) == ("answered", 3, [])
    assert [one["total_usd"] for one in values["seen"]] == [1000.0, 970.0, 980.0, 990.0]
    reply = await rosa.reply()
    assert f"{day(7)} to {day(11)}: $970.00 in all, $70.00 above the budget" in reply
    assert "Nothing is held" in reply


async def test_other_dates_that_fit_are_proposed(agency: Agency, rosa: Traveller) -> None:
    agency.flight("SM11", 10, usd=900)
    agency.flight("SM11", 11, usd=400)
    agency.flight("SM12", 14, usd=100, way="LIS-BER")
    agency.flight("SM12", 15, usd=100, way="LIS-BER")
    agency.hotel("Casa", 9, 10, usd=60)
    values = await rosa.say(WISH)
    assert (await rosa.asked())["amount_usd"] == 740.0
    assert day(11) in (await rosa.asked())["itinerary"][0]
    assert (await rosa.asked())["other_dates"] == (
        f"Not on the dates that you named: {day(10)} to {day(14)}, $1,240.00 in all, $340.00 above the budget."
    )
    assert (values["date_tries"], values["trip"]["depart_on"]) == (1, day(10))
    assert rosa.nodes == ["intake", "flights", "visas", "hotels", "flights", "hotels", "offer"]


async def test_a_day_without_flights_goes_to_the_next(agency: Agency, rosa: Traveller) -> None:
    agency.flight("SM11", 12, usd=100)
    agency.flight("SM12", 16, usd=100, way="LIS-BER")
    await rosa.say(f"{WISH} No hotel.")
    assert day(12) in (await rosa.asked())["itinerary"][0]


async def test_nothing_at_all_is_said_so(agency: Agency, rosa: Traveller) -> None:
    values = await rosa.say(WISH)
    assert values["outcome"] == "answered"
    assert "there is no flight there with enough seats" in await rosa.reply()


async def test_fewer_tries_where_the_assistant_says_so(agency: Agency) -> None:
    agency.week()
    rosa = Traveller(agency, context=Context(model="offline:rules", max_date_tries=0))
    values = await rosa.say(WISH.replace("$900", "$300"))
    assert (values["date_tries"], values["outcome"]) == (0, "answered")
    assert "$120.00 above the budget" in await rosa.reply()


async def test_without_a_budget_the_cheapest_is_proposed(agency: Agency, rosa: Traveller) -> None:
    agency.week()
    await rosa.say(WISH.replace(", at most $900 in all", ""))
    assert ((await rosa.asked())["amount_usd"], (await rosa.asked())["budget_usd"]) == (420.0, None)


async def test_what_is_missing_is_asked_for_and_completed_in_the_next_message(
    agency: Agency, rosa: Traveller
) -> None:
    agency.week()
    values = await rosa.say("I want to fly to Lisbon")
    assert values["outcome"] == "answered"
    assert "where from, when (YYYY-MM-DD), and the way back" in await rosa.reply()
    await rosa.say(f"From Berlin, on {day(10)}, back on {day(14)}")
    assert "which passport" in await rosa.reply()
    await rosa.say("A German passport, budget $900")
    assert (await rosa.asked())["amount_usd"] == 420.0


async def test_a_visa_that_is_needed_stops_the_booking_with_a_question(
    agency: Agency, rosa: Traveller
) -> None:
    agency.week()
    await rosa.say(WISH.replace("German", "Indian"))
    asked = await rosa.asked()
    assert (asked["kind"], asked["requirement"]) == ("visa_question", "required")
    assert "Schengen visa takes about fifteen days" in asked["visa"]
    values = await rosa.answer({"action": "reject"})
    assert (values["outcome"], agency.holds()) == ("declined", [])
    await rosa.say("Please try it again.")
    await rosa.answer(HAVE_VISA)
    assert (await rosa.asked())["kind"] == "trip_hold"
    values = await rosa.answer(APPROVE)
    assert values["outcome"] == "held"
    assert agency.agreements(rosa.thread_id) == [("visa", "rosa"), ("hold", "rosa")]


async def test_a_question_about_a_visa_goes_to_the_peer_that_knows(agency: Agency, rosa: Traveller) -> None:
    values = await rosa.say("Do I need a visa for Japan with an Indian passport?")
    assert "a visa is given on arrival, up to 30 days" in await rosa.reply()
    assert (rosa.nodes, values["active"]) == (["intake", "flights", "visas", "finish"], "visas")
    await rosa.say("And for the US?")
    assert "a visa is required" in await rosa.reply()
    await rosa.say("For Japan again, with a German passport, do I need a visa?")
    assert rosa.nodes == ["intake", "visas", "finish"]
    assert "no visa is needed" in await rosa.reply()


async def test_a_hold_is_told_released_and_made_anew(agency: Agency, rosa: Traveller) -> None:
    agency.week()
    await rosa.say(WISH)
    await rosa.answer(APPROVE)
    await rosa.say("What do I hold?")
    assert "SM11 Berlin to Lisbon" in await rosa.reply()
    values = await rosa.say("Please release it.")
    assert (values["outcome"], agency.statuses(), agency.taken()) == ("released", ["released"], (0, 0))
    values = await rosa.say("Please release my hold.")
    assert (values["outcome"], values["hold"]) == ("answered", None)
    assert "nothing to release" in await rosa.reply()
    await rosa.say("Search again.")
    await rosa.answer(APPROVE)
    assert agency.statuses() == ["released", "held"]


async def test_thanks_begin_no_search(agency: Agency, rosa: Traveller) -> None:
    agency.week()
    await rosa.say(WISH)
    await rosa.answer(APPROVE)
    values = await rosa.say("Thank you so much!")
    assert (values["outcome"], await rosa.waits()) == ("answered", False)
    assert (await rosa.reply()).startswith("You are welcome. Held for you: SM11")


async def test_a_second_trip_takes_the_place_of_the_first_which_the_question_says(
    agency: Agency, rosa: Traveller
) -> None:
    agency.week()
    await rosa.say(WISH)
    first = await rosa.answer(APPROVE)
    await rosa.say("Make it two travellers, and flights only.")
    assert f"Your hold {first['hold']['reference']} ends with it" in (await rosa.asked())["on_approve"]
    await rosa.answer(APPROVE)
    assert (agency.statuses(), agency.taken()) == (["released", "held"], (4, 0))


async def test_one_way_and_within_one_country(agency: Agency, rosa: Traveller) -> None:
    agency.flight("SM11", 10)
    values = await rosa.say(
        f"One way from Berlin to Lisbon on {day(10)} for two, German passports, $300 in all"
    )
    assert ((await rosa.asked())["amount_usd"], values["trip"]["one_way"]) == (200.0, True)
    await rosa.answer(APPROVE)
    assert agency.taken() == (2, 0)


async def test_one_way_stays_one_way_when_it_is_moved_and_ends_with_a_way_back(
    agency: Agency, rosa: Traveller
) -> None:
    agency.flight("SM11", 11)
    agency.flight("SM12", 14, way="LIS-BER")
    await rosa.say(f"One way from Berlin to Lisbon on {day(12)}, German passport")
    await rosa.say("A day earlier, please.")
    assert len((await rosa.asked())["itinerary"]) == 1
    await rosa.say(f"And back on {day(14)}, no hotel.")
    assert len((await rosa.asked())["itinerary"]) == 2


async def test_a_night_in_the_air_needs_no_hotel(agency: Agency, rosa: Traveller) -> None:
    agency.flight("SM11", 10, at="22:30")
    agency.flight("SM12", 11, way="LIS-BER", at="21:00")
    await rosa.say(f"From Berlin to Lisbon, {day(10)} to {day(11)}, German passport, $900")
    assert (await rosa.asked())["amount_usd"] == 200.0
    assert (await rosa.answer(APPROVE))["outcome"] == "held"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("From Berlin to Atlantis, tomorrow, one way", "I know no flights to or from 'Atlantis'"),
        ("From Berlin to Berlin, tomorrow, one way", "end where it begins"),
        ("From Berlin to Lisbon on 2020-01-01, one way", "2020-01-01 is past"),
        (f"From Berlin to Lisbon, {day(14)} to {day(10)}", "is before the way there"),
        (f"From Berlin to Lisbon, {day(10)} to {day(100)}", "up to 60 days"),
        (f"From Berlin to Lisbon, {day(400)}, one way", "more than a year ahead"),
        ("From Berlin to Lisbon on 05/06/2027, one way", "write it as YYYY-MM-DD"),
        ("From Berlin to Lisbon tomorrow, one way, for 12 people", "up to 9 travellers"),
        ("From Berlin to Lisbon tomorrow, one way, budget 300 EUR", "in dollars"),
        ("From Berlin to Lisbon tomorrow, one way, $300 or $400", "more than one amount"),
        ("", "I still need to know"),
        ("?" * 5_000, "I read plain English here"),
        ("Ich möchte bitte von Berlin nach Lissabon", "I read plain English here"),
        ("Quiero volar de Berlín a Lisboa", "I read plain English here"),
        ("我想从柏林飞往里斯本", "I read plain English here"),
    ],
)
async def test_what_can_not_be_is_said_in_words(
    agency: Agency, rosa: Traveller, text: str, says: str
) -> None:
    values = await rosa.say(text)
    assert values["outcome"] == "answered"
    assert says in await rosa.reply()
    assert not await rosa.waits()


async def test_what_can_be_noted_is_and_need_not_be_written_again(agency: Agency, rosa: Traveller) -> None:
    agency.flight("SM11", 10)
    await rosa.say("From Berlin to Lisbon on 1 January 2020, one way, German passport")
    assert "2020-01-01 is past" in await rosa.reply()
    await rosa.say(f"Sorry, I meant {day(10)}")
    assert (await rosa.asked())["amount_usd"] == 100.0
    await rosa.say("What about Atlantis instead?")
    assert "I know no flights to or from 'Atlantis'" in await rosa.reply()
    await rosa.say("Then to Lisbon")
    assert (await rosa.asked())["amount_usd"] == 100.0
    values = await rosa.say("From Lisbon to Berlin")  # each of them is what the other was
    assert (values["trip"]["origin"], values["trip"]["destination"]) == ("LIS", "BER")


async def test_of_dates_that_can_not_be_together_the_first_is_kept(agency: Agency, rosa: Traveller) -> None:
    agency.week()
    await rosa.say(WISH.replace(day(14), day(90)))
    assert "up to 60 days" in await rosa.reply()
    await rosa.say(f"Then until {day(14)}")
    assert (await rosa.asked())["amount_usd"] == 420.0


async def test_a_yes_as_a_message_is_told_that_it_is_none(agency: Agency, rosa: Traveller) -> None:
    agency.week()
    await rosa.say(WISH)
    assert (await rosa.asked())["problem"] is None
    await rosa.say("Yes, please book it!")
    assert "a yes is taken as the answer to this question" in (await rosa.asked())["problem"]
    await rosa.answer({"action": "change", "text": "ok"})
    assert "a yes is taken as the answer to this question" in (await rosa.asked())["problem"]
    assert agency.holds() == []
    assert (await rosa.answer(APPROVE))["outcome"] == "held"


async def test_cheaper_than_the_cheapest_there_is_not(agency: Agency, rosa: Traveller) -> None:
    agency.week()
    agency.flight("SM11", 11, usd=10)
    agency.flight("SM12", 15, usd=20, way="LIS-BER")
    await rosa.say(WISH)
    values = await rosa.say("That's too expensive")
    reply = await rosa.reply()
    assert (values["outcome"], await rosa.waits()) == ("answered", False)
    assert f"$420.00 is the cheapest there is on {day(10)} to {day(14)}" in reply
    assert f"{day(11)} to {day(15)}: $30.00" in reply
    await rosa.say("Cheaper please, no hotel")
    assert (await rosa.asked())["amount_usd"] == 220.0


async def test_a_visa_is_told_once_the_passport_is(rosa: Traveller) -> None:
    await rosa.say("Do I need a visa for India?")
    assert "Which passport" in await rosa.reply()
    await rosa.say("German")
    assert "a visa is required" in await rosa.reply()
    await rosa.say("And the United States?")
    assert "a travel authorisation is" in await rosa.reply()


async def test_the_example_of_the_page_is_proposed_from_what_the_demo_sells(agency: Agency) -> None:
    page = (ROOT / "docs" / "agents" / "travel.md").read_text(encoding="utf-8")
    rosa = Traveller(Agency(agency.uri, "main"))
    await rosa.run(example(page))
    asked = await rosa.asked()
    assert (asked["kind"], asked["travellers"], len(asked["itinerary"])) == ("trip_hold", 2, 3)
    assert asked["amount_usd"] <= asked["budget_usd"] == 1500.0


async def test_a_thread_that_has_reached_its_limit_is_closed_politely(agency: Agency) -> None:
    rosa = Traveller(agency, context=Context(model="offline:rules", max_turns=1))
    await rosa.say("Hello")
    values = await rosa.say("Hello again")
    assert (values["outcome"], rosa.nodes) == ("closed", ["intake", "finish"])
    assert "reached its limit" in await rosa.reply()
