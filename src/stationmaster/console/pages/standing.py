"""What became of a review, in words: the steps from decided to finished, and why a stale card is stale. Pure."""

import math
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from stationmaster.console.pages import words
from stationmaster.console.pages.diffing import Parts, sides
from stationmaster.console.pages.shown import as_json, label
from stationmaster.console.pages.typed import money_text
from stationmaster.reviews.model import Review

StepState = Literal["done", "now", "todo", "good", "bad"]
LONGEST_CHANGE = 4_000


@dataclass(frozen=True)
class Step:
    """One step of the bar; `word` stands where there is no time yet."""

    label: str
    state: StepState
    at: datetime | None = None
    word: str = ""


@dataclass(frozen=True)
class Stale:
    """Why nothing can be answered here any more, and where to go instead."""

    head: str
    text: str = ""
    href: str = ""
    link: str = ""
    tone: str = "plain"


@dataclass(frozen=True)
class Undelivered:
    """Why an answer got no further, and what the service does next."""

    head: str
    why: str
    next: str
    gave_up: bool


@dataclass(frozen=True)
class Change:
    """A field that was edited, before and after."""

    name: str
    before: Parts
    after: Parts


def steps(review: Review) -> list[Step]:
    """Decided, sent, taken by the graph, and how the run ended. Empty while nobody has answered."""
    if review.decided_at is None:
        return []
    times = [("Decided", review.decided_at), ("Sent", review.sent_at), ("Taken", review.consumed_at)]
    reached = sum(at is not None for _, at in times)
    moving = review.phase == "moving"
    made = [
        Step(label, "done" if index < reached else "now" if moving and index == reached else "todo", at,
             _waiting(review, label) if moving and index == reached else "not yet" if moving else "never")
        for index, (label, at) in enumerate(times)
    ]  # fmt: skip
    return [*made, _end(review)]


def _waiting(review: Review, label: str) -> str:
    if review.delivery_error is not None:
        return {"Sent": "not delivered", "Taken": "not known"}.get(label, "")
    return {"Sent": "waiting to leave", "Taken": "waiting for the graph"}.get(label, "") or "under way"


def _end(review: Review) -> Step:
    at = review.ended_at or review.closed_at
    if review.state == "finished":
        return Step("Finished", "good", at)
    if review.state == "failed":
        return Step("Failed", "bad", at)
    if review.state == "consumed":
        return Step("Finished", "now", None, "the run goes on")
    if review.phase == "closed":
        return Step(words.state_word(review.state), "bad", at)
    return Step("Finished", "todo", None, "not yet")


def stale(review: Review, viewer: str) -> Stale | None:
    """What to tell somebody who came too late; None while it is open or on its way."""
    if review.state in ("open", "decided", "sent", "consumed", "finished", "failed"):
        return None
    replaced = (f"/reviews/{review.replaced_by}", "Open the new question") if review.replaced_by else ("", "")
    note = review.note or ""
    if review.state == "superseded":
        told = (
            note or "The thread has moved on: new input, or a changed state, took the place of this question."
        )
        return Stale("This question was replaced", told, *replaced, tone="waits" if replaced[0] else "plain")
    if review.state == "answered_elsewhere":
        told = (
            note
            or "Somebody answered it at the Agent Server itself, past this inbox. Who, the server does not say."
        )
        return Stale("Answered elsewhere", told, *replaced)
    if review.state == "expired":
        told = (
            f"Nobody answered by {words.stamp(review.expires_at)}."
            if review.expires_at
            else "Nobody answered in time."
        )
        return Stale("Expired", note or told, *replaced)
    return Stale("Withdrawn", note or "The thread is gone, and the question with it.", *replaced)


def undelivered(review: Review, now: datetime) -> Undelivered | None:
    """What to tell of an answer that got stuck on its way; None while nothing keeps it."""
    if review.delivery_error is None or review.failing_since is None:
        return None
    head = {
        "decided": "The answer could not be delivered",
        "sent": "Whether the answer arrived can't be seen",
        "consumed": "How the run goes on can't be seen",
    }[review.state]
    times = "once" if review.delivery_tries == 1 else f"{review.delivery_tries} times"
    tried = f"tried {times} in {words.span(now - review.failing_since)}"
    if review.gave_up_at is not None or review.next_try_at is None:
        told = f"The answer is kept. It was {tried}, and is tried no more by itself."
        return Undelivered(head, review.delivery_error, told, gave_up=True)
    left = words.span(review.next_try_at - now)
    when = "in a moment" if review.next_try_at <= now else f"in {left}"
    so_far = f" (so far {tried})" if review.delivery_tries else ""
    told = f"The answer is kept, and is tried again {when}{so_far}."
    return Undelivered(head, review.delivery_error, told, gave_up=False)


def undo_seconds(review: Review, viewer: str, now: datetime) -> int:
    """Whole seconds in which the answer can still be called back; 0 if it can't."""
    if review.state != "decided" or review.send_after is None or review.decided_by != viewer:
        return 0
    return max(0, math.ceil((review.send_after - now).total_seconds()))


def changes(edits: Any) -> list[Change]:
    """What was edited, {field: {"before", "after"}}, with the words that differ marked."""
    if not isinstance(edits, dict):
        return []
    return [
        Change(label(str(name)), *sides(_text(name, edit.get("before")), _text(name, edit.get("after"))))
        for name, edit in edits.items()
        if isinstance(edit, dict)
    ]


def _text(name: str, value: Any) -> str:
    text = (
        value
        if isinstance(value, str)
        else money_text(name, value)
        if not isinstance(value, dict | list)
        else as_json(value)
    )
    return text if len(text) <= LONGEST_CHANGE else f"{text[:LONGEST_CHANGE]} …"
