"""What the offline peers read from a traveller's words: dates, places, numbers; and what they don't take for one."""

from datetime import date
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.travel.rules.dates import read_dates
from agents.travel.rules.reading import wishes_of
from agents.travel.words import lets_go, says_yes

TODAY = date(2026, 11, 30)  # a Monday


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on 2026-12-18", ["2026-12-18"]),
        ("18 December", ["2026-12-18"]),
        ("the 18th of December 2027", ["2027-12-18"]),
        ("December 18th, 2026", ["2026-12-18"]),
        ("Dec 18", ["2026-12-18"]),
        ("3 march", ["2027-03-03"]),  # the next one to come
        ("30 November", ["2026-11-30"]),
        ("18-22 December", ["2026-12-18", "2026-12-22"]),
        ("from the 18th to 22nd of Dec", ["2026-12-18", "2026-12-22"]),
        ("18.12.2026", ["2026-12-18"]),
        ("18.12. - 22.12.", ["2026-12-18", "2026-12-22"]),
        ("12/18/2026", ["2026-12-18"]),
        ("18/12/2026", ["2026-12-18"]),
        ("tomorrow", ["2026-12-01"]),
        ("yesterday", ["2026-11-29"]),  # which is refused, and not asked for again
        ("friday to sunday", ["2026-12-04", "2026-12-06"]),
        ("from Thursday till Monday", ["2026-12-03", "2026-12-07"]),
        ("the day after tomorrow", ["2026-12-02"]),
        ("next Friday", ["2026-12-04"]),
        ("on monday", ["2026-12-07"]),
        ("in two weeks", ["2026-12-14"]),
        ("in 10 days, back on 2026-12-20", ["2026-12-10", "2026-12-20"]),
        ("a week from now", ["2026-12-07"]),
        ("no date at all, order 2026", []),
        ("may I go", []),
    ],
)
def test_dates_in_plain_words(text: str, days: list[str]) -> None:
    found = read_dates(text, TODAY)
    assert [one.day.isoformat() for one in found.found] == days
    assert found.unclear is None


@pytest.mark.parametrize(
    "text", ["05/06/2027", "2026-02-30", "31 November", "22-18 December 2026", "99.99.2026"]
)
def test_a_date_that_is_none_or_two_is_unclear(text: str) -> None:
    assert read_dates(text, TODAY).unclear


