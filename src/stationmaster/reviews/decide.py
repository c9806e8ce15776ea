"""What people do to a review: claim, comment, decide, take back. Whoever acts is who the credential says."""

import hashlib
from pathlib import Path
from typing import Any

from stationmaster.postgres.queries import load
from stationmaster.reviews import store
from stationmaster.reviews.access.identity import LOCAL, Identity
from stationmaster.reviews.answering import Answered, answered, goes_to_second_person, same_answer
from stationmaster.reviews.database import Connection, Pool
from stationmaster.reviews.errors import (
    AlreadyDecided,
    AnswerRefused,
    ClaimedByOther,
    Conflict,
    Forbidden,
    KeyReused,
    SecondPersonNeeded,
    Stale,
    TooLate,
)
from stationmaster.reviews.model import Review, Submission, as_shown, canonical
from stationmaster.reviews.trail import leave, unsay
from stationmaster.settings import Settings

QUERIES = load(Path(__file__).with_suffix(".sql"))
DECIDE, PROPOSE, UNDO = QUERIES["decide"], QUERIES["propose"], QUERIES["undo"]
WITHDRAW_PROPOSAL, CLAIM, RELEASE = QUERIES["withdraw_proposal"], QUERIES["claim"], QUERIES["release"]
COMMENT, REMEMBER, REMEMBERED = QUERIES["comment"], QUERIES["remember"], QUERIES["remembered"]

UNDO_S: float = Settings.model_fields["undo_s"].default
"""For callers that have no settings at hand; those that have pass `settings.undo_s`."""
COMMENT_LENGTH = 10_000


async def decide(
    pool: Pool,
    review_id: str,
    who: Identity,
    submission: Submission,
    *,
    undo_s: float = UNDO_S,
    idempotency_key: str | None = None,
) -> Review:
    """Answer a review; exactly one answer wins. The review as it is afterwards: decided, or, under the two-person
    rule, open with the first answer. It leaves after `undo_s` seconds, in which it can be taken back.

    NotFound, Forbidden, AnswerRefused, AlreadyDecided, Stale, ClaimedByOther, SecondPersonNeeded, KeyReused.
    The same `idempotency_key` with the same request gives the review as it is by then, and decides nothing.
    """
    async with pool.connection() as conn:
        return await decide_in(
            conn, review_id, who, submission, undo_s=undo_s, idempotency_key=idempotency_key
        )


async def decide_in(
    conn: Connection,
    review_id: str,
    who: Identity,
    submission: Submission,
    *,
    undo_s: float = UNDO_S,
    idempotency_key: str | None = None,
) -> Review:
    """The same inside a transaction of the caller, who rolls it back if this raises."""
    review = await store.get(conn, review_id, who)
    _require_reviewer(who)
    if idempotency_key and await _repeated(conn, review, who, submission, idempotency_key):
        return await store.get(conn, review_id, who)
    _require_open(review, who)
    given = answered(review, submission)
    if goes_to_second_person(review, given):
        _require_person(who)
        return await _with_two(conn, review, who, given, undo_s)
    return await _decided(conn, review, who, given, undo_s)


async def undo(pool: Pool, review_id: str, who: Identity) -> Review:
    """Take one's own answer back, before it leaves; TooLate afterwards, and for other people's answers."""
    async with pool.connection() as conn:
        before = await store.get(conn, review_id, who)
        _require_reviewer(who)
        done = await _one(conn, UNDO, {"id": before.id, "by": who.name})
        if not done and not await _one(conn, WITHDRAW_PROPOSAL, {"id": before.id, "by": who.name}):
            raise TooLate(_why_not_undone(await store.get(conn, review_id, who), who))
        after = await store.get(conn, review_id, who)
        taken = (
            {"decision": before.decision, "answer": before.answer} if done else {"first": before.first_answer}
        )
        if done:
            await unsay(conn, after)
        await leave(conn, after, "undone", taken, who.name)
        return after


async def claim(pool: Pool, review_id: str, who: Identity) -> Review:
    """Take a review to work on: others then see whose it is, and can't answer it. ClaimedByOther, Stale."""
    return await _take(pool, review_id, who, "claimed")


async def release(pool: Pool, review_id: str, who: Identity) -> Review:
    """Give a claimed review back; a lead may release anybody's."""
    return await _take(pool, review_id, who, "released")


async def comment(pool: Pool, review_id: str, who: Identity, body: str) -> Review:
    """Leave a remark; also on a closed review."""
    text = body.replace("\0", "").strip()
    if not text or len(text) > COMMENT_LENGTH:
        raise AnswerRefused({"body": f"must have between 1 and {COMMENT_LENGTH} characters"})
    async with pool.connection() as conn:
        review = await store.get(conn, review_id, who)
        _require_reviewer(who)
        await conn.execute(COMMENT, {"id": review.id, "by": who.name, "body": text})
        await leave(conn, review, "commented", {"body": text}, who.name)
        return review


