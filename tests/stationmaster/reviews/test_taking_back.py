"""An answer that may still be taken back is not told to anybody; one that was taken back never is."""

from datetime import timedelta
from typing import Any

from psycopg.types.json import Jsonb

from stationmaster.reviews import decide
from stationmaster.reviews.database import Pool
from stationmaster.reviews.model import Review
from stationmaster.reviews.outbox import queue
from stationmaster.reviews.outbox.queue import Receiver
from stationmaster.reviews.trail import leave
from tests.stationmaster.reviews.engine import ANN, GROUP, answer
from tests.stationmaster.reviews.rows import insert

HEARS: dict[Any, Receiver] = {
    "event": Receiver(None, "a" * 64, "a service"), "notice": Receiver("ops", "b" * 64, "ops"),
}  # fmt: skip


async def told(pool: Pool) -> list[str]:
    """The kinds of what goes out now, first events, then notices."""
    kinds: list[str] = []
    for medium, receiver in HEARS.items():
        async with pool.connection() as conn:
            await queue.spread(conn, medium, [receiver])
            kinds += [found.kind for found in await _claimed(conn, medium)]
    return kinds


async def _claimed(conn: Any, medium: Any) -> list[queue.Dispatch]:
    return await queue.claim(conn, medium, limit=10, lease=timedelta(minutes=1))


async def answered(pool: Pool, undo_s: float) -> Review:
    async with pool.connection() as conn:
        policy = Jsonb({"notify": {"resolution": ["ops"]}})
        review = await insert(conn, shape="plain", groups=[GROUP], policy=policy)
    return await decide.decide(pool, review.id, ANN, answer(1), undo_s=undo_s)


async def window_over(pool: Pool) -> None:
    async with pool.connection() as conn:
        await conn.execute("UPDATE reviews.outbox SET not_before = now()")


async def test_an_answer_is_told_when_it_can_not_be_taken_back_any_more(pool: Pool) -> None:
    await answered(pool, 60)
    assert await told(pool) == []
    await window_over(pool)
    assert await told(pool) == ["review.decided", "resolution"]


async def test_without_a_window_it_is_told_at_once(pool: Pool) -> None:
    await answered(pool, 0)
    assert await told(pool) == ["review.decided", "resolution"]


async def test_what_was_taken_back_is_never_told(pool: Pool) -> None:
    review = await answered(pool, 60)
    await decide.undo(pool, review.id, ANN)
    await window_over(pool)
    assert await told(pool) == []
    await decide.decide(pool, review.id, ANN, answer(2), undo_s=0)
    assert await told(pool) == ["review.decided", "resolution"]


async def test_taken_back_in_the_moment_it_was_told_it_is_told_to_be_open_again(pool: Pool) -> None:
    review = await answered(pool, 60)
    await window_over(pool)
    assert "review.decided" in await told(pool)
    await decide.undo(pool, review.id, ANN)
    assert await told(pool) == ["review.opened"]


async def test_an_answer_that_never_left_is_not_told_after_the_end(pool: Pool) -> None:
    review = await answered(pool, 60)
    async with pool.connection() as conn:
        await conn.execute(
            "UPDATE reviews.reviews SET state = 'superseded', closed_at = now() WHERE id = %s", (review.id,)
        )
        await leave(conn, review, "superseded")
    await window_over(pool)
    assert await told(pool) == ["review.closed", "resolution"]