@pytest.mark.parametrize(
    ("text", "trip"),
    [
        (
            "Fly two of us from Berlin to New York on 18 December, back on the 22nd of December, at most $2,000.",
            {"origin": "Berlin", "destination": "New York", "depart_on": "2026-12-18", "return_on": "2026-12-22",
             "travellers": 2, "budget_usd": 2000.0},
        ),
        (
            "from berlin to lisbon in two weeks for 4 nights, german passports, no hotel",
            {"origin": "berlin", "destination": "lisbon", "depart_on": "2026-12-14", "return_on": "2026-12-18",
             "passports": ["DE"], "hotel": False},
        ),
        ("A week in Rome from London, leaving tomorrow, 4 days later home", {
            "origin": "London", "destination": "Rome", "depart_on": "2026-12-01", "return_on": "2026-12-05"}),
        ("One way to Tokyo next Friday, alone", {
            "destination": "Tokyo", "depart_on": "2026-12-04", "one_way": True, "travellers": 1}),
        ("My wife and I, Indian and US passports", {"travellers": 2, "passports": ["IN", "US"]}),
        ("passports: DE, IN and JP", {"passports": ["DE", "IN", "JP"]}),
        ("budget 900 USD, hotel below $100 a night", {"budget_usd": 900.0, "hotel": True}),
        ("The budget is $900; nights under $100", {}),
        ("a family of four with a room", {"travellers": 4, "hotel": True}),
        ("make it 3 travellers", {"travellers": 3}),
        ("flights only please", {"hotel": False}),
        ("Take us to London instead", {"destination": "London"}),
        ("Actually to Rome from Berlin", {"origin": "Berlin", "destination": "Rome"}),
        ("Sorry, Lisbon to Rome", {"origin": "Lisbon", "destination": "Rome"}),
        ("Please to Rome", {"destination": "Rome"}),
        ("Do I need a visa for Japan?", {"destination": "Japan"}),
        ("no more than $900", {"budget_usd": 900.0}),
        ("it takes us 3 hours from now on", {}),
        ("for 3 weeks", {}),
        ("Berlin to New York, Jan 5 - Jan 12", {
            "origin": "Berlin", "destination": "New York", "depart_on": "2027-01-05", "return_on": "2027-01-12"}),
        ("leave on the 3rd of January and come back on the 10th", {
            "depart_on": "2027-01-03", "return_on": "2027-01-10"}),
        ("from the 29th of December to the 4th", {"depart_on": "2026-12-29", "return_on": "2027-01-04"}),
        ("Lisbon in a month", {"depart_on": "2026-12-30"}),
        ("visit Rome, starting in Berlin", {"origin": "Berlin", "destination": "Rome"}),
        ("Do I need a visa to enter India with a German passport?", {"destination": "India", "passports": ["DE"]}),
        ("Trip to Lisbon leaving in two weeks", {"destination": "Lisbon", "depart_on": "2026-12-14"}),
        ("I'd like to go from Monday to Friday", {"depart_on": "2026-12-07", "return_on": "2026-12-11"}),
        ("two adults and 2 kids", {"travellers": 4}),
        ("four in all", {"travellers": 4}),
        ("we are 3, for $1,500 in all", {"travellers": 3, "budget_usd": 1500.0}),
        ("Indian citizens", {"passports": ["IN"]}),
        ("German and Indian.", {"passports": ["DE", "IN"]}),
        ("a visa for the US, with an Indian passport", {"destination": "US", "passports": ["IN"]}),
        ("and for Japan?", {"destination": "Japan"}),
        ("for us, for December", {}),
        ("Berlin to Lisbon Dec 18 to Dec 22", {
            "origin": "Berlin", "destination": "Lisbon", "depart_on": "2026-12-18", "return_on": "2026-12-22"}),
        ("BERLIN TO NEW YORK 20 DEC", {"origin": "BERLIN", "destination": "NEW YORK", "depart_on": "2026-12-20"}),
        ("berlin to rome tomorrow", {"origin": "berlin", "destination": "rome", "depart_on": "2026-12-01"}),
        ("Berlin-Lisbon, 2 pax, DE passports", {
            "origin": "Berlin", "destination": "Lisbon", "travellers": 2, "passports": ["DE"]}),
        ("Berlin -> New York", {"origin": "Berlin", "destination": "New York"}),
        ("ticket to london from berlin", {"origin": "berlin", "destination": "london"}),
        ("what about Lisbon instead?", {"destination": "Lisbon"}),
        ("and the united states?", {"destination": "united states"}),
        ("what about japan with an indian passport?", {"destination": "japan", "passports": ["IN"]}),
        ("how long does the flight from Berlin to Tokyo take?", {"origin": "Berlin", "destination": "Tokyo"}),
        ("we live in Berlin and want to visit Rome", {"origin": "Berlin", "destination": "Rome"}),
        ("me and my girlfriend", {"travellers": 2}),
        ("from: Berlin\n- to: Lisbon\n- German passport", {
            "origin": "Berlin", "destination": "Lisbon", "passports": ["DE"]}),
        ("Berlin ➡️ Lisbon", {"origin": "Berlin", "destination": "Lisbon"}),
        ("cheapest flight to lisbon from berlin", {"origin": "berlin", "destination": "lisbon"}),
        ("new york to berlin tomorrow, us passport", {
            "origin": "new york", "destination": "berlin", "depart_on": "2026-12-01", "passports": ["US"]}),
        ("Two Indian travellers", {"travellers": 2, "passports": ["IN"]}),
        ("for two Germans", {"travellers": 2, "passports": ["DE"]}),
        ("Berlin to Rome, one way, German.", {
            "origin": "Berlin", "destination": "Rome", "one_way": True, "passports": ["DE"]}),
        ("Berlin, Germany, is nice", {}),
        ("New York City to Rome", {"origin": "New York City", "destination": "Rome"}),
        ("to lisbon please", {"destination": "lisbon"}),
        ("to be honest", {}),
        ("DE", {"passports": ["DE"]}),
        ("OK", {}),
        ("Berlin", {}),
        ("4", {"travellers": 4}),
        ("four, please", {"travellers": 4}),
        ("I am German", {"passports": ["DE"]}),
        ("US and DE passports", {"passports": ["DE", "US"]}),
        ("nothing to add, thanks", {}),
        ("I want to think about it", {}),
        ("yes, and then?", {}),
        ("Thank you very much!", {}),
        ("", {}),
    ],
)  # fmt: skip
def test_what_is_read_of_a_trip(text: str, trip: dict[str, Any]) -> None:
    assert wishes_of(text, TODAY).trip == trip


