"""What every shape is: a module with these names."""

from typing import Any, Protocol

from stationmaster.reviews.model import Description, Form, Pending, Resume, Submission


class Shape(Protocol):
    """One kind of question, and how it is read, drawn and answered. All pure; only `validate` and `answer` refuse."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a constant of the module
        """As kept on the review."""
        ...

    def recognise(self, pending: Pending) -> bool:
        """Whether this question has this shape."""
        ...

    def describe(self, pending: Pending) -> Description:
        """The question in words."""
        ...

    def form(self, pending: Pending) -> Form:
        """The ways to answer."""
        ...

    def validate(self, pending: Pending, submission: Submission) -> Any:
        """The answer in the graph's own shape, types kept; AnswerRefused, field by field, if it does not fit."""
        ...

    def answer(self, pending: Pending, submission: Submission) -> Resume:
        """The same, with how it reaches the graph."""
        ...

    def edits(self, pending: Pending, submission: Submission) -> dict[str, Any] | None:
        """What the answer changes in the proposal: {field: {"before", "after"}}; None if nothing.

        For a submission that `validate` accepts.
        """
        ...

    def amount(self, pending: Pending, submission: Submission) -> float | None:
        """The money in what the answer will send, read as `describe` reads the question's; None if it can't be read.

        For a submission that `validate` accepts.
        """
        ...
