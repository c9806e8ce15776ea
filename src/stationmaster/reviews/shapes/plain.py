"""Any value at all, answered with any JSON: what every question is that has no other shape."""

from typing import Any

from stationmaster.reviews.model import Choice, Description, Form, Pending, Resume, Submission
from stationmaster.reviews.shapes import sent
from stationmaster.reviews.shapes.amounts import changed_parts
from stationmaster.reviews.shapes.fields import anything
from stationmaster.reviews.shapes.filling import RAW, chosen, filled
from stationmaster.reviews.shapes.sendable import require_sendable
from stationmaster.reviews.shapes.text import listed
from stationmaster.reviews.shapes.wording import described

NAME = "plain"
OPTION_KEYS = ("options", "choices", "allowed")


def recognise(pending: Pending) -> bool:
    return True


def describe(pending: Pending) -> Description:
    return described(pending.value)


def form(pending: Pending) -> Form:
    options = _options(pending.value)
    schema = {"examples": options} if options else {}
    hint = f"The question names {listed(options)}." if options else None
    field = anything(schema=schema, help=hint)
    return Form((Choice(RAW, "Answer", (field,), primary=True),))


def validate(pending: Pending, submission: Submission) -> Any:
    choice = chosen(form(pending), submission)
    if submission.has_raw:
        require_sendable(submission.raw)
        return submission.raw
    return filled(choice, submission)[RAW]


def answer(pending: Pending, submission: Submission) -> Resume:
    return Resume("resume", validate(pending, submission))


def edits(pending: Pending, submission: Submission) -> dict[str, Any] | None:
    """What an answer says otherwise than the question does under the same key, and any amount of money."""
    made = validate(pending, submission)
    return changed_parts(pending.value, made) if isinstance(made, dict) else None


def amount(pending: Pending, submission: Submission) -> float | None:
    return sent.of_reply(pending.value, validate(pending, submission))


def _options(value: Any) -> list[Any]:
    """What the question itself suggests; suggestions only, since nothing says that the graph takes no other."""
    if isinstance(value, dict):
        for key in OPTION_KEYS:
            options = value.get(key)
            if isinstance(options, list) and options and len(options) <= 20:
                return [option for option in options if isinstance(option, str | int | float | bool)]
    return []
