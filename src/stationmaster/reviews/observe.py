"""Looks at a thread and makes its reviews say what its state says: one look at a time, in one transaction."""

import asyncio
import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias
from weakref import WeakValueDictionary

import psycopg
from psycopg.types.json import Jsonb

from stationmaster.postgres.queries import load
from stationmaster.reviews import store
from stationmaster.reviews.agent_server import AgentServer
from stationmaster.reviews.database import Connection
from stationmaster.reviews.desk import Desk, Stamper
from stationmaster.reviews.model import CLOSED, Beginning, Gone, Review, ReviewState, ThreadSnapshot
from stationmaster.reviews.moving_on import to_look_up
from stationmaster.reviews.opening import Asker, asker_of, row_of
from stationmaster.reviews.plain_text import kept
from stationmaster.reviews.plan import Change, Move, Open, plan
from stationmaster.reviews.questions import questions
from stationmaster.reviews.trail import leave

QUERIES = load(Path(__file__).with_suffix(".sql"))
LOCK_THREAD, UNFINISHED_OF, CLOSED_OF = QUERIES["lock_thread"], QUERIES["unfinished"], QUERIES["closed_of"]
OPEN, MOVE, COUNT_DRIFT = QUERIES["open"], QUERIES["move"], QUERIES["count_drift"]
LINK_SUPERSEDED, LINK_RETURNED = QUERIES["link_superseded"], QUERIES["link_returned"]
WAKE = QUERIES["wake"]

Source: TypeAlias = Literal["hook", "sweep", "deliver", "request"]
UNKEEPABLE = (psycopg.DataError, psycopg.IntegrityError, UnicodeError)
"""One change that the database refuses, whatever it is, costs its own savepoint and no other change."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Observed:
    """What one look changed: ids of opened reviews, and (id, new state) of those that moved.

    `refused`: interrupts of which the database did not take a change; the log says why.
    """

    seen: ThreadSnapshot | Gone
    opened: tuple[str, ...] = ()
    moved: tuple[tuple[str, ReviewState], ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return bool(self.opened or self.moved)


@dataclass(frozen=True)
class Known:
    """The reviews of a thread before it was looked at."""

    reviews: tuple[Review, ...]
    in_hand: frozenset[str]


# Fifty deliveries for one thread would else hold fifty connections, waiting for one lock.
_waiting: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()


async def observe(desk: Desk, thread_id: str, source: Source, mine: Collection[str] = ()) -> Observed:
    """Read the thread and settle its reviews. Raises AgentServerUnavailable, or ThreadMissing where it is not sure that
    the thread was deleted, and then nothing has changed.

    `mine`: reviews that the caller has in hand and is not sending now.

    The lock is held while the server is read; what is known is loaded first. So nothing is concluded from a look
    that is older than what it is compared with.
    """
    lock = _waiting.setdefault((id(asyncio.get_running_loop()), thread_id), asyncio.Lock())
    async with lock, desk.looks, desk.pool.connection() as conn:
        await conn.execute(LOCK_THREAD, {"thread_id": thread_id})
        known = await load_known(conn, thread_id, mine)
        carriers = [review.resume_run_id for review in known.reviews if review.resume_run_id]
        seen = await desk.server.read(thread_id, carriers)
        if isinstance(seen, Gone) and known.reviews:
            await desk.server.confirm_gone(thread_id)
        asker = None
        if isinstance(seen, ThreadSnapshot):
            seen = await _with_beginnings(desk.server, seen, known)
        if isinstance(seen, ThreadSnapshot) and (asked := questions(seen)):
            waits = any(question.kind == "breakpoint" for question in asked)
            asker = await asker_of(seen, desk.server, breakpoint_=waits)
        return await apply(conn, seen, known, desk.policies, asker, source)


async def _with_beginnings(server: AgentServer, seen: ThreadSnapshot, known: Known) -> ThreadSnapshot:
    """Where runs began of which only that tells whether their answer was taken: read after the state, so that it is
    never older. A server that took the answer's condition has seen to it, except at breakpoints, which have none."""
    begun: dict[str, Beginning] = {}
    for review in known.reviews:
        run_id = to_look_up(review, seen)
        if run_id is None or (review.kind == "interrupt" and await server.takes_conditions()):
            continue
        if found := await server.beginning(seen.thread_id, run_id, review.namespace):
            begun[run_id] = found
    return replace(seen, begun=begun)


async def load_known(conn: Connection, thread_id: str, mine: Collection[str] = ()) -> Known:
    """The unfinished reviews of a thread; `mine` don't count as in hand."""
    rows = await (await conn.execute(UNFINISHED_OF, {"thread_id": thread_id})).fetchall()
    return Known(
        tuple(map(store.review_from, rows)),
        frozenset(str(row["id"]) for row in rows if row["in_hand"]).difference(mine),
    )


