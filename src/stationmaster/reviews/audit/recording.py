"""Write to the audit, inside the transaction of what is recorded: both are there afterwards, or neither."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from stationmaster.postgres.queries import load
from stationmaster.reviews.database import Connection
from stationmaster.reviews.model import Review, canonical

QUERIES = load(Path(__file__).parent / "audit.sql")
RECORD = QUERIES["record"]
RECORD_SEEN = QUERIES["record_seen"]

Action: TypeAlias = Literal[
    "opened", "seen", "claimed", "released", "commented", "first_decided", "decided", "sent_back", "undone", "sent",
    "consumed", "finished", "failed", "superseded", "answered_elsewhere", "expired", "withdrawn", "returned",
    "reminded", "escalated", "link_used", "refused", "settled", "continued", "exported", "unsent",
    "user_added", "user_removed", "password_set", "groups_set", "roles_set", "token_made", "token_revoked", "signed_in",
    "retried", "replayed",
]  # fmt: skip
ACTIONS: frozenset[str] = frozenset(get_args(Action))
"""The usual ones; any other lower-case word is taken too."""


async def record(
    conn: Connection,
    *,
    review_id: str | None,
    actor: str,
    action: str,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """One entry. It joins the chain when `conn` commits, and is not there before, nor if it rolls back.

    Call it wherever it reads best: the chain's lock is taken by the commit, after all other locks, so the order of
    calls can't deadlock. Commits that record wait for one another; docs/reviews/policies.md says what that costs.
    """
    await conn.execute(RECORD, _parameters(review_id, actor, action, detail or {}))


async def seen(conn: Connection, review: Review, actor: str, via: str) -> None:
    """That `actor` was shown the review (`via` page, api or cli): recorded once for each way."""
    await conn.execute(RECORD_SEEN, _parameters(review.id, actor, "seen", {"via": via, **shown(review)}))


def shown(review: Review) -> dict[str, Any]:
    """What was shown, as an entry refers to it: the digest of payload and schema, and where the payload is kept."""
    return {"digest": review.digest, "payload": f"reviews/{review.id}"}


def _parameters(review_id: str | None, actor: str, action: str, detail: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "review_id": review_id, "actor": actor, "action": action, "detail": canonical(dict(detail)),
        "opening": canonical({"action": action, "actor": actor})[:-1],
    }  # fmt: skip
