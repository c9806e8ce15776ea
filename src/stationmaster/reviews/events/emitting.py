"""Say what happened to a review, for services that took our place or watch it."""

from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeAlias, get_args

from stationmaster.receivers import EventUrl
from stationmaster.reviews.database import Connection, Pool
from stationmaster.reviews.events.posting import Poster
from stationmaster.reviews.model import Review, as_shown
from stationmaster.reviews.outbox import queue, worker
from stationmaster.reviews.outbox.queue import Dispatch, Receiver
from stationmaster.settings import Settings

Kind: TypeAlias = Literal["opened", "decided", "undelivered", "consumed", "closed"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LEASE = timedelta(seconds=60)
LARGEST_PAYLOAD = 262_144
"""Characters of JSON; a larger payload is left out and fetched by the review's id instead."""


async def emit(conn: Connection, kind: Kind, review: Review) -> None:
    """One event, in the caller's transaction: it goes out if and only if that commits; an answer's once it can't be
    taken back any more."""
    later = review.send_after if kind == "decided" else None
    await queue.put(conn, "event", f"review.{kind}", review.id, None, as_shown(_body(kind, review)), later)


async def deliver_due(pool: Pool, settings: Settings) -> int:
    """Send what is due to the configured URLs until nothing is; how many sends ended, well or not."""
    urls = {_receiver(event_url).key: event_url for event_url in settings.event_urls}
    async with Poster(private=settings.event_private) as poster:

        async def send(dispatch: Dispatch) -> None:
            await poster.post(urls[dispatch.receiver], dispatch.message_id, dispatch.body)

        receivers = list(map(_receiver, settings.event_urls))
        return await worker.deliver_due(pool, "event", receivers, send, lease=LEASE)


def _receiver(event_url: EventUrl) -> Receiver:
    return Receiver(None, queue.key_of("event", event_url.url), event_url.shown)


def _body(kind: Kind, review: Review) -> dict[str, Any]:
    payload = as_shown(review.payload)
    whole = len(payload) <= LARGEST_PAYLOAD
    return {
        "type": f"review.{kind}",
        "timestamp": datetime.now(UTC).isoformat(),
        "data": {
            "id": review.id,
            "thread_id": review.thread_id,
            "interrupt_id": review.interrupt_id,
            "digest": review.digest,
            "occurrence": review.occurrence,
            "kind": review.kind,
            "shape": review.shape,
            "graph": review.graph,
            "assistant_id": review.assistant_id,
            "assistant": review.assistant_name,
            "assistant_version": review.assistant_version,
            "node": review.node,
            "run_id": review.run_id,
            "title": review.title,
            "amount_usd": review.amount_usd,
            "risk": review.risk,
            "groups": list(review.groups),
            "state": review.state,
            "payload": review.payload if whole else None,
            "payload_left_out": not whole,
            "response_schema": review.response_schema if whole else None,
            "opened_at": _time(review.opened_at),
            "due_at": _time(review.due_at),
            "decided_by": review.decided_by,
            "decided_at": _time(review.decided_at),
            "decision": review.decision,
            "answer": review.answer,
            "reason": review.reason,
            "consumed_at": _time(review.consumed_at),
            "run_status": review.run_status,
            "replaced_by": review.replaced_by,
            "delivery_error": review.delivery_error,
            "failing_since": _time(review.failing_since),
            "next_try_at": _time(review.next_try_at),
            "gave_up_at": _time(review.gave_up_at),
        },
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
