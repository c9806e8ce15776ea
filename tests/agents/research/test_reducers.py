"""The reducers of the state: the window, the events, the trail."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage

from agents.research.reducers import (
    WINDOW,
    Event,
    Standing,
    Step,
    add_counts,
    append_only,
    conversation,
    note_events,
    sliding_window,
)

events = st.builds(
    Event,
    sub_id=st.sampled_from(["1.1", "1.2"]),
    question=st.sampled_from(["a", "b"]),
    status=st.sampled_from(["planned", "skipped", "failed", "nothing", "found"]),
    passages=st.integers(0, 2),
    searched=st.integers(0, 2),
)
steps = st.lists(
    st.builds(Step, turn=st.integers(1, 2), node=st.sampled_from("ab"), did=st.sampled_from("xy"))
)
numbers = st.integers(0, 40)


def talk(first: int, count: int) -> Any:
    return [
        (HumanMessage if number % 2 else AIMessage)(str(number), id=str(number))
        for number in range(first, first + count)
    ]


@given(numbers, numbers, numbers)
def test_the_window_keeps_the_newest_and_the_system_message(before: int, more: int, last: int) -> None:
    system = SystemMessage("brief", id="brief")
    all_of_them = [system, *talk(0, before + more + last)]
    window = sliding_window(
        sliding_window([system, *talk(0, before)], talk(before, more)), talk(before + more, last)
    )
    assert window == sliding_window([], all_of_them)
    assert window[0] == system
    assert window[1:] == all_of_them[1:][-WINDOW:]


@given(numbers, numbers, st.booleans())
def test_the_conversation_is_the_window_without_the_system_message(
    before: int, more: int, briefed: bool
) -> None:
    """What is kept, and what a model is told of it: the same talk, with the system message put before it."""
    system = SystemMessage("brief", id="brief")
    first: Any = [*[system] * briefed, *talk(0, before)]
    kept: Any = conversation(conversation(None, first), talk(before, more))
    assert kept == sliding_window([system, *talk(0, before)], talk(before, more))[1:]
    assert sliding_window([system], kept) == [system, *talk(0, before + more)[-WINDOW:]]


def test_a_known_message_is_replaced_and_a_removed_one_gone() -> None:
    window = sliding_window(
        [SystemMessage("old", id="brief"), *talk(0, 3)], [SystemMessage("new", id="brief")]
    )
    assert [message.text for message in window] == ["new", "0", "1", "2"]
    assert [m.text for m in sliding_window(window, [RemoveMessage(id="1")])] == ["new", "0", "2"]
    assert [m.text for m in sliding_window(window, [SystemMessage("second")])] == ["new", "0", "1", "2"]
    assert sliding_window(None, []) == []


@given(st.lists(events, max_size=8), st.randoms(use_true_random=False))
def test_events_come_to_the_same_in_any_order_and_however_often(happened: list[Event], chance: Any) -> None:
    shuffled = [*happened, *happened[:3]]
    chance.shuffle(shuffled)
    one_by_one: dict[str, Standing] = {}
    for event in shuffled:
        one_by_one = note_events(one_by_one, event)
    assert (
        one_by_one == note_events(None, happened) == note_events(note_events({}, happened[:2]), happened[2:])
    )


@given(events, events)
def test_an_event_alters_nothing_that_was_there(first: Event, second: Event) -> None:
    before = note_events({}, first)
    kept = dict(before)
    note_events(before, second)
    assert before == kept


def test_what_was_searched_again_counts() -> None:
    planned: dict[str, Any] = {
        "sub_id": "1.1",
        "question": "q",
        "status": "planned",
        "passages": 0,
        "searched": 0,
    }
    nothing: Any = {**planned, "status": "nothing", "searched": 1}
    better: Any = {**planned, "status": "found", "passages": 3, "searched": 2}
    first: Any = planned
    found = note_events({}, [first, nothing])
    assert found["1.1"]["status"] == "nothing"
    again = note_events(found, better)
    assert note_events(again, first) == again
    assert (again["1.1"]["status"], again["1.1"]["passages"]) == ("found", 3)


counts = st.dictionaries(st.sampled_from("abc"), st.integers(-9, 9))


@given(counts, counts, counts)
def test_counts_are_summed_in_any_order(left: Any, middle: Any, right: Any) -> None:
    assert add_counts(add_counts(left, middle), right) == add_counts(left, add_counts(middle, right))
    assert add_counts(left, middle) == add_counts(middle, left)
    assert add_counts(None, left) == left == add_counts(left, {})


@given(steps, steps, steps)
def test_the_trail_only_grows(left: list[Step], middle: list[Step], right: list[Step]) -> None:
    trail = append_only(left, middle)
    assert trail[: len(left)] == left
    longer = append_only(trail, right)
    assert longer[: len(trail)] == trail
    assert append_only(None, left) == left


@given(steps, steps)
def test_the_whole_trail_written_back_adds_what_is_new(left: list[Step], new: list[Step]) -> None:
    assert append_only(left, [*left, *new]) == [*left, *new]


@pytest.mark.parametrize("wrong", [None, 7])
def test_what_is_no_event_is_a_bug(wrong: Any) -> None:
    with pytest.raises(TypeError):
        note_events({}, wrong)
