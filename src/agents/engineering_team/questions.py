"""What a person is asked when tests pass and findings are left, and the answers that fit.

The server hands `response_schema` to whoever draws the form and checks the answer against it before the node goes on.
"""

from typing import Annotated, Any, Literal

from langgraph.types import interrupt
from pydantic import Field, RootModel

from agents.engineering_team.checks.finding import blocking, counted
from agents.engineering_team.state import State
from agents.engineering_team.steering import findings
from agents.shared.answers import StrictAnswer

SEEN = "Reviewer and auditor of this team have looked at these very files."
UNSEEN = (
    "Nobody of this team is known to have looked at these very files: these reports may come from elsewhere."
)


class Accept(StrictAnswer):
    """Deliver it with its findings."""

    action: Literal["accept"]


class SendBack(StrictAnswer):
    """Back to the team, with a hint."""

    action: Literal["send_back"]
    advice: str = Field(
        min_length=1, max_length=2_000, pattern=r"\S", description="What to do otherwise; code is welcome"
    )


class Stop(StrictAnswer):
    """End it; nothing is delivered."""

    action: Literal["stop"]
    reason: str = Field(default="", max_length=2_000, description="Why, for whoever asked")


class Answer(RootModel[Annotated[Accept | SendBack | Stop, Field(discriminator="action")]]):
    """What a person may answer: accept, send_back (advice), or stop (reason)."""


def question(state: State, *, seen: bool) -> dict[str, Any]:
    """The payload, so that a re-run asks the same; `seen` is whether reviewer and auditor made these reports."""
    left = blocking(findings(state))
    return {
        "kind": "open_findings",
        "title": f"Tests pass, and of review and audit {counted(left)} left to mend: deliver it?",
        "task": state.get("task", ""),
        "why": state.get("why", ""),
        "files": state.get("files", {}),
        "findings": findings(state),
        "seen_by": SEEN if seen else UNSEEN,
        "on_accept": "It is delivered as accepted, with its findings.",
        "on_send_back": "The team goes on with your advice, within its limits.",
        "on_stop": "Nothing is delivered; whoever asked gets the work and its findings, marked as stopped.",
    }


def ask_person(state: State, *, seen: bool) -> Accept | SendBack | Stop:
    """Pause until a person answers. The node runs again from its start then: nothing with an effect before it."""
    return interrupt(question(state, seen=seen), response_schema=Answer).root
