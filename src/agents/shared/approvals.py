"""The question a graph asks a person about an amount, and the answers that fit it.

The server hands `response_schema` to whoever draws the form and checks the answer against it before the
node goes on: an answer that does not fit raises, nothing is saved, and the question stays open.
"""

from typing import Annotated, Literal, Self

from langgraph.types import interrupt
from pydantic import Field, RootModel, model_validator
from typing_extensions import TypedDict

from agents.shared.answers import StrictAnswer, Words

LARGEST_USD = 100_000_000
"""Exclusive: what the ledger's columns can hold."""


class Approve(StrictAnswer):
    """Do it as proposed."""

    action: Literal["approve"]


class Edit(StrictAnswer):
    """Do it with another amount, another reply, or both."""

    action: Literal["edit"]
    # Strict: else `true` would pay a dollar, and a text that looks like a number what it looks like.
    amount_usd: float | None = Field(
        default=None, gt=0, lt=LARGEST_USD, strict=True, allow_inf_nan=False,
        description="USD, at most two decimals",
    )  # fmt: skip
    reply: Words | None = Field(
        default=None, min_length=1, max_length=10_000,
        description="Sent instead of the draft. If only the amount changes, the reply is written anew for it",
    )  # fmt: skip

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.amount_usd is None and self.reply is None:
            raise ValueError(
                "an edit names amount_usd, reply or both; to change nothing send {action: approve}"
            )
        return self


class Reject(StrictAnswer):
    """Don't do it; the customer is told why."""

    action: Literal["reject"]
    reason: Words = Field(min_length=1, max_length=2_000, description="What the customer is told")


class Answer(RootModel[Annotated[Approve | Edit | Reject, Field(discriminator="action")]]):
    """What a person may answer: approve, edit (amount_usd, reply) or reject (reason)."""


class Question(TypedDict):
    """The payload that is shown. It is computed from state alone, so that a re-run asks the same."""

    kind: str
    title: str
    ticket_id: str
    customer_wrote: str
    customer: dict[str, str]
    order: dict[str, object]
    amount_usd: float
    verdict: str
    draft: str
    on_approve: str
    on_reject: str
    attempt: int
    problem: str | None


def ask_person(question: Question) -> Approve | Edit | Reject:
    """Pause until a person answers, and return the answer.

    The node runs again from its start when it is resumed: nothing with an effect may stand before this call.
    """
    return interrupt(question, response_schema=Answer).root
