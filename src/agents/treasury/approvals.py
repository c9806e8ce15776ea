"""The questions that the treasury asks people, and the answers that fit them."""

from typing import Annotated, Any, Literal

from langgraph.types import interrupt
from pydantic import Field, RootModel

from agents.shared.answers import StrictAnswer, Words
from agents.treasury.state import Line, Usd

Said = Annotated[Words, Field(min_length=1, max_length=2_000)]


class Approve(StrictAnswer):
    """Sign it, exactly as it is shown."""

    action: Literal["approve"]


class Reject(StrictAnswer):
    """Refuse it; the requester is told why."""

    action: Literal["reject"]
    reason: Said = Field(description="What the requester is told")


class Ask(StrictAnswer):
    """Send it back to the requester with a question; then it is asked here again."""

    action: Literal["ask"]
    question: Said = Field(description="What the requester is asked")


class Decision(RootModel[Annotated[Approve | Reject | Ask, Field(discriminator="action")]]):
    """What a compliance officer may answer: approve, reject (reason) or ask (question)."""


class Explain(StrictAnswer):
    """Answer the question, with other values where they were wrong."""

    action: Literal["answer"]
    text: Said = Field(description="What you say to it")
    amount_usd: Usd | None = Field(
        default=None, description="Another amount in USD, if it was wrong; everything is then checked anew"
    )
    reference: Line | None = Field(default=None, description="Another reference, if it was wrong")


class Withdraw(StrictAnswer):
    """Ask for it no longer; nothing is paid."""

    action: Literal["withdraw"]


class Explanation(RootModel[Annotated[Explain | Withdraw, Field(discriminator="action")]]):
    """What a requester may answer: answer (text, other values) or withdraw."""


def ask_officer(question: dict[str, Any]) -> Approve | Reject | Ask:
    """Pause until somebody decides. The node runs again on resume: nothing with an effect may stand before this."""
    return interrupt(question, response_schema=Decision).root


def ask_requester(question: dict[str, Any]) -> Explain | Withdraw:
    """Pause until the requester answers; as above."""
    return interrupt(question, response_schema=Explanation).root
