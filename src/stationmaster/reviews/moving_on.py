"""Why a question is gone that nobody here answered, from where the thread stands and from the runs since. Pure."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from stationmaster.reviews.answering import writes_state
from stationmaster.reviews.carrying import carrier_of, runs_between
from stationmaster.reviews.model import Beginning, Checkpoint, Review, RunInfo, ThreadSnapshot
from stationmaster.reviews.questions import find, leaf, questions

Ending: TypeAlias = tuple[Literal["superseded", "answered_elsewhere"], str]


def why_gone(review: Review, top: Checkpoint, later: Sequence[RunInfo]) -> Ending:
    """`later`: the runs that may have done it, newest first."""
    return (
        _changed(review, top)
        or _moved(review, later)
        or ("superseded", "the thread moved on without an answer")
    )


def why_not_taken(review: Review, run: RunInfo, snapshot: ThreadSnapshot) -> Ending | None:
    """What took the question away before `run` brought the answer; None if nothing shows.

    The server accepts an answer to a question that is gone, ignores it, and calls the run a success. A breakpoint's own
    answer may change the state, so there only runs tell.
    """
    changed = _changed(review, snapshot.checkpoint) if review.kind == "interrupt" else None
    moved = _moved(review, runs_between(review, run, snapshot))
    return changed or moved or _begun_elsewhere(review, run, snapshot.begun.get(run.run_id))


def to_look_up(review: Review, snapshot: ThreadSnapshot) -> str | None:
    """The run that seems to have brought the review's answer, if only its beginning tells whether it did: the thread
    stands at another checkpoint than the one that asked, and that may have been so before the run."""
    run = carrier_of(review, snapshot) if review.state == "sent" else None
    if run is None or _stands_where_asked(review, snapshot.checkpoint):
        return None
    asked = {(found.interrupt_id, found.digest) for found in questions(snapshot)}
    return None if (review.interrupt_id, review.digest) in asked else run.run_id


def not_begun(run: RunInfo, begun: Beginning | None) -> bool:
    """Whether it is under way and has moved nothing yet, so that what has moved was not its doing."""
    return run.active and begun is not None and not begun.moved


def _begun_elsewhere(review: Review, run: RunInfo, begun: Beginning | None) -> Ending | None:
    """A run that took the answer goes on from the checkpoint that asked, or from the answer's own change of it."""
    if begun is None or not_begun(run, begun):
        return None
    own_change = begun.source == "update" and begun.parent_id == review.checkpoint_id
    if begun.checkpoint_id == review.checkpoint_id or (writes_state(review) and own_change):
        return None
    if begun.source in ("update", "fork"):
        return "superseded", "the state was changed"
    return "superseded", "the thread had moved on to another checkpoint"


def _stands_where_asked(review: Review, top: Checkpoint) -> bool:
    nested = (task.state for task in top.tasks if task.state)
    return top.checkpoint_id == review.checkpoint_id or any(
        _stands_where_asked(review, state) for state in nested
    )


def _changed(review: Review, top: Checkpoint) -> Ending | None:
    here = find(top, review.namespace)
    if "update" in (top.source, leaf(top).source, here and here.source):
        return "superseded", "the state was changed: continuing the thread asks again"
    if top.source == "fork":
        return "superseded", "the thread was forked to another checkpoint"
    return None


def _moved(review: Review, later: Sequence[RunInfo]) -> Ending | None:
    for run in later:
        if review.interrupt_id in run.resume_ids or (run.has_resume and not run.resume_ids):
            return "answered_elsewhere", f"run {run.run_id} brought an answer from elsewhere"
        if review.kind == "breakpoint" and not run.has_input and not run.has_resume:
            return "answered_elsewhere", f"run {run.run_id} continued the thread from elsewhere"
    if any(run.has_input for run in later):
        return "superseded", "new input replaced the question"
    return None
