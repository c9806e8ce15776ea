"""The questions that a traveller is asked, and the answers that fit them.

The server hands `response_schema` to whoever draws the form and checks the answer against it before the node goes on:
an answer that does not fit raises, nothing is saved, and the question stays open.
"""

from typing import Annotated, Any, Literal

from langgraph.types import interrupt
from pydantic import Field, RootModel

from agents.shared.answers import StrictAnswer, Words


class Approve(StrictAnswer):
    """Yes: hold it, exactly as it is shown."""

    action: Literal["approve"]


class HaveVisa(StrictAnswer):
    """Everybody on the trip has the visa that is needed, or will have it before departure."""

    action: Literal["have_visa"]


class Reject(StrictAnswer):
    """No: nothing is held."""

    action: Literal["reject"]
    reason: str = Field(default="", max_length=2_000, description="Why not, if you want to say")


class Change(StrictAnswer):
    """Not this one: look again, with what you say."""

    action: Literal["change"]
    text: Annotated[Words, Field(min_length=1, max_length=2_000)] = Field(
        description="What should be different: dates, budget, hotel, number of travellers"
    )


class HoldAnswer(RootModel[Annotated[Approve | Reject | Change, Field(discriminator="action")]]):
    """What a traveller may answer to a proposal: approve, reject (reason) or change (text)."""


class VisaAnswer(RootModel[Annotated[HaveVisa | Reject | Change, Field(discriminator="action")]]):
    """What a traveller may answer when a visa is needed: have_visa, reject or change (text)."""


def ask_hold(question: dict[str, Any]) -> Approve | Reject | Change:
    """Pause until the traveller answers. The node runs again on resume: nothing with an effect stands before this."""
    return interrupt(question, response_schema=HoldAnswer).root


def ask_visa(question: dict[str, Any]) -> HaveVisa | Reject | Change:
    """The same about a visa."""
    return interrupt(question, response_schema=VisaAnswer).root
