"""A thread whose run failed after its answer: continued by an operator, once, where state says it is safe."""

import asyncio

import pytest

from stationmaster.reviews import audit
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.carrying import stamp
from stationmaster.reviews.continuing import continue_thread
from stationmaster.reviews.errors import Forbidden, NotFound
from stationmaster.reviews.model import Review, ThreadSnapshot
from stationmaster.reviews.settling import NothingToSettle
from tests.stationmaster.reviews.engine import ANN, Asking, answer, person

LEA = person("lea", "lead")


async def failed(asking: Asking, where: str, fails: int = 1) -> Review:
    """A review whose answer was taken by a run that then failed."""
    await asking.ask("failing", question="Print it?", fails=fails, where=where)
    (review,) = await asking.opened()
    await asking.decide(review, answer("yes"))
    (review,) = await asking.settle()
    assert (review.state, review.run_status) == ("failed", "error") and review.consumed_at is not None
    return review


async def press(
    asking: Asking, review: Review, who: Identity = LEA, note: str = "refilled the paper"
) -> Review:
    return await continue_thread(asking.desk.pool, asking.desk.server, review.id, who, note)


@pytest.mark.parametrize("where", ["ask", "act"])
async def test_its_failed_node_runs_again_with_the_answer_that_it_has(asking: Asking, where: str) -> None:
    """In the node that asked the answer is not asked for again, in a later one the earlier nodes don't run again."""
    review = await failed(asking, where)
    assert asking.done() == [("failed", None)]
    after = await press(asking, review)
    assert (after.state, after.error, after.closed_at, after.needs_person) == ("consumed", None, None, False)
    assert after.resume_run_id != review.resume_run_id
    (after,) = await asking.settle()
    assert (after.state, after.run_status, after.answer) == ("finished", "success", "yes")
    assert asking.done() == [("failed", None), ("answered", "yes")]
    async with asking.desk.pool.connection() as conn:
        entries = await audit.history(conn, review.id)
    told = [(entry.actor, entry.detail) for entry in entries if entry.action == "continued"]
    assert [(actor, detail["why"]) for actor, detail in told] == [("lea", "refilled the paper")]


async def test_it_may_fail_again_and_be_continued_again(asking: Asking) -> None:
    review = await failed(asking, "act", fails=3)
    for _ in range(2):
        await press(asking, review)
        (review,) = await asking.settle()
        assert (review.state, review.run_status) == ("failed", "error")
    await press(asking, review)
    (review,) = await asking.settle()
    assert review.state == "finished"
    assert asking.done() == [("failed", None)] * 3 + [("answered", "yes")]


async def test_twenty_presses_are_one_run(asking: Asking) -> None:
    review = await failed(asking, "act")
    presses = await asyncio.gather(*(press(asking, review) for _ in range(20)), return_exceptions=True)
    assert [isinstance(press, NothingToSettle) for press in presses].count(False) == 1
    (after,) = await asking.settle()
    assert after.state == "finished"
    assert asking.done() == [("failed", None), ("answered", "yes")]


async def test_a_press_that_died_after_it_started_the_run_is_found(asking: Asking) -> None:
    """The run carries the review's id: the next press follows it and starts none."""
    review = await failed(asking, "act", fails=2)
    seen = await asking.desk.server.read(asking.thread_id)
    assert isinstance(seen, ThreadSnapshot)
    lost = await asking.desk.server.continue_(asking.thread_id, "failing", stamp=stamp(review, seen))
    await asking.desk.server.join(asking.thread_id, lost, 20)
    after = await press(asking, review)
    assert after.resume_run_id == lost
    (after,) = await asking.settle()
    assert (after.state, asking.done()) == ("failed", [("failed", None)] * 2)


async def test_not_where_something_else_has_moved_the_thread(asking: Asking) -> None:
    review = await failed(asking, "act", fails=2)
    await asking.run("failing", input=None)  # somebody else has tried
    with pytest.raises(NothingToSettle, match="another run has moved it since"):
        await press(asking, review)
    assert asking.done() == [("failed", None)] * 2


async def test_not_where_the_state_was_changed_since(asking: Asking) -> None:
    review = await failed(asking, "act")
    await asking.desk.server.update_state(asking.thread_id, {"answer": "no"}, as_node="ask")
    with pytest.raises(NothingToSettle, match="state was changed since"):
        await press(asking, review)
    assert (await asking.review()).state == "failed"


async def test_not_a_thread_that_is_gone_nor_one_that_waits(asking: Asking) -> None:
    review = await failed(asking, "act")
    await asking.desk.server.client.threads.delete(asking.thread_id)
    with pytest.raises(NothingToSettle, match="no longer there"):
        await press(asking, review)
    await asking.ask("plain", question="And this?")
    (waiting,) = await asking.opened()
    with pytest.raises(NothingToSettle, match="failed after it took the answer"):
        await press(asking, waiting)


async def test_only_a_lead_of_its_group(asking: Asking) -> None:
    review = await failed(asking, "act")
    with pytest.raises(Forbidden):
        await press(asking, review, ANN)
    with pytest.raises(NotFound):
        await press(asking, review, person("otto", "lead", groups=("other",)))
    assert asking.done() == [("failed", None)]
