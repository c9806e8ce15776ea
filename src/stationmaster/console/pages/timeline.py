"""What happened to a review, in sentences: the entries of its audit, with the comments among them. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from stationmaster.console.pages import words
from stationmaster.reviews.audit import Entry
from stationmaster.reviews.store import Comment

_SAID = {
    "opened": "asked", "seen": "looked at it", "claimed": "claimed it", "released": "released it",
    "sent_back": "changed the answer and sent it back", "undone": "took the answer back", "sent": "sent the answer",
    "consumed": "saw the graph take the answer", "finished": "saw the run finish", "failed": "saw the run fail",
    "superseded": "closed it: the question was replaced", "answered_elsewhere": "closed it: answered elsewhere",
    "expired": "closed it: nobody answered in time", "withdrawn": "closed it: the thread is gone",
    "returned": "opened it again: the thread still asks", "reminded": "sent a reminder",
    "escalated": "escalated it", "link_used": "used a link from a message", "refused": "told that the graph refused",
    "reopened": "opened it again: the answer was refused", "settled": "saw to it",
    "continued": "continued the thread", "unsent": "could not send it now, and tries again",
    "undelivered": "could not deliver the answer, and goes on trying",
    "stopped": "could not deliver the answer, and tries no more by itself",
    "replayed": "had a message about it sent again",
}  # fmt: skip
# Comments stand in the list themselves.
_LEFT_OUT = frozenset({"commented"})


@dataclass(frozen=True)
class Line:
    """One thing that happened; `comment` is its text, if it is one."""

    at: datetime
    actor: str
    what: str
    comment: str = ""


def timeline(entries: Sequence[Entry], comments: Sequence[Comment]) -> list[Line]:
    """Oldest first."""
    lines = [
        Line(
            _time(entry.at),
            entry.actor,
            sentence(entry.action, entry.detail if isinstance(entry.detail, dict) else {}),
        )
        for entry in entries
        if entry.action not in _LEFT_OUT
    ]
    lines += [Line(comment.at, comment.author, "wrote", comment.body) for comment in comments]
    return sorted(lines, key=lambda line: line.at)


def sentence(action: str, detail: Mapping[str, Any]) -> str:
    """`approved with changes`, `claimed it`; an action without a sentence reads as its word."""
    if action in ("decided", "first_decided"):
        done = words.done(str(detail.get("decision") or "answer"))
        return f"{done}, first of two" if action == "first_decided" else done
    return _SAID.get(action, action.replace("_", " "))


def _time(at: datetime | str) -> datetime:
    return datetime.fromisoformat(at) if isinstance(at, str) else at
