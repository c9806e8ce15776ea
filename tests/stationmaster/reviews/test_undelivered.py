"""An answer that can't be delivered: why is kept beside it, it is tried again less and less often and at last no more,
somebody is told once, and an operator has it tried again, sent with another assistant, or closed."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from stationmaster.reviews import audit, deliver, settling, store
from stationmaster.reviews.agent_server import AgentServer, NeverArrived, ThreadGone
from stationmaster.reviews.database import Pool
from stationmaster.reviews.decide import decide
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.errors import AgentServerUnavailable, AnswerRefused
from stationmaster.reviews.model import Checkpoint, Gone, Review, Task, ThreadSnapshot
from stationmaster.reviews.redirecting import send_with
from stationmaster.reviews.settling import NothingToSettle, settle
from stationmaster.reviews.undelivered import AWAY_PAUSE_S, LONGEST_PAUSE_S
from tests.stationmaster.reviews.engine import ANN, GROUP, OneGroup, answer, person
from tests.stationmaster.reviews.rows import insert

LEA = person("lea", "lead")
AWAY = NeverArrived("no Agent Server answers: start it")
BROKEN = AgentServerUnavailable("the Agent Server answered 500: see its log")
LOST = ThreadGone("its graph is gone: bring it back", 404)


class Failing:
    """An Agent Server at which every look fails as told, or shows the question as still asked."""

    def __init__(self, error: Exception | None) -> None:
        self.error = error
        self.sent: list[str] = []
        self.refuses: Exception | None = None

    async def assistant(self, assistant_id: str) -> dict[str, Any]:
        return {"assistant_id": assistant_id, "graph_id": "support", "name": "support"}

    async def assistant_named(self, given: str) -> dict[str, Any]:
        return await self.assistant("b") if given in ("b", "other") else {}

    async def state_keys(self, assistant_id: str) -> frozenset[str]:
        return frozenset()

    async def takes_conditions(self) -> bool:
        return True

    async def read(self, thread_id: str, run_ids: Iterable[str] = ()) -> ThreadSnapshot | Gone:
        if self.error:
            raise self.error
        asked = {"id": "i", "value": "q"}
        return ThreadSnapshot(thread_id, "idle", Checkpoint("c", tasks=(Task("t", "ask", (asked,)),)))

    async def resume(self, thread_id: str, assistant_id: str, *args: Any, **options: Any) -> str:
        if self.refuses:
            raise self.refuses
        self.sent.append(assistant_id)
        return f"run-{len(self.sent)}"

    async def join(self, thread_id: str, run_id: str, timeout_s: float) -> bool:
        return False


def desk_of(pool: Pool, server: Failing) -> Desk:
    return Desk(pool, cast("AgentServer", server), OneGroup(), "w1")


async def decided(pool: Pool, **columns: Any) -> Review:
    asked: dict[str, Any] = {"interrupt_id": "i", "payload": "q", "checkpoint_id": "c", "node": "ask"}
    async with pool.connection() as conn:
        review = await insert(
            conn, **{**asked, "shape": "plain", "assistant_id": "a", "groups": [GROUP], **columns}
        )
    return await decide(pool, review.id, ANN, answer(1), undo_s=0)


async def now(pool: Pool, review: Review) -> Review:
    async with pool.connection() as conn:
        found = await store.find(conn, review.id)
    assert found is not None
    return found


async def tried(desk: Desk, review: Review) -> Review:
    """After one more try, whenever that was due."""
    await update(desk.pool, review, "next_look_at = now(), worked_until = null")
    for review_id in await deliver.take(desk, 10):
        await deliver.step(desk, review_id)
    return await now(desk.pool, review)


async def update(pool: Pool, review: Review, what: Any) -> None:
    async with pool.connection() as conn:
        await conn.execute(f"update reviews.reviews set {what} where id = '{review.id}'".encode())


async def said(pool: Pool, review: Review) -> list[str]:
    async with pool.connection() as conn:
        return [entry.action for entry in await audit.history(conn, review.id)]


async def told(pool: Pool) -> list[tuple[str, str, str | None]]:
    """Events and messages about failed deliveries: medium, kind, audience."""
    async with pool.connection() as conn:
        rows = await (
            await conn.execute("select medium, kind, audience from reviews.outbox order by 1, 2")
        ).fetchall()
    return [
        (row["medium"], row["kind"], row["audience"])
        for row in rows
        if str(row["kind"]).endswith("undelivered")
    ]


async def stuck(pool: Pool) -> list[str]:
    async with pool.connection() as conn:
        return [review.id for review in await store.stuck(conn, LEA)]


def pause_s(review: Review) -> float:
    assert review.next_try_at is not None
    return round((review.next_try_at - datetime.now(UTC)).total_seconds())


async def test_it_says_why_and_when_it_is_tried_again(pool: Pool) -> None:
    review, desk = await decided(pool), desk_of(pool, Failing(LOST))
    after = await tried(desk, review)
    assert (after.state, after.delivery_error, after.delivery_tries) == ("decided", str(LOST), 1)
    assert (after.answer, after.decided_by, after.gave_up_at) == (1, "ann", None)
    assert await stuck(pool) == [review.id]
    pauses = [pause_s(after), *[pause_s(await tried(desk, review)) for _ in range(11)]]
    assert pauses[:4] == [2, 4, 8, 16] and pauses[-1] == LONGEST_PAUSE_S
    assert await deliver.take(desk, 10) == []


async def test_a_server_that_is_away_is_asked_again_soon_and_for_ever(pool: Pool) -> None:
    """Every answer waits for the same thing, and none of them is given up for it."""
    review, desk = await decided(pool), desk_of(pool, Failing(AWAY))
    assert [pause_s(await tried(desk, review)) for _ in range(8)][-1] == AWAY_PAUSE_S
    await update(pool, review, "failing_since = now() - interval '9 days'")
    after = await tried(desk, review)
    assert after.gave_up_at is None and not after.needs_person and after.delivery_tries == 9


async def test_after_a_day_it_is_tried_no_more_and_kept(pool: Pool) -> None:
    review, desk = await decided(pool), desk_of(pool, Failing(BROKEN))
    await tried(desk, review)
    await update(pool, review, "answering_since = now() - interval '24 hours 1 s'")
    after = await tried(desk, review)
    assert after.gave_up_at and after.needs_person and after.next_try_at is None
    assert (after.state, after.answer, after.decided_by) == ("decided", 1, "ann")
    assert (await tried(desk, review)).delivery_tries == after.delivery_tries == 2
    assert await stuck(pool) == [review.id]
    assert (await said(pool, review))[-1] == "stopped"


@pytest.mark.parametrize(("error", "at_once"), [(LOST, True), (BROKEN, False), (AWAY, False)])
async def test_operators_are_told_once(pool: Pool, error: Exception, at_once: bool) -> None:
    """What may be a restart only after two minutes of it; by an event, and a message to those whom escalations tell."""
    policy = '{"notify": {"opened": ["desk"], "escalation": ["leads"]}}'
    review, desk = await decided(pool, policy=policy), desk_of(pool, Failing(error))
    both = [("event", "review.undelivered", None), ("notice", "undelivered", "leads")]
    await tried(desk, review)
    assert await told(pool) == (both if at_once else [])
    await update(pool, review, "failing_since = now() - interval '121 s'")
    for _ in range(3):
        await tried(desk, review)
    assert await told(pool) == both
    assert (await said(pool, review)).count("undelivered") == 1


async def test_once_it_went_nothing_is_said_of_it_any_more(pool: Pool) -> None:
    server = Failing(BROKEN)
    review, desk = await decided(pool), desk_of(pool, server)
    assert (await tried(desk, review)).delivery_error
    server.error = None
    after = await tried(desk, review)
    assert (after.state, after.delivery_error, after.failing_since, after.next_try_at) == (
        "sent", None, None, None,
    )  # fmt: skip
    assert server.sent == ["a"] and await stuck(pool) == []


async def test_what_this_service_fails_at_itself_is_kept_beside_it(pool: Pool) -> None:
    review, desk = await decided(pool), desk_of(pool, Failing(KeyError("thread_id")))
    with pytest.raises(KeyError):
        await tried(desk, review)
    after = await now(pool, review)
    assert after.delivery_error and "(KeyError): see the console's log" in after.delivery_error
    assert await deliver.take(desk, 10) == []


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_what_is_refused_whatever_the_answer_is_takes_no_answer_away(pool: Pool, status: int) -> None:
    """A key that is wrong, an assistant deleted in this moment: nobody has to answer again."""
    server = Failing(None)
    server.refuses = ThreadGone("refused: see to it", status)
    review, desk = await decided(pool), desk_of(pool, server)
    after = await tried(desk, review)
    assert (after.state, after.answer, after.delivery_error) == ("decided", 1, "refused: see to it")
    server.refuses = None
    assert (await tried(desk, review)).state == "sent" and server.sent == ["a"]


async def test_a_retry_by_hand_has_all_the_time_of_a_new_answer(pool: Pool) -> None:
    server = Failing(BROKEN)
    review, desk = await decided(pool), desk_of(pool, server)
    await tried(desk, review)
    await update(pool, review, "answering_since = now() - interval '2 days'")
    assert (await tried(desk, review)).gave_up_at
    after = await settle(pool, review.id, LEA, "retry", "mended")
    assert after.gave_up_at is None and not after.needs_person and after.delivery_tries == 0
    await tried(desk, review)
    assert (await now(pool, review)).gave_up_at is None
    server.error = None
    assert (await tried(desk, review)).state == "sent" and server.sent == ["a"]
    with pytest.raises(NothingToSettle):
        await settle(pool, review.id, LEA, "retry")


async def test_two_workers_and_an_impatient_operator_send_it_once(pool: Pool) -> None:
    server = Failing(BROKEN)
    review, desk = await decided(pool), desk_of(pool, server)
    await tried(desk, review)
    server.error = None
    other = Desk(pool, desk.server, desk.policies, "w2")
    await update(pool, review, "worked_until = null")
    for _ in range(3):
        if (await now(pool, review)).delivery_error:
            await settle(pool, review.id, LEA, "retry")
        for worker in (desk, other):
            for review_id in await deliver.take(worker, 10):
                await deliver.step(worker, review_id)
    assert server.sent == ["a"]


async def test_it_is_closed_with_a_reason_and_the_answer_stays(pool: Pool) -> None:
    review, desk = await decided(pool), desk_of(pool, Failing(LOST))
    await tried(desk, review)
    with pytest.raises(AnswerRefused):
        await settle(pool, review.id, LEA, "give_up", " ")
    after = await settle(pool, review.id, LEA, "give_up", "refunded by hand")
    assert (after.state, after.note, after.error) == ("failed", "refunded by hand", str(LOST))
    assert (after.answer, after.decided_by, after.sent_at) == (1, "ann", None)
    assert await stuck(pool) == [] and await deliver.take(desk, 10) == []


async def test_what_a_worker_is_sending_is_not_closed(pool: Pool) -> None:
    """Its request may be on the way: closed now, it would happen all the same."""
    review, desk = await decided(pool), desk_of(pool, Failing(BROKEN))
    await tried(desk, review)
    await update(pool, review, "worked_by = 'w2', worked_until = now() + interval '15 s'")
    with pytest.raises(NothingToSettle):
        await settle(pool, review.id, LEA, "give_up", "enough")
    assert (await now(pool, review)).state == "decided"


async def test_it_is_sent_with_another_assistant(pool: Pool) -> None:
    server = Failing(LOST)
    review, desk = await decided(pool), desk_of(pool, server)
    with pytest.raises(NothingToSettle):
        await send_with(pool, desk.server, review.id, LEA, "other")
    await tried(desk, review)
    with pytest.raises(AnswerRefused):
        await send_with(pool, desk.server, review.id, LEA, "nobody")
    assert (await send_with(pool, desk.server, review.id, LEA, "other", "renamed")).send_with == "b"
    server.error = None
    assert (await tried(desk, review)).state == "sent" and server.sent == ["b"]


async def test_of_an_open_question_and_of_one_that_waits_for_nothing_nothing_is_retried(pool: Pool) -> None:
    review = await decided(pool)
    assert settling.action_of(review) == "look_again" and not settling.may_close(review)
    for action in ("retry", "give_up"):
        with pytest.raises(NothingToSettle):
            await settle(pool, review.id, LEA, action, "why not")
