"""What came of an answer: what its run added and changed, whatever was there before and came later."""

from typing import Any

from stationmaster.reviews.results import Result, between, has_result, result_of
from tests.stationmaster.reviews.engine import Asking, answer


def said(text: str, message_id: str | None = None) -> dict[str, Any]:
    return {"type": "ai", "content": text, "id": message_id}


def test_messages_are_told_apart_by_id_and_without_one_by_place() -> None:
    before = {"messages": [said("hello", "1"), said("and")]}
    after = {"messages": [said("shortened", "1"), said("and"), said("bye", "2"), said("end")]}
    assert between(before, after).messages == (said("bye", "2"), said("end"))
    assert between(after, after) == Result()
    assert between(None, after).messages == tuple(after["messages"])


def test_what_changed_is_as_it_was_at_the_end() -> None:
    before = {"amount_usd": 5.0, "draft": "x", "kept": [1], "gone": 1}
    after = {"amount_usd": 5.0, "draft": None, "kept": [1, 2], "new": True}
    assert between(before, after).changed == {"draft": None, "kept": [1, 2], "new": True}


def test_states_of_other_kinds_say_nothing() -> None:
    assert between(None, None) == between([1], "text") == Result()
    assert between({"messages": "none"}, {"messages": ["not a message"]}) == Result()


async def test_each_answer_has_its_own_result_when_the_thread_goes_on(asking: Asking) -> None:
    server = asking.desk.server
    await asking.ask("plain", question="First?")
    (first,) = await asking.opened()
    assert not has_result(first)
    assert await result_of(server, first) == Result()
    await asking.decide(first, answer("one"))
    await asking.settle()
    await asking.run("plain", input={"key": asking.key, "question": "Second?"})
    (second,) = await asking.opened()
    await asking.decide(second, answer("two"))
    done = await asking.settle()
    assert [has_result(review) for review in done] == [True, True]
    results = [await result_of(server, review) for review in done]
    assert results == [Result(changed={"answer": "one"}), Result(changed={"answer": "two"})]


async def test_a_thread_that_is_gone_has_none(asking: Asking) -> None:
    await asking.ask("plain", question="q")
    (review,) = await asking.opened()
    await asking.decide(review, answer("yes"))
    (done,) = await asking.settle()
    await asking.desk.server.client.threads.delete(done.thread_id)
    assert await result_of(asking.desk.server, done) == Result()
