"""From one look at a thread and the reviews known of it to what must change. Pure: no clock, no I/O, no chance."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from stationmaster.reviews.carrying import carrier_of, runs_after
from stationmaster.reviews.model import (
    UNFINISHED,
    Gone,
    Pending,
    Review,
    ReviewState,
    RunInfo,
    ThreadSnapshot,
)
from stationmaster.reviews.moving_on import Ending, not_begun, why_gone, why_not_taken
from stationmaster.reviews.questions import leaf, questions, task_errors

_REFUSED = re.compile(r"^\d+ validation errors? for (?P<title>.*)")
TAKEN_THEN_FAILED = "the answer was taken, then its node failed; answering again would change nothing"
FORGOTTEN = (
    "the Agent Server has forgotten the run that carried the answer; whether it had an effect is not known"
)

Key: TypeAlias = tuple[str, str]
Drift: TypeAlias = Literal[
    "missed", "vanished", "superseded", "answered_elsewhere", "answered_but_pending", "returned"
]


@dataclass(frozen=True)
class Open:
    """A new review. `returned_from`: the one that was closed and whose question is asked again."""

    question: Pending
    occurrence: int = 1
    returned_from: str | None = None


@dataclass(frozen=True)
class Move:
    """A review changes, if it is still as it was when the plan was made."""

    review: Review
    state: ReviewState
    why: str
    note: str | None = None
    run: RunInfo | None = None
    """The run that carries the answer, once it is known."""
    run_status: str | None = None
    error: str | None = None
    needs_person: bool = False
    took: bool = False
    """The answer was taken by the graph: consumed, whatever became of it then."""
    drift: Drift | None = None


Change: TypeAlias = Open | Move


@dataclass
class _Look:
    """A snapshot and what follows from it."""

    snapshot: ThreadSnapshot
    asked: Mapping[Key, Pending] = field(init=False)
    errors: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.asked = {(found.interrupt_id, found.digest): found for found in questions(self.snapshot)}
        self.errors = task_errors(self.snapshot.checkpoint)

    def question(self, review: Review) -> Pending | None:
        return self.asked.get((review.interrupt_id, review.digest))

    def stands_at(self, review: Review) -> bool:
        """The thread is still at the checkpoint of this breakpoint, whatever its runs say."""
        here = leaf(self.snapshot.checkpoint)
        return review.kind == "breakpoint" and here.checkpoint_id == review.checkpoint_id

    def nothing_moved(self, review: Review) -> bool:
        """No run since the one that asked, and the same checkpoint: only the graph can have changed."""
        same = leaf(self.snapshot.checkpoint).checkpoint_id == review.checkpoint_id
        known = any(run.run_id == review.run_id for run in self.snapshot.runs)
        return same and known and not runs_after(review, self.snapshot)

    def carrier(self, review: Review) -> RunInfo | None:
        return carrier_of(review, self.snapshot)

    def why_gone(self, review: Review) -> Ending:
        return why_gone(review, self.snapshot.checkpoint, runs_after(review, self.snapshot))


def plan(
    seen: ThreadSnapshot | Gone, known: Sequence[Review], in_hand: Collection[str] = frozenset()
) -> list[Change]:
    """What to change so that the reviews say what the thread says; nothing when they do already.

    `in_hand`: ids of reviews that a worker is sending at this moment; what is not yet known of them is not
    concluded from.
    """
    if isinstance(seen, Gone):
        return [_withdrawn(review) for review in known if review.state in UNFINISHED]
    look = _Look(seen)
    moves = [
        move
        for review in known
        if review.state in UNFINISHED
        if (move := _settled(review, look, review.id in in_hand))
    ]
    return [*moves, *_opened(look, known, {move.review.id: move for move in moves})]


def _settled(review: Review, look: _Look, in_hand: bool) -> Move | None:
    match review.state:
        case "open" | "decided":
            return _undelivered(review, look)
        case "sent":
            return _sent(review, look, in_hand)
        case _:
            return _consumed(review, look)


def _undelivered(review: Review, look: _Look) -> Move | None:
    """Nobody's answer is on its way from here: if the question is gone, somebody or something else did it."""
    if look.question(review):
        return None
    if look.stands_at(review) and not look.errors:
        return None  # a run is under way, or one was cancelled: the breakpoint is where it was
    if review.state == "decided" and look.nothing_moved(review):
        return None  # its graph has changed under it: the answer is kept, and somebody is told
    state, why = look.why_gone(review)
    return Move(review, state, why, drift=state)


def _sent(review: Review, look: _Look, in_hand: bool) -> Move | None:
    run, question = look.carrier(review), look.question(review)
    if run is None:
        return None if in_hand else _carrier_unknown(review, look, question)
    if run.active:
        moved = question is None and not look.stands_at(review)
        if moved and not not_begun(run, look.snapshot.begun.get(run.run_id)):
            consumed = Move(review, "consumed", "the thread went on with the answer", run=run, took=True)
            return _too_late(review, look, run) or consumed
        return _adopted(review, run)
    if review.kind == "breakpoint":
        taken = not look.stands_at(review) or run.status in ("error", "timeout")
        if not taken:
            return _reopened(review, run, None)
        return _too_late(review, look, run) or _ended(review, look, run)
    if question is None:
        return _too_late(review, look, run) or _ended(review, look, run)
    if question.error and not is_refusal(question) and run.status != "success":
        return Move(
            review, "failed", TAKEN_THEN_FAILED, note=TAKEN_THEN_FAILED, run=run, run_status=run.status,
            error=question.error, needs_person=True, took=True,
        )  # fmt: skip
    return _reopened(review, run, question.error)


