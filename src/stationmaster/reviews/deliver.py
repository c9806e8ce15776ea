"""Sends answers and follows them: decided, sent, consumed, finished or failed. The one worker that resumes runs.

Each step is kept before the next is taken, so that a worker that dies leaves its answer to the next one, which reads
the thread to see how far it got.
"""

import logging
from pathlib import Path
from time import monotonic
from typing import Any

import psycopg

from stationmaster.postgres.queries import load
from stationmaster.reviews import store
from stationmaster.reviews.agent_server import NeverArrived, ThreadBusy
from stationmaster.reviews.answering import writes_state
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.errors import AgentServerRefused, AgentServerUnavailable
from stationmaster.reviews.leases import LEASE_S
from stationmaster.reviews.model import Review, ThreadSnapshot
from stationmaster.reviews.observe import observe
from stationmaster.reviews.plain_text import kept
from stationmaster.reviews.sending import (
    Request,
    get_ready,
    is_asked,
    obstacle,
    prepare,
    require_asked,
    send,
)
from stationmaster.reviews.trail import leave
from stationmaster.reviews.undelivered import FailedHere, put_off

QUERIES = load(Path(__file__).with_suffix(".sql"))
TAKE, PUT_BACK, MARK_SENT, MARK_UNSENT = (
    QUERIES["take"], QUERIES["put_back"], QUERIES["mark_sent"], QUERIES["mark_unsent"],
)  # fmt: skip
MARK_AGAIN = QUERIES["mark_again"]
NOTE_RUN, REFUSE, NEEDS_PERSON = QUERIES["note_run"], QUERIES["refuse"], QUERIES["needs_person"]

JOIN_S = 1.0
NOT_THE_ANSWERS = frozenset({401, 403, 404})
"""What the server refuses whatever the answer is: our key, or an assistant that is gone."""

logger = logging.getLogger(__name__)


async def take(desk: Desk, limit: int, *, failed: bool | None = None) -> list[str]:
    """Ids of up to `limit` answers that are due; nobody else takes them before the lease ends.

    `failed`: only those whose last try failed, or only the others.
    """
    parameters = {"worker": desk.name, "lease_s": LEASE_S, "limit": limit, "failed": failed}
    async with desk.pool.connection() as conn:
        rows = await (await conn.execute(TAKE, parameters)).fetchall()
    return [str(row["id"]) for row in rows]


async def step(desk: Desk, review_id: str) -> None:
    """Take one answer as far as it gets now, and put it back for a later look if there is more to come."""
    went, trouble = False, None
    try:
        await _look_and_send(desk, review_id)
        went = True
    except (AgentServerUnavailable, AgentServerRefused) as error:
        logger.warning("review %s: %s", review_id, error)
        trouble = error
    except psycopg.Error:
        raise
    except Exception as error:
        # Kept beside the answer, or nobody but the log would tell that it stays where it is.
        trouble = FailedHere(error)
        raise
    finally:
        if trouble is None:
            async with desk.pool.connection() as conn:
                await conn.execute(PUT_BACK, {"id": review_id, "worker": desk.name, "went": went})
        else:
            await put_off(desk, review_id, trouble)


async def _look_and_send(desk: Desk, review_id: str) -> None:
    if review := await _find(desk, review_id):
        await get_ready(desk.server, review)
        seen = (await observe(desk, review.thread_id, "deliver", mine=(review_id,))).seen
        review = await _find(desk, review_id)
        if review and isinstance(seen, ThreadSnapshot):
            await _further(desk, review, seen)


async def _further(desk: Desk, review: Review, seen: ThreadSnapshot) -> None:
    """Send what is decided, and again what was marked as sent and never arrived. Following is `observe`'s."""
    if seen.busy or review.state == "consumed" or review.resume_run_id is not None:
        return
    asked = is_asked(review, seen)
    if not asked:
        require_asked(review, seen)
    why = obstacle(review, seen) if asked else None
    # Read before anything is marked: what lies between a mark and its request can be taken for a request.
    made = await prepare(desk.server, review, seen) if asked and not why else None
    marked_by = monotonic() + LEASE_S / 2
    if review.state == "sent":
        # No run carries this review's id: the worker that had it died on the way, or never heard the reply.
        if not asked:
            await _show(
                desk, review, "the answer was being sent; the thread shows neither it nor its question"
            )
            return
        ready = made if made and await _mark_again(desk, review) else None
    else:
        ready = made if made and await _mark_sent(desk, review) else None
    # A process that stood still meanwhile may have lost it: whoever has it then sends what no run carries.
    if ready and monotonic() < marked_by:
        await _dispatch(desk, review, ready)
    if why:
        await _show(desk, review, why)


