"""The reducers in which parallel branches meet: whatever the order and whatever is repeated, the end is the same."""

import asyncio
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.errors import InvalidUpdateError
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from agents.shared.notes import LONGEST_NOTE, MAX_NOTES, add_notes
from agents.shared.retrieval import found_of, keep_once
from agents.shared.retrieval.fusion import Rankings, add_rankings, by_reciprocal_rank
from agents.shared.retrieval.graph import builder
from agents.shared.retrieval.passages import SOURCES, Found, Hit, Passage, content_hash, passage_of
from agents.shared.retrieval.state import both

TEXTS = [
    "Tulips bloom in April.",
    "tulips  bloom in april.",
    "Asters bloom late.",
    "Roses want sun.",
    "x" * 3_000,
]
hits = st.builds(
    Hit, st.sampled_from(["A", "B", ""]), st.sampled_from(["a.md", "b.md"]), st.sampled_from(TEXTS)
)
passages = st.builds(passage_of, st.sampled_from(SOURCES), hits)
founds = st.lists(passages, max_size=6).map(found_of)
lists = st.lists(st.sampled_from("abcdef"), max_size=6)
rankings = st.dictionaries(st.sampled_from(["web|q", "folder|q", "web|r"]), lists, max_size=3)
names = st.lists(st.sampled_from(SOURCES), max_size=4)


@given(founds, founds, founds)
def test_passages_are_kept_once_in_any_order(left: Found, middle: Found, right: Found) -> None:
    assert keep_once(keep_once(left, middle), right) == keep_once(left, keep_once(middle, right))
    assert keep_once(left, middle) == keep_once(middle, left)
    assert keep_once(left, left) == left == keep_once(left, {}) == keep_once(None, left)


@given(founds, founds)
def test_nothing_that_was_found_is_lost_and_nothing_altered(left: Found, right: Found) -> None:
    before = [repr(left), repr(right)]
    merged = keep_once(left, right)
    assert merged.keys() == left.keys() | right.keys()
    for side in (left, right):
        for passage_id, passage in side.items():
            assert all(place in merged[passage_id]["places"] for place in passage["places"])
    assert [repr(left), repr(right)] == before


def test_the_hash_is_of_what_is_said() -> None:
    assert content_hash("Two  words\n") == content_hash("two words") != content_hash("twowords")
    long = passage_of("web", Hit("t", "https://a.example/", "word \ud83d\0" * 1_000))
    assert len(long["text"]) <= 1_200
    assert "\0" not in long["text"]
    long["text"].encode()


@given(rankings, rankings, rankings)
def test_lists_meet_in_any_order(left: Rankings, middle: Rankings, right: Rankings) -> None:
    assert add_rankings(add_rankings(left, middle), right) == add_rankings(left, add_rankings(middle, right))
    assert add_rankings(left, middle) == add_rankings(middle, left)
    assert add_rankings(left, left) == left == add_rankings(None, left) == add_rankings(left, None)


@given(rankings, st.randoms(use_true_random=False))
def test_the_fused_order_knows_no_order_of_arrival(lists: Rankings, chance: random.Random) -> None:
    shuffled = list(lists.items())
    chance.shuffle(shuffled)
    order = by_reciprocal_rank(dict(shuffled))
    assert order == by_reciprocal_rank(lists)
    assert sorted(order) == sorted({one for ids in lists.values() for one in ids})


@given(st.lists(st.sampled_from("abcdef"), unique=True, min_size=2), rankings, st.data())
def test_to_stand_higher_never_makes_a_passage_worse(
    ids: list[str], others: Rankings, data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, len(ids) - 1))
    lifted = [*ids[: at - 1], ids[at], ids[at - 1], *ids[at + 1 :]]
    place = by_reciprocal_rank({**others, "mine": ids}).index(ids[at])
    assert by_reciprocal_rank({**others, "mine": lifted}).index(ids[at]) <= place


def test_what_two_lists_agree_on_comes_before_what_one_is_sure_of() -> None:
    assert by_reciprocal_rank({"one": ["a", "b"], "two": ["c", "b"]}) == ["b", "a", "c"]
    assert by_reciprocal_rank({"one": ["a", "a", "b"]}) == ["a", "b"]
    assert by_reciprocal_rank({}) == []


@given(names, names, names)
def test_names_of_sources_meet_in_any_order(left: Any, middle: Any, right: Any) -> None:
    assert both(both(left, middle), right) == both(left, both(middle, right))
    assert both(left, middle) == both(middle, left)
    assert both(left, left) == both(None, left)


@given(st.lists(st.text(max_size=5)), st.lists(st.text(max_size=5)), st.lists(st.text(max_size=5)))
def test_notes_are_told_once_and_have_an_end(left: list[str], middle: list[str], right: list[str]) -> None:
    all_of_them = add_notes(add_notes(left, middle), right)
    assert all_of_them == add_notes(left, add_notes(middle, right)) == add_notes(all_of_them, all_of_them)
    assert len(all_of_them) <= MAX_NOTES
    assert len(add_notes([], ["x" * 10_000])[0]) == LONGEST_NOTE


def test_every_key_that_two_branches_write_has_a_reducer() -> None:
    """The keys that each `search_*` writes, all in one super-step."""
    for key in ("found", "rankings", "usage", "degraded", "searches", "searched", "failed"):
        assert type(builder.channels[key]).__name__ == "BinaryOperatorAggregate", key


async def fan_out(annotation: Any) -> Any:
    """Two branches that each bring ten passages into one key, six of them the same."""
    state: Any = TypedDict("state", {"found": annotation})  # type: ignore[misc]

    def branch(first: int) -> Any:
        async def node(_: Any) -> dict[str, Found]:
            await asyncio.sleep(0)
            ten = [
                Hit("t", f"https://{first}.example/", f"passage {number}")
                for number in range(first, first + 10)
            ]
            return {"found": found_of(passage_of("web", hit) for hit in ten)}

        return node

    graph = StateGraph(state)
    for name, first in (("one", 0), ("two", 4)):
        graph.add_node(name, branch(first))
        graph.add_edge(START, name)
        graph.add_edge(name, END)
    return (await graph.compile().ainvoke({"found": {}}))["found"]


async def test_two_branches_of_ten_are_fourteen() -> None:
    found: dict[str, Passage] = await fan_out(builder_annotation())
    assert len(found) == 14
    assert sum(len(passage["places"]) for passage in found.values()) == 20


async def test_without_the_reducer_the_fan_out_breaks() -> None:
    with pytest.raises(InvalidUpdateError):
        await fan_out(Found)


def builder_annotation() -> Any:
    """As the retrieval's own state has it."""
    from typing import get_type_hints

    from agents.shared.retrieval.state import State

    return get_type_hints(State, include_extras=True)["found"]