async def apply(
    conn: Connection,
    seen: ThreadSnapshot | Gone,
    known: Known,
    policies: Stamper,
    asker: Asker | None,
    source: Source,
) -> Observed:
    """Carry out the plan for one look. The same look again changes nothing."""
    reviews = [*known.reviews, *await _closed_before(conn, seen)]
    opened: list[str] = []
    moved: list[tuple[str, ReviewState]] = []
    refused: list[str] = []
    for change in _in_order(plan(seen, reviews, known.in_hand)):
        try:
            async with conn.transaction():
                if isinstance(change, Move):
                    if await _move(conn, change):
                        moved.append((change.review.id, change.state))
                elif asker and (review_id := await _open(conn, change, policies, asker, source)):
                    opened.append(review_id)
        except UNKEEPABLE:
            about = change.review if isinstance(change, Move) else change.question
            logger.exception("thread %s: a change of %s was refused", seen.thread_id, about.interrupt_id)
            refused.append(about.interrupt_id)
    if moved:
        await conn.execute(WAKE, {"thread_id": seen.thread_id})
    return Observed(seen, tuple(opened), tuple(moved), tuple(refused))


def _in_order(changes: Sequence[Change]) -> list[Change]:
    """Ends first: a question that comes back needs its earlier review closed."""
    return sorted(changes, key=lambda change: isinstance(change, Open))


async def _closed_before(conn: Connection, seen: ThreadSnapshot | Gone) -> list[Review]:
    if isinstance(seen, Gone) or not (asked := questions(seen)):
        return []
    parameters = {
        "thread_id": seen.thread_id,
        "interrupt_ids": [question.interrupt_id for question in asked],
    }
    return [store.review_from(row) for row in await (await conn.execute(CLOSED_OF, parameters)).fetchall()]


async def _open(
    conn: Connection, change: Open, policies: Stamper, asker: Asker, source: Source
) -> str | None:
    row = row_of(change, policies, asker, datetime.now(UTC))
    found = await (await conn.execute(OPEN, {**row, "policy": Jsonb(row["policy"])})).fetchone()
    if found is None:
        return None
    review_id, thread_id = str(found["id"]), change.question.thread_id
    await conn.execute(
        LINK_SUPERSEDED, {"thread_id": thread_id, "id": review_id, "node": change.question.node}
    )
    if change.returned_from:
        await conn.execute(LINK_RETURNED, {"old": change.returned_from, "new": review_id})
    if source == "sweep":
        await _count(conn, "missed", thread_id)
    review = await _now(conn, review_id)
    action = "returned" if change.returned_from else "opened"
    await leave(conn, review, action, {"source": source, "digest": review.digest, "shape": review.shape})
    return review_id


async def _move(conn: Connection, move: Move) -> bool:
    """False when the review changed while the thread was read: the next look settles it."""
    move = replace(move, error=kept(move.error), note=kept(move.note))
    if move.took and move.review.state == "sent" and move.state != "consumed":
        taken = replace(move, state="consumed", why="the thread went on with the answer", needs_person=False)
        if not await _move(conn, replace(taken, run_status=None, error=None, note=None, drift=None)):
            return False
        move = replace(move, review=await _now(conn, move.review.id))
    if await (await conn.execute(MOVE, _parameters(move))).fetchone() is None:
        return False
    review = await _now(conn, move.review.id)
    if move.drift:
        await _count(conn, move.drift, review.thread_id)
    await leave(conn, review, _action(move), _told(move))
    return True


def _parameters(move: Move) -> dict[str, Any]:
    return {
        "id": move.review.id,
        "state": move.state,
        "closed": move.state in CLOSED,
        "note": move.note
        or (move.why if move.state in ("superseded", "answered_elsewhere", "withdrawn") else None),
        "error": move.error,
        "run_status": move.run_status,
        "run_id": move.run.run_id if move.run else None,
        "needs_person": move.needs_person,
        "took": move.took,
        "was": move.review.state,
        "was_decided_at": move.review.decided_at,
        "was_run_id": move.review.resume_run_id,
    }


def _told(move: Move) -> dict[str, Any]:
    said = {
        "why": move.why,
        "run_id": move.run.run_id if move.run else None,
        "run_status": move.run_status,
        "error": move.error,
        "took": move.review.answer if move.state == "consumed" else None,
        "unused": {"by": move.review.decided_by, "answer": move.review.answer}
        if move.state in ("open", "superseded", "answered_elsewhere") and move.review.decided_by
        else None,
    }
    return {name: value for name, value in said.items() if value is not None}


def _action(move: Move) -> str:
    if move.state == move.review.state:
        return "settled"
    return "reopened" if move.state == "open" else move.state


async def _count(conn: Connection, name: str, thread_id: str) -> None:
    await conn.execute(COUNT_DRIFT, {"name": name, "thread_id": thread_id})


async def _now(conn: Connection, review_id: str) -> Review:
    review = await store.find(conn, review_id)
    if review is None:
        raise LookupError(f"review {review_id} vanished inside its own transaction")
    return review
