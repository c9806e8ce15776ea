"""Why an answer was not taken, as the page says it. Pure."""

from stationmaster.console.pages import words
from stationmaster.console.pages.form import APPROVE, EDIT, Typed, anchor
from stationmaster.console.pages.offering import offered
from stationmaster.console.pages.reviewing import Problem, Refusal
from stationmaster.console.pages.shown import label
from stationmaster.console.pages.submitting import FirstAnswerChanged, Sent
from stationmaster.reviews.errors import (
    AlreadyDecided,
    AnswerRefused,
    ClaimedByOther,
    KeyReused,
    ReviewError,
    SecondPersonNeeded,
    Stale,
    TooLate,
)
from stationmaster.reviews.model import Review


def refused(error: ReviewError, review: Review, viewer: str, sent: Sent | None) -> Refusal:
    """The problem in words, with the form as it was filled in."""
    typed = sent.typed if sent else Typed()
    if isinstance(error, AnswerRefused):
        problem = Problem("This answer does not fit", fields=_fields(error, review, typed.decision))
        typed = Typed(typed.decision, typed.texts, typed.kinds, typed.reason, error.fields)
    else:
        problem = _conflict(error, viewer)
    return Refusal(problem, error.status, typed, extra=_worth_keeping(sent))


def _conflict(error: ReviewError, viewer: str) -> Problem:
    if isinstance(error, AlreadyDecided):
        who = "You have" if error.by == viewer else f"{error.by} has"
        return Problem(
            f"{who} already answered this",
            f"{words.done(error.decision).capitalize()}, at {words.stamp(error.at)}. Your answer was not sent.",
        )
    if isinstance(error, Stale):
        return Problem(
            "This question is no longer asked", "Your answer was not sent. Below is what became of it."
        )
    if isinstance(error, ClaimedByOther):
        return Problem(
            f"{error.by} is on it",
            f"Claimed at {words.stamp(error.since)}. Your answer was not sent: ask them, or a lead, to release it.",
        )
    if isinstance(error, SecondPersonNeeded):
        return Problem(
            "This takes a second person", "You gave the first answer; somebody else has to confirm it."
        )
    if isinstance(error, FirstAnswerChanged):
        return Problem(
            "The first answer changed",
            "What you confirmed is no longer what would be sent. It is shown anew below.",
        )
    if isinstance(error, TooLate):
        return Problem("Too late to undo", "The answer has left. What it set going is shown here.")
    if isinstance(error, KeyReused):
        return Problem(
            "This form was sent before", "With another answer, which was taken. Reload the page to see it."
        )
    return Problem("Not done", str(error))


def _fields(error: AnswerRefused, review: Review, decision: str) -> tuple[dict[str, str], ...]:
    """One line a field, each leading to its control."""
    labels = {
        entry.name: entry.label for choice in offered(review).choices
        for entry in choice.fields
    }  # fmt: skip
    # Approve and edit are one form: its fields are edit's, its reason stands under approve.
    fields_of, reason_of = (EDIT, APPROVE) if decision in (APPROVE, EDIT) else (decision, decision)
    return tuple(
        {
            "label": labels.get(name) or label(name), "text": text,
            "anchor": f"reason-{reason_of}" if name == "reason" else anchor(fields_of, name) if name in labels else "",
        }
        for name, text in error.fields.items()
    )  # fmt: skip


def _worth_keeping(sent: Sent | None) -> str:
    return sent.text if sent and (sent.typed.texts or sent.typed.reason) else ""
