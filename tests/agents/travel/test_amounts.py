"""Amounts and sizes as travellers write them: read, or asked about; never taken for something else."""

from datetime import date

import pytest

from agents.travel.noting import require_written
from agents.travel.rules.reading import wishes_of
from tests.agents.travel.agency import Agency, day
from tests.agents.travel.traveller import Traveller

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    "text",
    [
        "From Berlin to Lisbon on {there} for 12 people, German passports.",
        "From Berlin to Lisbon on {there}, German passport, at most $5,000,000.",
        "From Berlin to Lisbon on {there}, German passport, at most $" + "9" * 400,
        "From Berlin to Lisbon on {there}, for 99 people.",
        "From " + "Ab" * 60 + " to Lisbon on {there}.",
        "From Berlin to Lisbon, DE passports: DE, IN, US, GB, FR, IT, ES, PT, CN, JP, AU",
    ],
)
async def test_what_no_tool_takes_is_told_without_its_insides(agency: Agency, text: str) -> None:
    agency.week()
    rosa = Traveller(agency)
    await rosa.say(text.format(there=day(10)))
    reply = await rosa.reply()
    for inside in (
        "note_trip",
        "kwargs",
        "Error",
        "validation",
        "Input should",
        "pydantic",
        "errors.",
        "inf",
    ):
        assert inside not in reply


@pytest.mark.parametrize(
    "text",
    [
        "C$2000", "AU$2000", "HK$ 900", "$2000 CAD", "2000 Canadian dollars", "at most CHF 900", "a budget of EUR 900",
        "$1.500", "1.500 USD", "$1,50", "budget 900 €", "NZ$900 in all", "900 Australian dollars",
    ],
)  # fmt: skip
def test_another_currency_and_an_amount_with_two_readings_are_asked_about(text: str) -> None:
    wishes = wishes_of(f"Berlin to Lisbon, {text}.", TODAY)
    assert "budget_usd" not in wishes.trip
    assert wishes.unclear
    assert "dollars" in wishes.unclear


@pytest.mark.parametrize(
    "text",
    [
        "two thousand dollars",
        "under a thousand dollars",
        "my budget is fifteen hundred",
        "a budget of two grand",
    ],
)
def test_a_budget_in_words_is_asked_for_in_digits(text: str) -> None:
    wishes = wishes_of(f"Berlin to Lisbon, {text}.", TODAY)
    assert "budget_usd" not in wishes.trip
    assert wishes.unclear
    assert "digits" in wishes.unclear


@pytest.mark.parametrize(
    ("text", "usd"),
    [
        ("budget $2k", 2_000), ("at most $1.5k", 1_500), ("at most 2k usd", 2_000), ("USD 900", 900), ("900 $", 900),
        ("my budget is 1500", 1_500), ("a budget of 2,000", 2_000), ("budget: 2000", 2_000), ("US$ 900", 900),
        ("at most 1500 in all", 1_500), ("budget: 2 000 USD", 2_000), ("900 US dollars", 900), ("$900.50", 900.5),
    ],
)  # fmt: skip
def test_a_budget_is_read_however_it_is_written(text: str, usd: float) -> None:
    wishes = wishes_of(f"Berlin to Lisbon, {text}.", TODAY)
    assert (wishes.trip.get("budget_usd"), wishes.unclear) == (usd, None)
    require_written(usd, [text])


@pytest.mark.parametrize(
    "text",
    [
        "within 14 days",
        "at most 3 people",
        "under 500 km",
        "max 120 minutes",
        "on 18 December 2026",
        "LH 400",
    ],
)
def test_a_number_that_counts_something_else_is_no_budget(text: str) -> None:
    wishes = wishes_of(f"Berlin to Lisbon, {text}.", TODAY)
    assert "budget_usd" not in wishes.trip
    assert not wishes.unclear
