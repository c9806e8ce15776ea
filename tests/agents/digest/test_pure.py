"""Slots, the first sentence, and the text: without a database."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.digest.graph import READERS, builder, graph
from agents.digest.markdown import money
from agents.digest.prompts import headline_prompt
from agents.digest.report import PARTS, change
from agents.digest.rules import answer, headline
from agents.digest.slots import Span, slot_before, slot_of, spans_of
from agents.digest.wording import objection
from agents.shared.offline import Request
from agents.shared.plain import plain

LONDON = ZoneInfo("Europe/London")
SEVEN = time(7)
SPANS: tuple[Span, ...] = ("hour", "day", "week")


@pytest.mark.parametrize(
    ("now", "span", "slot"),
    [
        ("2026-03-11T07:00:00+00:00", "day", "2026-03-11T07:00:00+00:00"),
        ("2026-03-11T06:59:59+00:00", "day", "2026-03-10T07:00:00+00:00"),
        ("2026-07-01T06:00:00+00:00", "day", "2026-07-01T06:00:00+00:00"),  # summer time
        ("2026-03-11T12:00:00+00:00", "week", "2026-03-09T07:00:00+00:00"),
        ("2026-03-09T06:00:00+00:00", "week", "2026-03-02T07:00:00+00:00"),
        ("2026-03-11T12:59:59+00:00", "hour", "2026-03-11T12:00:00+00:00"),
    ],
)
def test_slots(now: str, span: Span, slot: str) -> None:
    assert slot_of(datetime.fromisoformat(now), span, LONDON, SEVEN).isoformat() == slot


def test_a_day_on_which_clocks_change_has_its_own_length() -> None:
    spring = datetime(2026, 3, 29, 12, tzinfo=UTC)
    slot = slot_of(spring, "day", LONDON, SEVEN)
    assert slot - slot_before(slot, "day", LONDON, SEVEN) == timedelta(hours=23)


MOMENTS = st.integers(0, 20 * 365 * 86_400).map(
    lambda s: datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=s)
)


@given(
    MOMENTS,
    st.sampled_from(SPANS),
    st.sampled_from(["Europe/London", "Asia/Kolkata", "America/New_York", "UTC"]),
)
def test_slots_follow_one_another_without_gap(moment: datetime, span: Span, zone: str) -> None:
    where = ZoneInfo(zone)
    slot = slot_of(moment, span, where, SEVEN)
    assert slot <= moment
    assert slot_of(slot, span, where, SEVEN) == slot
    before = slot_before(slot, span, where, SEVEN)
    assert before < slot
    assert slot_of(slot - timedelta(microseconds=1), span, where, SEVEN) == before
    since, compared = spans_of(slot, None, span, where, SEVEN)
    assert (since, since - compared) == (before, slot - since)


def quiet(**figures: object) -> dict[str, object]:
    return {"quiet": False, "missing": [], **figures}


def test_the_written_headline_says_what_needs_a_person_first() -> None:
    figures = quiet(reviews={"now": {"waiting": 2}}, refunds={"now": {"refunds": 1, "usd": 5.0}})
    assert headline(figures) == "2 reviews wait for a person. 1 refund was made ($5.00)."
    assert headline(quiet(reviews={"now": {"waiting": 0}})) == "Nothing new happened since last time."
    assert headline({"quiet": False, "missing": ["x"]}).endswith("Not everything could be read.")


def test_the_rules_read_the_prompts_facts_and_know_no_other_task() -> None:
    prompt = headline_prompt("You write.", quiet(runs={"now": {"failed": 3}}))
    assert answer(Request([], system=prompt.text)).text == "3 runs failed."
    with pytest.raises(ValueError, match="know no task 'poem'"):
        answer(Request([], system="Task: poem"))


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("2 reviews wait, $1,234.50 went back.", None),
        ("Three reviews wait.", None),
        ("7 reviews wait.", "it names 7, which is not among the figures"),
        ("", "it is empty"),
        ("x" * 601, "it is longer than 600 characters"),
    ],
)
def test_a_sentence_may_name_no_number_of_its_own(sentence: str, wrong: str | None) -> None:
    figures = {"reviews": {"waiting": 2}, "refunds": {"usd": 1234.5}}
    assert objection(sentence, figures) == wrong


def test_words() -> None:
    assert [money(usd) for usd in (0, 0.0000123, 0.01, 1234.5)] == [
        "$0.00",
        "$0.000012",
        "$0.01",
        "$1,234.50",
    ]
    assert plain("a" * 100) == "a" * 79 + "…"
    assert plain("customer_id _so_ a__b _") == r"customer_id \_so\_ a\_\_b \_"
    assert change({"a": 1, "b": 2.5}, {"a": 3}) == {"a": -2, "b": 2.5}


def test_the_graph_reads_every_part_and_names_its_effects() -> None:
    assert tuple(READERS) == PARTS
    effects = {name for name, spec in builder.nodes.items() if (spec.metadata or {}).get("effect")}
    assert effects == {"keep", "send"}
    assert set(graph.get_input_jsonschema()["properties"]) == {"slot"}
