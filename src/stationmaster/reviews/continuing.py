"""A thread whose run failed after it took the answer: an operator has its failed node run again, if state says it is
safe.

What the node did before it failed it may do twice: that its effects carry an idempotency key is the graph's promise.
"""

from pathlib import Path

import psycopg

from stationmaster.postgres.queries import load
from stationmaster.reviews import store
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.agent_server import AgentServer, ThreadBusy
from stationmaster.reviews.carrying import carries, stamp
from stationmaster.reviews.database import Connection, Pool
from stationmaster.reviews.errors import Forbidden
from stationmaster.reviews.model import Gone, Review, RunInfo, ThreadSnapshot
from stationmaster.reviews.observe import LOCK_THREAD
from stationmaster.reviews.questions import leaf, questions
from stationmaster.reviews.settling import NothingToSettle, may_continue
from stationmaster.reviews.trail import leave

CONTINUE = load(Path(__file__).with_suffix(".sql"))["continue"]


async def continue_thread(
    pool: Pool, server: AgentServer, review_id: str, who: Identity, note: str = ""
) -> Review:
    """Start a run that goes on where the failed one stopped; the review is followed to the end again.

    NotFound, Forbidden; NothingToSettle says why it is not safe. One look at the thread at a time, by whatever process:
    of two who press at once the second finds the first one's run.
    """
    async with pool.connection() as conn:
        review = await store.get(conn, review_id, who)
        if not who.has("lead"):
            raise Forbidden("this takes the role lead or admin: ask one of them")
        await conn.execute(LOCK_THREAD, {"thread_id": review.thread_id})
        review = await store.get(conn, review_id, who)
        seen = await server.read(review.thread_id, [review.resume_run_id] if review.resume_run_id else [])
        if why := why_not(review, seen):
            raise NothingToSettle(f"the thread was not continued: {why}")
        run_id = _started(review, seen) or await _start(server, review, seen)
        return await _under_way(conn, review, who, run_id, note)


def why_not(review: Review, seen: ThreadSnapshot | Gone) -> str | None:
    """What speaks against continuing; None if nothing has moved the thread since its node failed."""
    if not may_continue(review):
        return "only a thread whose run failed after it took the answer can be; look at the review again"
    if isinstance(seen, Gone):
        return "it is no longer there"
    if _started(review, seen):
        return None
    top, run = seen.checkpoint, seen.run
    if seen.busy:
        return "a run is under way on it; look again when that has ended"
    if run is None or run.run_id != review.resume_run_id:
        return "another run has moved it since; look at the thread"
    if run.status not in ("error", "timeout") or not top.next:
        return "its state shows no node that failed; look at the thread"
    if {top.source, leaf(top).source} & {"update", "fork"}:
        return "its state was changed since; continue it from where that was done"
    own = (review.interrupt_id, review.digest)
    if any((found.interrupt_id, found.digest) != own for found in questions(seen)):
        return "it asks something else as well; answer that, which continues it"
    return None


def _started(review: Review, seen: ThreadSnapshot | Gone) -> str | None:
    """The run that an earlier press started, whose process died before it could note it."""
    run: RunInfo | None = None if isinstance(seen, Gone) else seen.run
    mine = run is not None and run.run_id != review.resume_run_id and carries(run, review)
    return run.run_id if run and mine else None


async def _start(server: AgentServer, review: Review, seen: ThreadSnapshot | Gone) -> str:
    run = None if isinstance(seen, Gone) else seen.run
    assistant_id = review.assistant_id or (run and run.assistant_id)
    if assistant_id is None or isinstance(seen, Gone):
        raise NothingToSettle("the thread names no assistant to run it with: continue it from its own client")
    try:
        return await server.continue_(review.thread_id, assistant_id, stamp=stamp(review, seen))
    except ThreadBusy as error:
        raise NothingToSettle("a run has just begun on the thread: look again when it has ended") from error


async def _under_way(conn: Connection, review: Review, who: Identity, run_id: str, note: str) -> Review:
    try:
        await conn.execute(CONTINUE, {"id": review.id, "run_id": run_id})
    except psycopg.errors.UniqueViolation as error:
        raise NothingToSettle("the question is asked again: answer the newer review") from error
    after = await store.get(conn, review.id, who)
    await leave(
        conn, after, "continued", {"run_id": run_id, "why": note or None, "failed": review.error}, who.name
    )
    return after
