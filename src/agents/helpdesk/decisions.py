"""What a reviewer may decide about refunds, and a question that is asked again where the answer can't be used."""

from functools import cache
from typing import Annotated, Any, Literal

from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from agents.helpdesk.tools import refund

MOST_ANSWERS = 5
"""So many answers may be unusable; then the refunds count as rejected."""
UNUSABLE = "no answer could be used"


class _Decision(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Approve(_Decision):
    """Do it."""

    type: Literal["approve"]


class Edited(BaseModel):
    """A refund with other arguments; another tool can't be put in its place."""

    name: Literal["refund"]
    args: refund.tool_call_schema  # pyright: ignore[reportGeneralTypeIssues] - the tool's own model


class Edit(_Decision):
    """Do it with other arguments."""

    type: Literal["edit"]
    edited_action: Edited


class Reject(_Decision):
    """Don't do it; the customer is told why."""

    type: Literal["reject"]
    message: str | None = None


Decision = Annotated[Approve | Edit | Reject, Field(discriminator="type")]


@cache
def decisions(count: int) -> type[BaseModel]:
    """What answers a batch of so many refunds: a decision for each, in their order."""
    each = Annotated[list[Decision], Field(min_length=count, max_length=count)]
    return create_model("Decisions", decisions=(each, ...))


def ask(question: dict[str, Any], count: int) -> list[Approve | Edit | Reject]:
    """Pause until there is a decision for each of so many refunds.

    An answer that does not fit is kept by LangGraph all the same, and is what the node finds each time that it runs:
    with the middleware as shipped a thread fails on it for ever. So the question is put again, with what was wrong.
    """
    problem = ""
    for _ in range(MOST_ANSWERS):
        given = interrupt(_with(question, problem))
        try:
            return decisions(count).model_validate(given).decisions  # pyright: ignore[reportAttributeAccessIssue]
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"]) or "the answer"
            problem = f"The last answer could not be used ({place}: {first['msg']}). Please answer again."
    return [Reject(type="reject", message=UNUSABLE)] * count


def _with(question: dict[str, Any], problem: str) -> dict[str, Any]:
    if not problem:
        return question
    requests = [
        {**one, "description": f"{problem}\n\n{one['description']}"} for one in question["action_requests"]
    ]
    return {**question, "action_requests": requests}
