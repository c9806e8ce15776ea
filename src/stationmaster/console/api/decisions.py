"""Act on reviews: claim, release, decide, undo, remark. Who acts is the credential's owner."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Header
from pydantic import StringConstraints

from stationmaster.console.api.asking import AtHand, Who, declared
from stationmaster.console.api.bodies import (
    Decision,
    ManyDecisions,
    NewComment,
    Outcomes,
    ReviewOut,
    review_json,
)
from stationmaster.console.errors import problem
from stationmaster.console.json import JSONResponse
from stationmaster.reviews import bulk, decide, store
from stationmaster.reviews.errors import ReviewError
from stationmaster.reviews.model import Review, Submission

Key = Annotated[
    Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[\x21-\x7e]*$")] | None,
    Header(alias="Idempotency-Key", description="The same key and request again get the same answer."),
]


@declared(response_model=ReviewOut)
async def claim_review(review_id: str, who: Who, at_hand: AtHand) -> JSONResponse:
    """Take a review, so that others see who is at it."""
    return _one(await decide.claim(at_hand.pool, review_id, who))


@declared(response_model=ReviewOut)
async def release_review(review_id: str, who: Who, at_hand: AtHand) -> JSONResponse:
    """Give a review back; a lead also somebody else's."""
    return _one(await decide.release(at_hand.pool, review_id, who))


@declared(response_model=ReviewOut)
async def decide_review(
    review_id: str, body: Decision, who: Who, at_hand: AtHand, idempotency_key: Key = None
) -> JSONResponse:
    """Answer a review, once.

    Of several answers the first one wins; the others get 409 with who gave it and when. The answer leaves when the
    undo window is over.
    """
    submission = Submission(
        decision=body.decision, fields=body.fields, raw=body.answer,
        has_raw="answer" in body.model_fields_set, reason=body.reason,
    )  # fmt: skip
    undo_s = at_hand.settings.undo_s if body.undo_s is None else body.undo_s
    done = await decide.decide(
        at_hand.pool, review_id, who, submission, idempotency_key=idempotency_key, undo_s=undo_s
    )
    return _one(done)


@declared(response_model=ReviewOut)
async def undo_decision(review_id: str, who: Who, at_hand: AtHand) -> JSONResponse:
    """Take an answer back while it has not left."""
    return _one(await decide.undo(at_hand.pool, review_id, who))


@declared(response_model=list[Any], status_code=201)
async def comment_on_review(review_id: str, body: NewComment, who: Who, at_hand: AtHand) -> JSONResponse:
    """Leave a remark beside a review; all of its remarks come back."""
    review = await decide.comment(at_hand.pool, review_id, who, body.body)
    async with at_hand.pool.connection() as conn:
        return JSONResponse([asdict(remark) for remark in await store.comments(conn, review.id)], 201)


@declared(response_model=Outcomes)
async def decide_many(
    body: ManyDecisions, who: Who, at_hand: AtHand, idempotency_key: Key = None
) -> JSONResponse:
    """Answer several reviews in the same way, where their policy allows it.

    Each is answered by itself and says how that went. With `all_or_nothing` they are answered in one transaction: if
    one of them is out of scope, not open (any more), or not to be answered so, none is, and `review_id` says which.
    """
    ids = list(dict.fromkeys(body.ids))
    submission = Submission(decision=body.decision, fields=body.fields, reason=body.reason)
    options = {"key": idempotency_key, "undo_s": at_hand.settings.undo_s}
    if not body.all_or_nothing:
        outcomes = await bulk.answer_each(at_hand.pool, ids, who, submission, **options)
        return JSONResponse({"results": list(map(_outcome, ids, outcomes))})
    try:
        done = await bulk.answer_all(at_hand.pool, ids, who, submission, **options)
    except bulk.NoneAnswered as stop:
        told = {**problem(stop.why), "review_id": stop.review_id}
        return JSONResponse(told, stop.why.status, media_type="application/problem+json")
    return JSONResponse({"results": list(map(_outcome, ids, done))})


def _outcome(review_id: str, outcome: Review | ReviewError) -> dict[str, Any]:
    if isinstance(outcome, Review):
        return {"id": review_id, "ok": True, "state": outcome.state}
    return {"id": review_id, "ok": False, "problem": problem(outcome)}


def _one(review: Review) -> JSONResponse:
    return JSONResponse(review_json(review))
