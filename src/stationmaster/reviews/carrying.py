"""The run that carries an answer: how it is stamped, how it is found again, and what came before it. Pure."""

from datetime import UTC

from stationmaster.reviews.model import Review, RunInfo, ThreadSnapshot

REVIEW_KEY = "stationmaster_review"
"""Metadata of a run that carries an answer: the review's id, by which the run is found again after a crash."""
DECISION_KEY = "stationmaster_decision"
"""Which decision about the review: a question that opened again is answered anew, and the earlier run is another's."""
AFTER_KEY = "stationmaster_after"
"""The newest run of the thread at the look before sending: what lies between the two moved the thread meanwhile."""


def stamp(review: Review, seen: ThreadSnapshot) -> dict[str, str]:
    """The metadata of a run that carries the review's answer, sent after `seen`."""
    after = {AFTER_KEY: seen.run.run_id} if seen.run else {}
    return {REVIEW_KEY: review.id, DECISION_KEY: decision_of(review), **after}


def decision_of(review: Review) -> str:
    """What tells one decision about a review from the next: when the database took it, to the microsecond."""
    return review.decided_at.astimezone(UTC).isoformat(timespec="microseconds") if review.decided_at else ""


def carries(run: RunInfo, review: Review) -> bool:
    """Whether the run was started for this answer to this review."""
    return run.metadata.get(REVIEW_KEY) == review.id and run.metadata.get(DECISION_KEY) == decision_of(review)


def carrier_of(review: Review, snapshot: ThreadSnapshot) -> RunInfo | None:
    """The run that carries the review's answer: by its id, else by its stamp."""
    for run in snapshot.runs:
        if run.run_id == review.resume_run_id:
            return run
    if review.resume_run_id is not None:
        return None
    return next((run for run in snapshot.runs if carries(run, review)), None)


def runs_after(review: Review, snapshot: ThreadSnapshot) -> list[RunInfo]:
    """Runs newer than the one that asked; all that are known, where that one is not among them."""
    return _down_to(snapshot.runs, review.run_id)


def runs_between(review: Review, carrier: RunInfo, snapshot: ThreadSnapshot) -> list[RunInfo]:
    """Other people's runs, begun after the look before the answer was sent and before the run that carries it."""
    ids = [run.run_id for run in snapshot.runs]
    older = snapshot.runs[ids.index(carrier.run_id) + 1 :] if carrier.run_id in ids else ()
    after = carrier.metadata.get(AFTER_KEY)
    last_seen = after if after in ids else review.run_id
    return [run for run in _down_to(older, last_seen) if not carries(run, review)]


def _down_to(runs: tuple[RunInfo, ...], run_id: str | None) -> list[RunInfo]:
    later: list[RunInfo] = []
    for run in runs:
        if run.run_id == run_id:
            break
        later.append(run)
    return later
