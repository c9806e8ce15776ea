"""Messages that nobody accepted, and what became of the loops: for programs, as the operators' page has it."""

from stationmaster.reviews.database import Pool
from stationmaster.reviews.outbox import queue
from stationmaster.reviews.outbox.queue import Receiver
from tests.stationmaster.console.serving import open_review, somebody

DEAD = "UPDATE reviews.dispatches SET state = 'dead', tries = 9, last_error = 'answered 410: gone' WHERE true"
WHERE = "/api/v1/operations/messages"


async def dead_message(pool: Pool) -> str:
    """An event about a review of group `money` that its receiver refused for good; the review's id."""
    review = await open_review(pool)
    async with pool.connection() as conn:
        await queue.put(conn, "event", "review.opened", review, None, "{}")
        await queue.spread(
            conn, "event", [Receiver(None, queue.key_of("event", "url"), "https://team.example")]
        )
        await conn.execute(DEAD)
    return review


async def test_a_dead_message_is_listed_and_tried_again_once(pool: Pool, console: str) -> None:
    review = await dead_message(pool)
    async with await somebody(pool, console, "lea", role="lead") as lea:
        (found,) = (await lea.get(WHERE)).json()
        assert (found["review_id"], found["state"], found["shown"]) == (
            review,
            "dead",
            "https://team.example",
        )
        named = {"message_id": found["message_id"], "receiver": found["receiver"]}
        again = await lea.post(f"{WHERE}/replay", json=named)
        assert (again.status_code, again.json()["state"]) == (200, "waiting")
        late = await lea.post(f"{WHERE}/replay", json=named)
        assert (late.status_code, late.json()["code"]) == (409, "nothing_to_replay")
        history = (await lea.get(f"/api/v1/reviews/{review}/history")).json()
    assert [(entry["actor"], entry["action"]) for entry in history][-1] == ("lea", "replayed")


async def test_another_groups_messages_are_not_there(pool: Pool, console: str) -> None:
    await dead_message(pool)
    async with (
        await somebody(pool, console, "lea", role="lead") as ours,
        await somebody(pool, console, "ben", role="lead", groups=("other",)) as theirs,
    ):
        (found,) = (await ours.get(WHERE)).json()
        assert (await theirs.get(WHERE)).json() == []
        named = {"message_id": found["message_id"], "receiver": found["receiver"]}
        assert (await theirs.post(f"{WHERE}/replay", json=named)).status_code == 409
        assert (await ours.get(WHERE)).json() == [found]


async def test_loops_that_never_failed_are_none(pool: Pool, console: str) -> None:
    async with await somebody(pool, console, "lea", role="lead") as lea:
        assert (await lea.get("/api/v1/operations/loops")).json() == {"ended": False, "troubles": []}
