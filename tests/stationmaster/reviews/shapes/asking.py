"""Short ways to a pending question and to what is said about an answer to it."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from stationmaster.reviews import shapes
from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Choice, Form, Pending, Submission

NODE = "node"


def pending(value: Any, schema: dict[str, Any] | None = None, **options: Any) -> Pending:
    return Pending("thread", "interrupt", value, schema, **{"node": NODE, **options})


def typed(value: Any, of: Any, **options: Any) -> Pending:
    """As the server shows `interrupt(value, response_schema=of)`."""
    return pending(value, TypeAdapter(of).json_schema(), **options)


def decide(decision: str, fields: dict[str, Any] | None = None, reason: str | None = None) -> Submission:
    return Submission(decision, fields or {}, reason=reason)


def whole(raw: Any, decision: str = "answer") -> Submission:
    """The answer as JSON."""
    return Submission(decision, raw=raw, has_raw=True)


def form(question: Pending) -> Form:
    return shapes.of(question).form(question)


def choice(question: Pending, decision: str) -> Choice:
    found = form(question).choice(decision)
    assert found is not None
    return found


def value(question: Pending, submission: Submission) -> Any:
    """What goes back to the graph."""
    resume = shapes.of(question).answer(question, submission)
    assert resume.kind == "resume"
    return resume.value


def edits(question: Pending, submission: Submission) -> dict[str, Any] | None:
    return shapes.of(question).edits(question, submission)


def refusal(question: Pending, submission: Submission) -> dict[str, str]:
    """What is wrong with the answer, field by field."""
    with pytest.raises(AnswerRefused) as caught:
        shapes.of(question).validate(question, submission)
    return caught.value.fields


def exactly(value: Any) -> Any:
    """The value with its types, for comparing: 1, 1.0 and true are equal in Python."""
    match value:
        case dict():
            return {key: exactly(item) for key, item in value.items()}
        case list():
            return [exactly(item) for item in value]
        case _:
            return type(value).__name__, value