async def _dispatch(desk: Desk, review: Review, made: Request) -> None:
    """The request itself, and what its reply says. An end that is not known is raised: the next look finds the run,
    or sends again."""
    try:
        run_id = await send(desk.server, made)
    except (ThreadBusy, NeverArrived) as error:
        await _unsent(desk, review, str(error))
        return
    except AgentServerRefused as error:
        if error.http_status in NOT_THE_ANSWERS:
            await _unsent(desk, review, str(error))
            raise
        if isinstance((await observe(desk, review.thread_id, "deliver")).seen, ThreadSnapshot):
            await _refused(desk, review, str(error))
        return
    await _note_run(desk, review, run_id)
    await desk.server.join(review.thread_id, run_id, JOIN_S)
    await observe(desk, review.thread_id, "deliver")


async def _unsent(desk: Desk, review: Review, why: str) -> None:
    """Nothing was started, and it is an answer that waits again. Not where an earlier try may have arrived after all,
    or the state may be written already: the next look sees."""
    if review.state == "sent" or writes_state(review):
        return
    async with desk.pool.connection() as conn:
        known = {"id": review.id, "decided_at": review.decided_at}
        if await (await conn.execute(MARK_UNSENT, known)).fetchone():
            await leave(conn, review, "unsent", {"why": kept(why)})


async def _note_run(desk: Desk, review: Review, run_id: str) -> None:
    """The run is under way. That the review no longer waits for it is said, unless a look was quicker to find it."""
    async with desk.pool.connection() as conn:
        noted = {"id": review.id, "decided_at": review.decided_at, "run_id": run_id}
        if await (await conn.execute(NOTE_RUN, noted)).fetchone():
            return
        now = await store.find(conn, review.id)
        if now and now.resume_run_id != run_id:
            why = "its run was started, and the review had changed meanwhile"
            logger.warning("review %s: run %s: %s", review.id, run_id, why)
            await leave(conn, now, "settled", {"why": why, "run_id": run_id, "answer": review.answer})


async def _mark_again(desk: Desk, review: Review) -> bool:
    """False when another worker has it by now: no run carries the answer, and it is the other who sends it again."""
    async with desk.pool.connection() as conn:
        parameters = {
            "id": review.id, "decided_at": review.decided_at, "worker": desk.name, "lease_s": LEASE_S,
        }  # fmt: skip
        if await (await conn.execute(MARK_AGAIN, parameters)).fetchone() is None:
            return False
        await leave(conn, review, "settled", {"why": "no run carries the answer: it is sent again"})
    return True


async def _mark_sent(desk: Desk, review: Review) -> bool:
    """False when it was taken back meanwhile, or another answer of the thread is on its way."""
    try:
        async with desk.pool.connection() as conn:
            parameters = {
                "id": review.id, "decided_at": review.decided_at, "send_with": review.send_with,
                "worker": desk.name,
            }  # fmt: skip
            if await (await conn.execute(MARK_SENT, parameters)).fetchone() is None:
                return False
            after = await store.find(conn, review.id)
            if after:
                await leave(
                    conn, after, "sent", {"resume": review.resume, "interrupt_id": review.interrupt_id}
                )
    except psycopg.errors.UniqueViolation:
        return False
    return True


async def _refused(desk: Desk, review: Review, error: str) -> None:
    async with desk.pool.connection() as conn:
        parameters: dict[str, Any] = {
            "id": review.id, "decided_at": review.decided_at, "error": kept(error),
            "note": "the Agent Server refused the answer; it had no effect",
        }  # fmt: skip
        if await (await conn.execute(REFUSE, parameters)).fetchone():
            after = await store.find(conn, review.id)
            if after:
                unused = {"by": review.decided_by, "answer": review.answer}
                await leave(
                    conn,
                    after,
                    "reopened",
                    {"why": parameters["note"], "error": parameters["error"], "unused": unused},
                )


async def _show(desk: Desk, review: Review, note: str) -> None:
    """To an operator, once."""
    async with desk.pool.connection() as conn:
        if await (await conn.execute(NEEDS_PERSON, {"id": review.id, "note": kept(note)})).fetchone():
            await leave(conn, review, "settled", {"why": note, "needs_person": True})


async def _find(desk: Desk, review_id: str) -> Review | None:
    """The review, while there is something to do about it."""
    async with desk.pool.connection() as conn:
        review = await store.find(conn, review_id)
    return review if review and review.phase == "moving" else None