def _too_late(review: Review, look: _Look, run: RunInfo) -> Move | None:
    """Something else moved the thread between the look before sending and the run: whose answer counted is not sure."""
    ending = why_not_taken(review, run, look.snapshot)
    if ending is None:
        return None
    state, why = ending
    note = f"{why}, before run {run.run_id} brought the answer given here; look at the thread"
    return Move(
        review, state, note, note=note, run=run, run_status=run.status, needs_person=True, drift=state
    )  # fmt: skip


def _adopted(review: Review, run: RunInfo) -> Move | None:
    """A run found by its metadata: the process that started it died before it noted the id."""
    return None if review.resume_run_id == run.run_id else Move(review, "sent", "its run was found", run=run)


def _carrier_unknown(review: Review, look: _Look, question: Pending | None) -> Move | None:
    """Without a run id the answer was perhaps never sent: the worker looks, and sends again, if it is still asked."""
    if review.resume_run_id in look.snapshot.forgotten:
        if look.snapshot.busy:
            return None
        drift: Drift | None = "returned" if question else None
        return Move(
            review,
            "failed",
            FORGOTTEN,
            note=FORGOTTEN,
            run_status="forgotten",
            needs_person=True,
            drift=drift,
        )
    if review.resume_run_id or question or look.stands_at(review) or half_sent(review, look.snapshot):
        return None
    if look.nothing_moved(review):
        return None  # as of one that never left: its graph has changed under it
    state, why = look.why_gone(review)
    return Move(review, state, f"{why}, before the answer was sent", drift=state)


def half_sent(review: Review, snapshot: ThreadSnapshot) -> bool:
    """The state was written on top of the review's checkpoint, and the run that goes on was not started."""
    here = leaf(snapshot.checkpoint)
    return review.kind != "interrupt" and here.source == "update" and here.parent_id == review.checkpoint_id


def _ended(review: Review, look: _Look, run: RunInfo) -> Move:
    if run.status == "success":
        return Move(review, "finished", "its run ended", run=run, run_status=run.status, took=True)
    error = look.errors[0] if look.errors else None
    cancelled = run.status == "interrupted"
    why = (
        "its run was cancelled after it took the answer" if cancelled else f"its run ended with {run.status}"
    )
    return Move(review, "failed", why, run=run, run_status=run.status, error=error, took=True)


def _reopened(review: Review, run: RunInfo, error: str | None) -> Move:
    """The question is asked as before: the answer had no effect on it."""
    match run.status:
        case "error" | "timeout":
            note = (
                "the graph refused the answer"
                if error
                else f"the run ended with {run.status} before its node ran"
            )
        case "interrupted":
            note = "the run that carried the answer was cancelled"
        case _:
            note = "the run that carried the answer ended, and the question is still asked"
    return Move(
        review, "open", note, note=note, run=run, run_status=run.status, error=error, drift="answered_but_pending"
    )  # fmt: skip


def is_refusal(question: Pending) -> bool:
    """Whether its node raised because the answer doesn't fit `response_schema`: then nothing was saved.

    Any other error came after the answer, which the server then keeps: it would be used again, whatever is
    answered later.
    """
    found = _REFUSED.match(question.error or "")
    if not found or question.response_schema is None:
        return False
    title = question.response_schema.get("title")
    return title is None or found["title"].strip() == title


def _consumed(review: Review, look: _Look) -> Move | None:
    run = look.carrier(review)
    if run is not None:
        return None if run.active else _ended(review, look, run)
    if review.resume_run_id not in look.snapshot.forgotten or look.snapshot.busy:
        return None
    drift: Drift | None = "returned" if look.question(review) else None
    return Move(
        review, "failed", FORGOTTEN, note=FORGOTTEN, run_status="forgotten", needs_person=True, drift=drift
    )


def _opened(look: _Look, known: Sequence[Review], moves: Mapping[str, Move]) -> list[Open]:
    """New questions. Not while a run moves the thread: it may be answering what its checkpoint still shows."""
    if look.snapshot.running:
        return []
    newest: dict[Key, Review] = {}
    for review in sorted(known, key=lambda review: review.occurrence):
        newest[review.interrupt_id, review.digest] = review
    return [
        opened
        for key, question in look.asked.items()
        if (opened := _new(question, newest.get(key), moves)) is not None
    ]


def _new(question: Pending, last: Review | None, moves: Mapping[str, Move]) -> Open | None:
    if last is None:
        return Open(question)
    move = moves.get(last.id)
    state = move.state if move else last.state
    if state in UNFINISHED or state == "expired":
        return None
    took = move.took if move else last.consumed_at is not None
    if state == "failed" and took and question.error and last.checkpoint_id == question.checkpoint_id:
        return None  # the server lists it on beside the error of the node that has its answer
    return Open(question, last.occurrence + 1, last.id)


def _withdrawn(review: Review) -> Move:
    return Move(review, "withdrawn", "the thread was deleted", drift="vanished")
