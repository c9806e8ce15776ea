"""What every change of a review leaves behind, in its own transaction: an audit entry, an event for other services,
and messages to the people whom its policy names."""

from collections.abc import Mapping
from typing import Any

from stationmaster.reviews import audit, events, notify
from stationmaster.reviews.database import Connection
from stationmaster.reviews.events.emitting import Kind
from stationmaster.reviews.model import CLOSED, Review
from stationmaster.reviews.outbox import queue

SERVICE = "service:stationmaster"
"""The actor where no person acted. No user's name may hold a colon."""
_EVENTS: dict[str, Kind] = {
    "opened": "opened", "returned": "opened", "reopened": "opened", "decided": "decided", "consumed": "consumed",
    "undelivered": "undelivered", "stopped": "undelivered", **dict.fromkeys(CLOSED, "closed"),
}  # fmt: skip
# An answer's way through the graph (finished, failed) is nothing to interrupt people with.
_MOMENTS: dict[str, notify.Moment] = {
    "opened": "opened", "returned": "opened", "reopened": "opened", "reminded": "reminder", "escalated": "escalation",
    "undelivered": "undelivered", "stopped": "undelivered",
    "decided": "resolution", **dict.fromkeys(CLOSED - {"finished", "failed"}, "resolution"),
}  # fmt: skip


# After these an answer that had not left yet never does.
_UNSAYING = CLOSED | {"reopened"}


async def unsay(conn: Connection, review: Review) -> None:
    """The answer was taken back before it left: nobody is told of it. Had it been told in this very moment, that the
    question is open again is told too."""
    if not await queue.withdraw(conn, review.id) and not review.debug:
        await events.emit(conn, "opened", review)


async def leave(
    conn: Connection,
    review: Review,
    action: str,
    detail: Mapping[str, Any] | None = None,
    actor: str = SERVICE,
) -> None:
    """Record it, and tell others where they care. `review` is as it is after the change.

    A breakpoint that a developer asked for concerns nobody else.
    """
    await audit.record(conn, review_id=review.id, actor=actor, action=action, detail=detail or {})
    if action in _UNSAYING:
        await queue.withdraw(conn, review.id)
    if action in _EVENTS and not review.debug:
        await events.emit(conn, _EVENTS[action], review)
    if action in _MOMENTS:
        await notify.plan(conn, _MOMENTS[action], review)
