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
    Word,
    review_json,
)
from stationmaster.console.errors import problem
from stationmaster.console.json import JSONResponse
from stationmaster.reviews import decide, store
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.database import Pool
from stationmaster.reviews.errors import Forbidden, ReviewError
from stationmaster.reviews.model import Review, Submission

Key = Annotated[
    Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[\x21-\x7e]*$")] | None,
    Header(alias="Idempotency-Key", description="The same key and request again get the same answer."),
]


class NotInBulk(Forbidden):
    """A review that its policy wants answered by itself."""

    code = "not_in_bulk"


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
    undo_s = decide.UNDO_S if body.undo_s is None else body.undo_s
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

    Each is answered by itself and says how that went. With `all_or_nothing` nothing is answered if one of them is out
    of scope, not open, or not to be answered so; a race that begins after this check still shows in its own result.
    """
    ids = list(dict.fromkeys(body.ids))
    submission = Submission(decision=body.decision, fields=body.fields, reason=body.reason)
    refused = {
        review_id: error for review_id in ids if (error := await _refusal(at_hand.pool, review_id, who))
    }
    if body.all_or_nothing and refused:
        raise next(iter(refused.values()))
    results: list[dict[str, Any]] = []
    for review_id in ids:
        key = f"{idempotency_key}:{review_id}" if idempotency_key else None
        error = refused.get(review_id)
        try:
            if error is not None:
                raise error
            done = await decide.decide(at_hand.pool, review_id, who, submission, idempotency_key=key)
            results.append({"id": review_id, "ok": True, "state": done.state})
        except ReviewError as why:
            results.append({"id": review_id, "ok": False, "problem": problem(why)})
    return JSONResponse({"results": results})


async def _refusal(pool: Pool, review_id: Word, who: Identity) -> ReviewError | None:
    """Why this review can't be answered with others. That it is still open is the deciding's own check."""
    try:
        async with pool.connection() as conn:
            review = await store.get(conn, review_id, who)
    except ReviewError as error:
        return error
    if review.risk != "low" or review.two_person or review.policy.get("bulk_allowed") is not True:
        return NotInBulk("its policy wants this review answered by itself: open it and answer there")
    return None


def _one(review: Review) -> JSONResponse:
    return JSONResponse(review_json(review))
