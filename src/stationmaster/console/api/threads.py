"""What the Agent Server has of a review's thread: its state now, and what the run wrote that carried the answer."""

from typing import Any

from stationmaster.console.api.asking import AtHand, Who, declared
from stationmaster.console.json import JSONResponse
from stationmaster.console.services import Services
from stationmaster.reviews import results, store
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.model import Gone, Review


@declared(response_model=dict[str, Any])
async def get_thread(review_id: str, who: Who, at_hand: AtHand) -> JSONResponse:
    """Row and state of the review's thread as they are now; `there` is false where it was deleted. 502 when the Agent
    Server does not answer."""
    review = await _review(at_hand, review_id, who)
    seen = await at_hand.server.read(review.thread_id)
    if isinstance(seen, Gone):
        return JSONResponse({"there": False, "thread_id": review.thread_id})
    top = seen.checkpoint
    return JSONResponse(
        {
            "there": True, "thread_id": review.thread_id, "status": seen.status, "next": top.next,
            "checkpoint_id": top.checkpoint_id, "values": top.values,
        }
    )  # fmt: skip


@declared(response_model=dict[str, Any])
async def get_result(review_id: str, who: Who, at_hand: AtHand) -> JSONResponse:
    """What the run wrote that carried the answer: `messages` that it added, and what it `changed` in the state.

    Both are empty while nothing has taken the answer, and where the Agent Server has forgotten the run.
    """
    review = await _review(at_hand, review_id, who)
    found = await results.result_of(at_hand.server, review)
    return JSONResponse(
        {
            "run_id": review.resume_run_id, "run_status": review.run_status, "messages": found.messages,
            "changed": found.changed,
        }
    )  # fmt: skip


async def _review(at_hand: Services, review_id: str, who: Identity) -> Review:
    async with at_hand.pool.connection() as conn:
        return await store.get(conn, review_id, who)
