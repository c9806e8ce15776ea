"""Why a question is gone that nobody here answered, from where the thread stands and from the runs since. Pure."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from stationmaster.reviews.carrying import runs_between
from stationmaster.reviews.model import Checkpoint, Review, RunInfo, ThreadSnapshot
from stationmaster.reviews.questions import leaf

Ending: TypeAlias = tuple[Literal["superseded", "answered_elsewhere"], str]


def why_gone(review: Review, top: Checkpoint, later: Sequence[RunInfo]) -> Ending:
    """`later`: the runs that may have done it, newest first."""
    return _changed(top) or _moved(review, later) or ("superseded", "the thread moved on without an answer")


def why_not_taken(review: Review, run: RunInfo, snapshot: ThreadSnapshot) -> Ending | None:
    """What took the question away before `run` brought the answer; None if nothing shows.

    The server accepts an answer to a question that is gone, ignores it, and calls the run a success. A breakpoint's own
    answer may change the state, so there only runs tell.
    """
    changed = _changed(snapshot.checkpoint) if review.kind == "interrupt" else None
    return changed or _moved(review, runs_between(review, run, snapshot))


def _changed(top: Checkpoint) -> Ending | None:
    if "update" in (top.source, leaf(top).source):
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
