"""What a person is asked when the rounds are used up, and the answers that fit.

The server hands `response_schema` to whoever draws the form and checks the answer against it before the node goes on.
"""

from typing import Annotated, Any, Literal

from langgraph.types import interrupt
from pydantic import Field, RootModel

from agents.coder.state import Attempt, State
from agents.coder.verdict import best, on_these_tests
from agents.shared.answers import StrictAnswer


class Advise(StrictAnswer):
    """Try again, with a hint."""

    action: Literal["advise"]
    advice: str = Field(min_length=1, max_length=4_000, description="What to do otherwise; code is welcome")
    tests: str | None = Field(
        default=None, max_length=20_000, description="Other tests, where those that are there are wrong"
    )


class Accept(StrictAnswer):
    """Take the best attempt as it is, failing tests and all."""

    action: Literal["accept"]


class Stop(StrictAnswer):
    """End it without a solution."""

    action: Literal["stop"]
    reason: str = Field(default="", max_length=2_000, description="Why, for whoever asked")


class Answer(RootModel[Annotated[Advise | Accept | Stop, Field(discriminator="action")]]):
    """What a person may answer: advise (advice, tests), accept, or stop (reason)."""


def question(state: State, found: Attempt) -> dict[str, Any]:
    """The payload: computed from state alone, so that a re-run asks the same."""
    tries = on_these_tests(state)
    return {
        "kind": "code_review",
        "title": f"{found['passed']} of {found['total']} tests pass after {len(tries)} attempts: what now?",
        "task": state.get("task", ""),
        "code": found["code"],
        "tests": state.get("checks", ""),
        "log": found["log"],
        "attempts": [one["summary"] for one in tries],
        "on_advise": "The code is written again with your advice, in up to three more rounds.",
        "on_accept": "The best attempt, the code shown here, is kept as accepted.",
        "on_stop": "Nothing is kept; whoever asked gets the best attempt and its log, marked as failed.",
    }


def ask_person(state: State) -> Advise | Accept | Stop:
    """Pause until a person answers. The node runs again from its start then: nothing with an effect before it."""
    found = best(state)
    if found is None:
        raise ValueError("there is no attempt to ask about; `verify` makes one")
    return interrupt(question(state, found), response_schema=Answer).root
