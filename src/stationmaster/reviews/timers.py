"""What time does to an open review: a reminder at half time, a wider circle when due, a default at the end."""

import logging
from pathlib import Path
from typing import Any

import psycopg

from stationmaster.postgres.queries import load
from stationmaster.reviews import store
from stationmaster.reviews.answering import answered
from stationmaster.reviews.database import Connection, Pool
from stationmaster.reviews.decide import DECIDE, columns
from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import POLICY_ACTOR, Review, Submission
from stationmaster.reviews.trail import leave

logger = logging.getLogger(__name__)
QUERIES = load(Path(__file__).with_suffix(".sql"))
REMIND, ESCALATE, TO_EXPIRE = QUERIES["remind"], QUERIES["escalate"], QUERIES["to_expire"]
CLOSE_EXPIRED, NO_DEFAULT, FORGET_KEYS = (
    QUERIES["close_expired"],
    QUERIES["no_default"],
    QUERIES["forget_keys"],
)
UNFIT = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    psycopg.DataError,
)
"""What a default raises that was stored in another form than it is read in: by hand, or by another version."""
BATCH = 100
CLOSE = "close"


async def remind(pool: Pool) -> list[str]:
    """Ids of the reviews that were reminded of now."""
    return await _note(pool, REMIND, "reminded")


async def escalate(pool: Pool) -> list[str]:
    """Ids of the reviews that were escalated now."""
    return await _note(pool, ESCALATE, "escalated")


async def expire(pool: Pool) -> list[str]:
    """Ids of the reviews for which the policy answered now. A person who was faster keeps the answer."""
    async with pool.connection() as conn:
        rows = await (await conn.execute(TO_EXPIRE, {"limit": BATCH})).fetchall()
    return [str(row["id"]) for row in rows if await _expire_or_show(pool, str(row["id"]))]


async def _expire_or_show(pool: Pool, review_id: str) -> bool:
    """One review whose stored default can't be used must not keep the others, which are due after it, waiting."""
    try:
        return await expire_one(pool, review_id)
    except UNFIT as error:
        logger.exception("review %s: its default can't be given", review_id)
        why = f"the policy's default can't be used ({type(error).__name__}): a person must answer"
        async with pool.connection() as conn:
            return await _without_default(conn, review_id, why)


async def expire_one(pool: Pool, review_id: str) -> bool:
    """Give the default of one review's policy, if it is still open and its time is over: one conditional update."""
    async with pool.connection() as conn:
        review = await store.find(conn, review_id)
        if review is None or review.state != "open":
            return False
        default = review.policy.get("default_on_expiry") or {"decision": CLOSE}
        if default.get("decision") == CLOSE:
            return await _changed(conn, CLOSE_EXPIRED, {"id": review_id}, "expired", {"default": default})
        try:
            parameters = _defaulted(review, default)
        except AnswerRefused as error:
            return await _without_default(
                conn, review_id, f"the policy's default could not be given: {error}"
            )
        detail = {"default": default, "digest": review.digest}
        return await _changed(conn, DECIDE, parameters, "decided", detail, POLICY_ACTOR)


async def forget_keys(pool: Pool) -> None:
    """Idempotency keys that nobody can be waiting for any more."""
    async with pool.connection() as conn:
        await conn.execute(FORGET_KEYS)


def _defaulted(review: Review, default: dict[str, Any]) -> dict[str, Any]:
    given = answered(review, Submission(**default))
    return {
        **columns(given),
        "id": review.id,
        "by": POLICY_ACTOR,
        "by_policy": True,
        "undo_s": 0.0,
        "note": "nobody answered in time: the policy's default was given",
        "first_by": review.first_by,
        "first_at": review.first_at,
    }


async def _without_default(conn: Connection, review_id: str, note: str) -> bool:
    return await _changed(conn, NO_DEFAULT, {"id": review_id, "note": note}, "settled", {"why": note})


async def _note(pool: Pool, query: Any, action: str) -> list[str]:
    """The update, its audit and its messages in one transaction: a reminder that is noted is sent, and once."""
    async with pool.connection() as conn:
        rows = await (await conn.execute(query, {"limit": BATCH})).fetchall()
        for row in rows:
            await _leave(conn, str(row["id"]), action, {})
    return [str(row["id"]) for row in rows]


async def _changed(
    conn: Connection, query: Any, parameters: dict[str, Any], action: str, detail: dict[str, Any],
    actor: str | None = None,
) -> bool:  # fmt: skip
    if await (await conn.execute(query, parameters)).fetchone() is None:
        return False
    await _leave(conn, parameters["id"], action, detail, actor)
    return True


async def _leave(
    conn: Connection, review_id: str, action: str, detail: dict[str, Any], actor: str | None = None
) -> None:
    review = await store.find(conn, review_id)
    if review:
        await leave(conn, review, action, detail, **({"actor": actor} if actor else {}))