async def _decided(conn: Connection, review: Review, who: Identity, given: Answered, undo_s: float) -> Review:
    parameters = {
        **columns(given),
        "id": review.id,
        "by": who.name,
        "by_policy": False,
        "undo_s": undo_s,
        "note": None,
        "first_by": review.first_by,
        "first_at": review.first_at,
    }
    if not await _one(conn, DECIDE, parameters):
        await _lost(conn, review.id, who)
    after = await store.get(conn, review.id, who)
    detail = {
        **given.told(),
        "digest": review.digest,
        "credential": who.credential,
        "first_by": review.first_by,
    }
    await leave(conn, after, "decided", detail, who.name)
    return after


async def _with_two(
    conn: Connection, review: Review, who: Identity, given: Answered, undo_s: float
) -> Review:
    """First: proposed. Second with the same answer: decided. Second with another one: that is now the first."""
    if review.first_by == who.name:
        raise SecondPersonNeeded(
            "you have answered this already, and the policy asks for two people: ask somebody else to confirm, "
            "or undo your answer"
        )
    if review.first_by is not None and same_answer(review.first_answer, given):
        return await _decided(conn, review, who, given, undo_s)
    parameters = {
        "id": review.id,
        "by": who.name,
        "first_answer": as_shown(given.as_first()),
        "first_by": review.first_by,
        "first_at": review.first_at,
    }
    if not await _one(conn, PROPOSE, parameters):
        await _lost(conn, review.id, who)
    after = await store.get(conn, review.id, who)
    detail = {**given.told(), "digest": review.digest, "credential": who.credential}
    await leave(conn, after, "sent_back" if review.first_by else "first_decided", detail, who.name)
    return after


def columns(given: Answered) -> dict[str, Any]:
    """An answer as the row keeps it."""
    return {
        "decision": given.decision,
        "answer": as_shown(given.answer),
        "resume": as_shown(given.resume),
        "edits": None if given.edits is None else as_shown(given.edits),
        "reason": given.reason,
    }


async def _lost(conn: Connection, review_id: str, who: Identity) -> None:
    """Another request changed the review first: say which."""
    review = await store.get(conn, review_id, who)
    _require_open(review, who)
    raise Conflict("somebody has just changed this review: look at it again, then answer")


async def _repeated(
    conn: Connection, review: Review, who: Identity, submission: Submission, key: str
) -> bool:
    """Whether this very request was carried out before; KeyReused if the key belongs to another one."""
    request = [
        review.id, submission.decision, dict(submission.fields), submission.raw, submission.has_raw, submission.reason,
    ]  # fmt: skip
    asked = {
        "identity": who.name,
        "key": key,
        "request_hash": hashlib.sha256(canonical(request).encode()).hexdigest(),
        "id": review.id,
    }
    if await _one(conn, REMEMBER, asked):
        return False
    first = await (await conn.execute(REMEMBERED, asked)).fetchone()
    if first is None or first["request_hash"] != asked["request_hash"]:
        raise KeyReused("this Idempotency-Key was used for another request: take a new one for each request")
    return True


async def _take(pool: Pool, review_id: str, who: Identity, what: str) -> Review:
    async with pool.connection() as conn:
        before = await store.get(conn, review_id, who)
        _require_reviewer(who)
        if what == "claimed":
            _require_open(before, who)
        elif before.claimed_by is None:
            return before
        parameters = {"id": before.id, "by": who.name, "anybodys": who.has("lead")}
        if not await _one(conn, CLAIM if what == "claimed" else RELEASE, parameters):
            now = await store.get(conn, review_id, who)
            _require_open(now, who)
            raise Conflict("somebody has just changed this review: look at it again")
        after = await store.get(conn, review_id, who)
        if after.claimed_by != before.claimed_by:
            await leave(conn, after, what, {"claimed_by": after.claimed_by or before.claimed_by}, who.name)
        return after


def _require_reviewer(who: Identity) -> None:
    if not who.has("reviewer"):
        raise Forbidden("this identity may look and not act: ask an admin for the role `reviewer`")


def _require_person(who: Identity) -> None:
    """Somebody with a name: else one person could answer twice, once as a user and once by the machine's own key."""
    if who.credential == LOCAL:
        raise Forbidden(
            "two people must answer this, and the local key does not say who you are: sign in, or use a user's token "
            "(`stationmaster users token create`)"
        )


def _require_open(review: Review, who: Identity) -> None:
    """Open, and nobody else's: else who has it, who answered, or what became of the question."""
    if review.state == "open":
        if review.claimed_by is not None and review.claimed_at and review.claimed_by != who.name:
            raise ClaimedByOther(review.claimed_by, review.claimed_at)
        return
    if review.state in ("superseded", "answered_elsewhere", "expired", "withdrawn"):
        raise Stale(review.state, review.note or review.state.replace("_", " "), review.replaced_by)
    if review.decided_by is None or review.decided_at is None or review.decision is None:
        raise Stale(review.state, review.note or review.state, review.replaced_by)
    raise AlreadyDecided(review.decided_by, review.decided_at, review.decision)


def _why_not_undone(review: Review, who: Identity) -> str:
    if review.decided_by is None:
        return "there is no answer of yours to take back: look at the review again"
    if review.decided_by != who.name:
        return f"the answer is {review.decided_by}'s: only they could take it back, before it was sent"
    return "the answer has left: it can't be taken back; see what came of it"


async def _one(conn: Connection, query: Any, parameters: dict[str, Any]) -> bool:
    """Whether the statement changed its row."""
    return await (await conn.execute(query, parameters)).fetchone() is not None
