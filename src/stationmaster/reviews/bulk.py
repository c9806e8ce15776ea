"""One answer for several reviews, where their policy says low risk: each by itself, or all in one transaction."""

import hashlib
from collections.abc import Sequence

import psycopg

from stationmaster.reviews import store
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.database import Connection, Pool
from stationmaster.reviews.decide import decide_in
from stationmaster.reviews.errors import Forbidden, NotFound, ReviewError
from stationmaster.reviews.model import Review, Submission

TRIES = 3
"""Of a transaction that met another one's locks in the opposite order: Postgres ends one of the two."""


class NotInBulk(Forbidden):
    """A review that its policy wants answered by itself."""

    code = "not_in_bulk"


class NoneAnswered(Exception):
    """One of several could not be answered, so none was. `why` is its refusal."""

    def __init__(self, review_id: str, why: ReviewError) -> None:
        super().__init__(f"{review_id}: {why}")
        self.review_id, self.why = review_id, why


async def answer_each(
    pool: Pool, ids: Sequence[str], who: Identity, submission: Submission, *, key: str | None, undo_s: float
) -> list[Review | ReviewError]:
    """Each in its own transaction, in the order of `ids`: the review as it is then, or why it was not answered."""
    outcomes: list[Review | ReviewError] = []
    for review_id in ids:
        try:
            async with pool.connection() as conn:
                outcomes.append(await _answer(conn, review_id, who, submission, key, undo_s))
        except ReviewError as error:
            outcomes.append(error)
    return outcomes


async def answer_all(
    pool: Pool, ids: Sequence[str], who: Identity, submission: Submission, *, key: str | None, undo_s: float
) -> list[Review]:
    """All of them in one transaction, or NoneAnswered and nothing has changed, whoever answers meanwhile."""
    for left in reversed(range(TRIES)):
        try:
            async with pool.connection() as conn:
                await _lock(conn, ids)
                return [await _or_none(conn, review_id, who, submission, key, undo_s) for review_id in ids]
        except psycopg.errors.DeadlockDetected:
            if not left:
                raise
    raise AssertionError("the last try returns or raises")


async def _lock(conn: Connection, ids: Sequence[str]) -> None:
    """Every row first and in one order: of two that want the same ones, the second waits and loses as a whole."""
    for review_id in sorted(ids):
        if store.is_id(review_id):
            await conn.execute(store.LOCK, {"id": review_id})


async def _or_none(
    conn: Connection, review_id: str, who: Identity, submission: Submission, key: str | None, undo_s: float
) -> Review:
    try:
        return await _answer(conn, review_id, who, submission, key, undo_s)
    except ReviewError as error:
        raise NoneAnswered(review_id, error) from error


async def _answer(
    conn: Connection, review_id: str, who: Identity, submission: Submission, key: str | None, undo_s: float
) -> Review:
    if not store.is_id(review_id):
        raise NotFound
    review = await store.get(conn, review_id, who)
    if review.risk != "low" or review.two_person or review.policy.get("bulk_allowed") is not True:
        raise NotInBulk("its policy wants this review answered by itself: open it and answer there")
    # Hashed: an index takes no key of any length.
    own_key = hashlib.sha256(f"{key}:{review_id}".encode()).hexdigest() if key else None
    return await decide_in(conn, review_id, who, submission, idempotency_key=own_key, undo_s=undo_s)
