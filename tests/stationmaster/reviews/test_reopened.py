"""A question that opened again and is answered anew: the first answer's run is not taken for that of the second."""

from dataclasses import replace
from typing import Any

import pytest

from stationmaster.reviews import audit, store
from stationmaster.reviews.carrying import stamp
from stationmaster.reviews.database import Pool
from stationmaster.reviews.decide import decide
from stationmaster.reviews.deliver import step
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.model import Checkpoint, Gone, Review, RunInfo, Task, ThreadSnapshot
from stationmaster.reviews.observe import Observed, apply, load_known
from stationmaster.reviews.opening import Asker
from tests.stationmaster.reviews.engine import ANN, GROUP, Asking, OneGroup, answer
from tests.stationmaster.reviews.rows import insert
from tests.stationmaster.reviews.test_crash import dies_once, forget_waits

ASKER = Asker("r0", "g", "a", "n", 1)
SENT = "update reviews.reviews set state = 'sent', sent_at = now(), resume_run_id = %s where id = %s"
HELD = "update reviews.reviews set worked_by = 'w', worked_until = now() + interval '15 s' where id = %s"


def snapshot(review: Review, *runs: RunInfo, asked: bool = True, error: str | None = None) -> ThreadSnapshot:
    interrupts = ({"id": review.interrupt_id, "value": review.payload},) if asked else ()
    task = Task("t", "approve", interrupts, error)
    top = Checkpoint(review.checkpoint_id, next=("approve",), source="loop", tasks=(task,))
    return ThreadSnapshot(review.thread_id, "interrupted", top, runs)


async def look(pool: Pool, seen: ThreadSnapshot | Gone) -> Observed:
    async with pool.connection() as conn:
        return await apply(conn, seen, await load_known(conn, seen.thread_id), OneGroup(), ASKER, "sweep")


async def now(pool: Pool, review: Review) -> Review:
    async with pool.connection() as conn:
        found = await store.find(conn, review.id)
    assert found
    return found


async def sent(pool: Pool, review: Review, value: Any, run_id: str | None = None) -> Review:
    """Answered, and marked as sent."""
    await decide(pool, review.id, ANN, answer(value), undo_s=0)
    async with pool.connection() as conn:
        await conn.execute(SENT, (run_id, review.id))
    return await now(pool, review)


async def asked(pool: Pool) -> Review:
    async with pool.connection() as conn:
        return await insert(conn, shape="plain", assistant_id="a", groups=[GROUP])


def carrier(run_id: str, review: Review, seen: ThreadSnapshot, status: str = "success") -> RunInfo:
    ids = frozenset({review.interrupt_id})
    return RunInfo(run_id, status, metadata=stamp(review, seen), has_resume=True, resume_ids=ids)


async def reopened(pool: Pool) -> tuple[Review, RunInfo]:
    """A review whose first answer came to nothing, and the run that carried it."""
    review = await sent(pool, await asked(pool), 1, "R1")
    first = carrier("R1", review, snapshot(review))
    await look(pool, snapshot(review, first))
    review = await now(pool, review)
    assert (review.state, review.answer) == ("open", None)
    return review, first


@pytest.mark.parametrize("in_hand", [True, False])
async def test_the_second_answer_stays_while_its_request_is_under_way(pool: Pool, in_hand: bool) -> None:
    review, first = await reopened(pool)
    second = await sent(pool, review, 2)
    if in_hand:
        async with pool.connection() as conn:
            await conn.execute(HELD, [review.id])
    assert not (await look(pool, snapshot(review, first))).changed
    assert ((after := await now(pool, review)).state, after.answer) == ("sent", 2)
    mine = carrier("R2", second, snapshot(review, first))
    await look(pool, snapshot(review, mine, first, asked=False))
    after = await now(pool, review)
    assert (after.state, after.answer, after.resume_run_id, after.needs_person) == (
        "finished",
        2,
        "R2",
        False,
    )


async def test_on_a_served_thread(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first answer's run was cancelled before it began; the worker that sent the second died before its request."""
    await asking.ask("plain", question="q")
    (review,) = await asking.opened()
    review = await sent(asking.desk.pool, review, 1)
    seen = await asking.desk.server.read(asking.thread_id)
    assert isinstance(seen, ThreadSnapshot)
    # An unknown interrupt's answer leaves the question as it is: as a run that was cancelled in time does.
    run_id = await asking.desk.server.resume(
        asking.thread_id, "plain", {"0" * 32: 1}, stamp=stamp(review, seen)
    )
    await asking.desk.server.join(asking.thread_id, run_id, 20)
    await asking.look()
    (again,) = await asking.reviews()
    assert (again.state, again.answer) == ("open", None)
    calls = dies_once(monkeypatch, "resume")
    await asking.decide(again, answer("second"))
    with pytest.raises(Exception, match="resume"):
        await asking.settle()
    await forget_waits(asking)
    assert (await asking.review()).answer == "second"
    (done,) = await asking.settle()
    assert (done.state, done.answer, len(calls)) == ("finished", "second", 2)
    assert asking.done() == [("answered", "second")]


async def test_a_run_that_the_review_no_longer_waits_for_is_said(
    asking: Asking, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever took the answer back while its request was under way: the audit names the run that carries it."""
    await asking.ask("plain", question="q")
    (review,) = await asking.opened()
    await asking.decide(review, answer(1))
    real = desk.server.resume

    async def overtaken(*args: Any, **options: Any) -> str:
        run_id = await real(*args, **options)
        async with desk.pool.connection() as conn:
            await conn.execute(
                "update reviews.reviews set state = 'withdrawn', closed_at = now() where id = %s", [review.id]
            )
        return run_id

    monkeypatch.setattr(desk.server, "resume", overtaken)
    async with desk.pool.connection() as conn:
        await conn.execute(
            "update reviews.reviews set worked_by = 'test', worked_until = now() + interval '1 min'"
        )
    await step(desk, review.id)
    async with desk.pool.connection() as conn:
        told = [entry.detail for entry in await audit.history(conn, review.id) if entry.action == "settled"]
    assert [(detail["answer"], "had changed meanwhile" in detail["why"]) for detail in told] == [(1, True)]


@pytest.mark.parametrize("error", ["ValueError('bad \0 byte')", "x \ud800", "long " * 10_000])
async def test_what_a_node_raised_is_kept_whatever_it_holds(pool: Pool, error: str) -> None:
    review = await sent(pool, await asked(pool), 1, "R1")
    run = replace(carrier("R1", review, snapshot(review)), status="error")
    seen = await look(pool, snapshot(review, run, error=error))
    assert seen.moved == ((review.id, "failed"),) and not seen.refused
    kept = (await now(pool, review)).error
    assert kept and len(kept) <= 4_000 and kept[:2] == error[:2]


async def test_a_change_that_the_database_refuses_holds_up_no_other(pool: Pool) -> None:
    """Two questions at once, one of a node whose name no text column takes."""
    review = await asked(pool)
    bad = Task("t2", "no\0de", ({"id": "1" * 32, "value": 1},))
    good = Task("t3", "fine", ({"id": "2" * 32, "value": 2},))
    seen = snapshot(review)
    top = replace(seen.checkpoint, tasks=(bad, *seen.checkpoint.tasks, good))
    found = await look(pool, replace(seen, checkpoint=top, runs=(RunInfo("R0", "success"),)))
    assert (len(found.opened), found.refused) == (1, ("1" * 32,))
    async with pool.connection() as conn:
        nodes = [review.node for review in await store.of_thread(conn, review.thread_id)]
    assert sorted(filter(None, nodes)) == ["approve", "fine"]
