"""The tables of the offline rules: every word in them can be found in a message, and none is misread."""

from collections import Counter

import pytest

from agents.support.rules.reasons import TABLE
from agents.support.rules.signals import signals
from agents.support.rules.spelling import concept_of, distance, respell
from agents.support.rules.text import read
from agents.support.rules.vocabulary import CONCEPTS, EVERYDAY

PATTERNS = sorted({signal.pattern for signal in signals()} | {pattern for _, pattern in TABLE})
NEGATED = "NO_"


def words_of(pattern: str) -> list[str]:
    return [word for part in pattern.split() if part[0] not in ".^$" for word in part.split("|")]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_can_match(pattern: str) -> None:
    """A plain word that belongs to a concept, or that is respelled, never reaches the patterns as it is written."""
    for word in words_of(pattern):
        if word.isupper():
            assert word.removeprefix(NEGATED) in CONCEPTS
        else:
            assert word not in concept_of()
            assert word in read(word).words.split()


def test_a_word_belongs_to_one_concept() -> None:
    forms = Counter(form for row in CONCEPTS.values() for form in row.split())
    assert [form for form, times in forms.items() if times > 1] == []
    assert forms.keys() & set(EVERYDAY.split()) == set()


@pytest.mark.parametrize(
    "word", ["chance", "older", "refuse", "police", "contract", "repair", "cancer", "reply", "hold"]
)
def test_look_alikes_stay_what_they_are(word: str) -> None:
    assert respell(word) == word


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("reinburse", "reimburse"),
        ("roder", "order"),
        ("adress", "address"),
        ("iwant", "i want"),
        ("teh", "the"),
    ],
)
def test_slips_are_mended(typed: str, meant: str) -> None:
    assert respell(typed) == meant


def test_distance_counts_slips() -> None:
    assert [distance("order", word) for word in ("order", "oder", "oredr", "ordre", "xrdex")] == [
        0,
        1,
        1,
        1,
        2,
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I don't want a refund",
        "no refund needed",
        "I did not ask for a refund",
        "an apology instead of a refund",
        "no need to refund me",
    ],
)
def test_what_is_not_wanted_is_crossed_out(text: str) -> None:
    assert " NO_REFUND " in read(text).concepts


@pytest.mark.parametrize(
    "text",
    [
        "I don't want the lamp, refund me",
        "I did not get my refund",
        "It does not work. Refund me",
        "I do not know how to get a refund",
    ],
)
def test_a_no_to_something_else_crosses_nothing_out(text: str) -> None:
    assert " REFUND " in read(text).concepts
