"""What a message says. Titles come from agents and, through them, from customers: they must not do anything."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stationmaster.reviews.model import Review

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")
_ZERO_WIDTH = "\u200b"
_LEADS = {
    "opened": "Needs you",
    "reminder": "Reminder",
    "escalation": "Overdue",
    "undelivered": "Answer not delivered",
}
_ENDS = {
    "decided": "Answered", "expired": "Expired", "superseded": "No longer asked", "withdrawn": "No longer asked",
    "answered_elsewhere": "Answered elsewhere",
}  # fmt: skip

_TRIED_AGAIN = "The answer is kept and tried again; why it does not arrive stands on the review."
_GAVE_UP = "The answer is kept and tried no more by itself: mend the cause, then have it tried again."


@dataclass(frozen=True)
class Message:
    """Subject on one line; body as plain text."""

    subject: str
    body: str


def facts_of(kind: str, review: Review) -> dict[str, Any]:
    """What a message is made of, as it is when it is planned. Nothing of the payload but title and amount."""
    return {
        "kind": kind,
        "title": review.title,
        "graph": review.graph,
        "assistant": review.assistant_name,
        "amount_usd": review.amount_usd,
        "risk": review.risk,
        "due_at": None if review.due_at is None else f"{review.due_at:%Y-%m-%d %H:%M %Z}",
        "state": review.state,
        "decided_by": review.decided_by,
        "decision": review.decision,
        "decide_by_link": bool(review.policy.get("decide_by_link")) and kind != "undelivered",
        "gave_up": review.gave_up_at is not None,
    }


def worded(facts: Mapping[str, Any], url: str) -> Message:
    """The message, with a link that opens the review and does nothing else."""
    kind, title = facts["kind"], inert(facts["title"])
    lead = _LEADS.get(kind) or _ENDS.get(facts["state"], "Closed")
    lines = [title]
    if kind == "resolution" and facts["decided_by"]:
        lines.append(f"{inert(facts['decision'] or 'answered')} by {inert(facts['decided_by'])}")
    if kind == "undelivered":
        lines.append(_GAVE_UP if facts["gave_up"] else _TRIED_AGAIN)
    asker = " / ".join(inert(name) for name in (facts["graph"], facts["assistant"]) if name)
    details = {
        "Asked by": asker,
        "Amount": None if facts["amount_usd"] is None else f"${facts['amount_usd']:,.2f}",
        "Risk": None if facts["risk"] == "normal" else facts["risk"],
        "Due": facts["due_at"] if kind in _LEADS and kind != "undelivered" else None,
    }
    lines += [f"{name}: {value}" for name, value in details.items() if value]
    return Message(f"{lead}: {title}", "\n".join([*lines, "", url]))


def inert(text: str) -> str:
    """One line that mentions nobody, opens no tag and turns no text around, in a mail as in a chat."""
    plain = _CONTROL.sub(" ", text).strip()
    return re.sub(r"([@<])(?=\S)", rf"\1{_ZERO_WIDTH}", plain)