def test_a_lone_date_is_the_way_back_where_the_words_say_so() -> None:
    known = {"depart_on": "2026-12-18"}
    assert wishes_of("back on 24 December", TODAY, trip=known).trip == {"return_on": "2026-12-24"}
    assert wishes_of("for five nights", TODAY, trip=known).trip == {"return_on": "2026-12-23"}
    assert wishes_of("a day later, please", TODAY, trip=known).trip == {"depart_on": "2026-12-19"}
    assert wishes_of("a week earlier", TODAY, trip=known).trip == {"depart_on": "2026-12-11"}
    assert wishes_of("back two days later", TODAY, trip=known).trip == {"return_on": "2026-12-20"}
    both = {**known, "return_on": "2026-12-22"}
    assert wishes_of("come back a day later", TODAY, trip=both).trip == {"return_on": "2026-12-23"}
    assert wishes_of("and return two days earlier", TODAY, trip=both).trip == {"return_on": "2026-12-20"}
    assert wishes_of("24 December", TODAY, trip=known).trip == {"return_on": "2026-12-24"}
    assert wishes_of("sorry, 24 December", TODAY, trip=known).trip == {"depart_on": "2026-12-24"}
    assert wishes_of("24 December", TODAY, trip={**known, "one_way": True}).trip == {
        "depart_on": "2026-12-24"
    }
    assert wishes_of("on 24 December", TODAY, trip=known).trip == {"depart_on": "2026-12-24"}


@pytest.mark.parametrize(
    ("text", "place"),
    [("berlin", "berlin"), ("New York City, please.", "New York City"), ("Hello", None), ("thank you", None),
     ("yes", None), ("good morning", None), ("asdf, qwer", None), ("what can you do?", None),
     ("my booking", None), ("visa", None), ("too expensive", None)],
)  # fmt: skip
def test_a_name_by_itself_answers_the_question_where(text: str, place: str | None) -> None:
    asked = {"destination": "LIS"}
    assert wishes_of(text, TODAY, trip=asked).trip == ({"origin": place} if place else {})


def test_another_s_passport_comes_beside_those_that_are_known() -> None:
    known = {"passports": ["DE"]}
    assert wishes_of("and my friend is Indian", TODAY, trip=known).trip == {"passports": ["DE", "IN"]}
    assert wishes_of("Indian passports", TODAY, trip=known).trip == {"passports": ["IN"]}


@pytest.mark.parametrize(
    ("text", "foreign"),
    [
        ("Ich möchte von Berlin nach Lissabon", True),
        ("Je voudrais aller à Rome", True),
        ("Хочу в Лиссабон", True),
        ("???", True),
        ("I'd like to fly from Berlin to Lisbon, no favor needed, a lot of us till Friday", False),
        ("São Paulo to Zürich", False),
        ("500", False),
        ("", False),
    ],
)
def test_what_is_in_another_language(text: str, foreign: bool) -> None:
    assert wishes_of(text, TODAY).foreign is foreign


@pytest.mark.parametrize(
    "text", ["yes", "Yes please!", "ok, book it", "sounds good", "go ahead", "Hold it for us"]
)
def test_a_yes_and_nothing_else(text: str) -> None:
    assert says_yes(text)


@pytest.mark.parametrize("text", ["yes, but a day later", "no", "book a hotel", "", "it", "ok " * 2_000])
def test_no_yes(text: str) -> None:
    assert not says_yes(text)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("budget 900 EUR", "US dollars"),
        ("€900", "US dollars"),
        ("$300 or $400", "more than one amount"),
        ("$300 each", "whole trip"),
        ("with 2 kids and my wife", "children included"),
        ("on 05/06/2027", "YYYY-MM-DD"),
    ],
)
def test_what_is_not_certain_is_asked(text: str, asked: str) -> None:
    wishes = wishes_of(text, TODAY)
    assert asked in (wishes.unclear or "")
    assert not {"budget_usd", "travellers"} & wishes.trip.keys()


@pytest.mark.parametrize(
    "text", ["Please release it", "cancel my hold", "let it go", "I don't need it any more"]
)
def test_words_that_let_a_hold_go(text: str) -> None:
    assert lets_go(text)


@pytest.mark.parametrize(
    "text",
    [
        "Don't release it",
        "How do I cancel?",
        "What happens if I cancel?",
        "Can I cancel later?",
        "hold it",
        "never cancel",
    ],
)
def test_words_that_don_t(text: str) -> None:
    assert not lets_go(text)


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    wishes_of(text, TODAY, trip={"depart_on": "2026-12-18"})


@pytest.mark.parametrize(
    "text", ["from " * 2_000, "a b " * 2_000, "1 " * 4_000, "from a to " * 900, "$1," * 2_000, "\n" * 4_000]
)
def test_long_texts_take_no_longer(text: str) -> None:
    """A run in a server has the event loop to itself for as long as this takes."""
    begun = process_time()
    wishes_of(text, TODAY)
    assert process_time() - begun < 1
