"""From what a person sent to what the graph is given: through the question's shape and the policy. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from stationmaster.reviews import shapes
from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Resume, Review, Submission, canonical
from stationmaster.reviews.policies import needs_two


@dataclass(frozen=True)
class Answered:
    """A valid answer. `answer` is in the graph's shape, `resume` says how it gets there, as JSON."""

    decision: str
    answer: Any
    resume: dict[str, Any]
    edits: dict[str, Any] | None
    reason: str | None
    amount_usd: float | None
    """The money in what will be sent; None if it can't be read."""

    def told(self) -> dict[str, Any]:
        """For the audit: who reads it finds all that was decided."""
        return {name: value for name, value in _parts(self).items() if name != "resume" and value is not None}

    def as_first(self) -> dict[str, Any]:
        """As the first of two people's answers is kept."""
        return _parts(self)


def answered(review: Review, submission: Submission) -> Answered:
    """The submission as an answer to this review; AnswerRefused, field by field."""
    question, shape = review.pending, shapes.named(review.shape)
    value = shape.validate(question, submission)
    edits = shape.edits(question, submission)
    _require_editable(review.policy.get("editable"), edits)
    reason = submission.reason.replace("\0", "").strip() if submission.reason else None
    return Answered(
        decision=submission.decision.replace("\0", ""),
        answer=value,
        resume=_parts(shape.answer(question, submission)),
        edits=edits,
        reason=reason or None,
        amount_usd=shape.amount(question, submission),
    )


def resume_of(review: Review) -> Resume:
    """How the review's answer reaches the graph."""
    return Resume(**review.resume)


def writes_state(review: Review) -> bool:
    """Whether sending takes two steps: a change of state, then a run."""
    resume = resume_of(review)
    return resume.kind != "resume" and bool(resume.state_update or resume.as_node)


def goes_to_second_person(review: Review, given: Answered) -> bool:
    """By the rule stamped when it opened, and by the amount that will be sent: an answer may raise it."""
    above = review.policy.get("two_people_above_usd")
    return review.two_person or needs_two(False, above, given.amount_usd)


def same_answer(first: Mapping[str, Any], given: Answered) -> bool:
    """Whether the second person says what the first said: the decision, and each value and type in the answer."""
    return first["decision"] == given.decision and canonical(first["answer"]) == canonical(given.answer)


def _parts(made: Answered | Resume) -> dict[str, Any]:
    """By name, uncopied: dataclasses.asdict would walk down into JSON, however deep."""
    return {field.name: getattr(made, field.name) for field in fields(made)}


def _require_editable(allowed: Any, edits: Mapping[str, Any] | None) -> None:
    """Under a policy that names fields, only these change; a nested field counts with the one that holds it."""
    if allowed is None or not edits:
        return
    wrong = [
        name for name in edits if name not in allowed and not any(_within(name, part) for part in allowed)
    ]
    if wrong:
        raise AnswerRefused(dict.fromkeys(wrong, "can't be changed under this review's policy"))


def _within(name: str, part: str) -> bool:
    return name.startswith((f"{part}.", f"{part}[")) or name.endswith(f".{part}")
