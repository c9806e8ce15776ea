"""What a reviewer reads about a review: its state in a word, ages and due times, money. Pure."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from stationmaster.reviews.model import POLICY_ACTOR, Review

Tone = Literal["waits", "moving", "done", "failed", "closed"]

DUE_SOON = timedelta(hours=1)

_MOVING: dict[str, tuple[str, Tone]] = {
    "decided": ("Decided", "moving"),
    "sent": ("Sent", "moving"),
    "consumed": ("Running on", "moving"),
    "finished": ("Finished", "done"),
    "failed": ("Failed", "failed"),
    "superseded": ("Replaced", "closed"),
    "answered_elsewhere": ("Answered elsewhere", "closed"),
    "expired": ("Expired", "closed"),
    "withdrawn": ("Withdrawn", "closed"),
}
_DONE = {
    "approve": "approved", "edit": "approved with changes", "reject": "rejected", "ignore": "ignored",
    "respond": "responded", "answer": "answered", "continue": "let it continue",
}  # fmt: skip


@dataclass(frozen=True)
class Status:
    """A dot and a word: `tone` colours the dot, the word alone says it all."""

    word: str
    tone: Tone


def status(review: Review, viewer: str) -> Status:
    """Where a review stands, as `viewer` should read it."""
    if review.state == "decided" and review.delivery_error is not None:
        return Status("Not delivered", "failed")
    if review.needs_person and review.phase != "closed":
        return Status("Needs an operator", "failed")
    if review.state != "open":
        return Status(*_MOVING[review.state])
    if review.first_by == viewer:
        return Status("With a second", "moving")
    if review.claimed_by and review.claimed_by != viewer:
        return Status("Claimed", "moving")
    if review.first_by:
        return Status("To confirm", "waits")
    return Status("Yours" if review.claimed_by else "Waiting", "waits")


def owner(review: Review, viewer: str) -> str:
    """Who has an open one in hand: the person who claimed it, else the groups that are asked."""
    if review.claimed_by:
        return _person(review.claimed_by, viewer)
    return ", ".join(review.groups) or "everybody"


def answerer(review: Review, viewer: str) -> str:
    """Who answered it here; where it closed without, that nobody did, or that it was somebody elsewhere."""
    if review.decided_by:
        return _person(review.decided_by, viewer)
    return "somebody elsewhere" if review.state == "answered_elsewhere" else "nobody"


def _person(name: str, viewer: str) -> str:
    if name == POLICY_ACTOR:
        return "policy"
    return "you" if name == viewer else name


def actor(name: str) -> str:
    """A name; what no person did has a colon in its actor."""
    return {"service:stationmaster": "Stationmaster", "policy:expiry": "The policy, at expiry,"}.get(
        name, name
    )


def span(length: timedelta) -> str:
    """`40 s`, `12 min`, `3 h`, `5 d`: one figure, rounded down."""
    seconds = max(0, int(length.total_seconds()))
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3_600:
        return f"{seconds // 60} min"
    return f"{seconds // 3_600} h" if seconds < 172_800 else f"{seconds // 86_400} d"


def ago(then: datetime, now: datetime) -> str:
    """`3 h ago`, `just now`."""
    return "just now" if now - then < timedelta(seconds=5) else f"{span(now - then)} ago"


@dataclass(frozen=True)
class Due:
    """When an answer is due, in words; `urgency` is overdue, soon or later."""

    text: str
    urgency: Literal["overdue", "soon", "later"]
    at: datetime


def due(review: Review, now: datetime) -> Due | None:
    """None when nothing is due, or nothing more."""
    if review.due_at is None or review.state != "open":
        return None
    left = review.due_at - now
    if left <= timedelta(0):
        return Due(f"Overdue {span(-left)}", "overdue", review.due_at)
    return Due(f"in {span(left)}", "soon" if left <= DUE_SOON else "later", review.due_at)


def money(amount: float | None) -> str:
    """`$1,240.50`; nothing for None."""
    if amount is None:
        return ""
    return f"-${-amount:,.2f}" if amount < 0 else f"${amount:,.2f}"


def done(decision: str | None) -> str:
    """The past of a decision: `approved with changes`."""
    return _DONE.get(decision or "", decision or "")


def sentence(text: str) -> str:
    """A remark of the service as a sentence: it begins with a capital and ends with a stop."""
    said = text[:1].upper() + text[1:]
    return said if not said or said.endswith((".", "!", "?", "…")) else f"{said}."


def stamp(at: datetime | None) -> str:
    """`2026-05-04 10:22:31 UTC`, for titles and tables where the exact time matters."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if at else ""


def minute(at: datetime) -> str:
    """`4 May, 08:30`, in UTC."""
    at = at.astimezone(UTC)
    return f"{at.day} {at:%b}, {at:%H:%M}"


def clock(at: datetime) -> str:
    """`10:22:31`, in UTC; the browser puts its own time in its place."""
    return f"{at.astimezone(UTC):%H:%M:%S}"


def state_word(state: str) -> str:
    """A state in the word that the list uses."""
    return _MOVING[state][0] if state in _MOVING else "Waiting"


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)
