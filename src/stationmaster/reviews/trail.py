"""What every change of a review leaves behind, in its own transaction: an audit entry, and an event for others."""

from collections.abc import Mapping
from typing import Any

from stationmaster.reviews import audit
from stationmaster.reviews.database import Connection
from stationmaster.reviews.model import CLOSED, Review

SERVICE = "service:stationmaster"
"""The actor where no person acted. No user's name may hold a colon."""
_EVENTS = {
    "opened": "opened", "decided": "decided", "consumed": "consumed", "reminded": "reminded",
    "escalated": "escalated", "reopened": "reopened",
}  # fmt: skip


async def leave(
    conn: Connection,
    review: Review,
    action: str,
    detail: Mapping[str, Any] | None = None,
    actor: str = SERVICE,
) -> None:
    """Record it, and tell others where they care. `review` is as it is after the change."""
    await audit.record(conn, review_id=review.id, actor=actor, action=action, detail=detail or {})
    if event := _EVENTS.get(action) or ("closed" if action in CLOSED else None):
        await _emit(conn, event, review)


async def _emit(conn: Connection, event: str, review: Review) -> None:
    """To be replaced by events.emit."""
