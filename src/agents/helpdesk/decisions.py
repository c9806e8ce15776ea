"""What a reviewer may decide about refunds, and a question that is asked again where the answer can't be used, or was
given to what the question showed before."""

from functools import cache
from typing import Annotated, Any, Literal

from langgraph.errors import GraphInterrupt
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from agents.helpdesk.tools import refund
from agents.shared import asked
from agents.shared.resilience import giving_up
from agents.shared.running import thread_if_any

CHANGED = "What is asked here was changed after it was shown to you or somebody else. Please answer what it says now."
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


async def ask(
    question: dict[str, Any], count: int, shown: str, runtime: Runtime[Any]
) -> list[Approve | Edit | Reject]:
    """Pause until there is a decision for each of so many refunds.

    `shown` is a digest of what the question is about: an answer counts only if the question was about that when it was
    put (see `agents.shared.asked`).

    An answer that does not fit is kept by LangGraph all the same, and is what the node finds each time that it runs:
    with the middleware as shipped a thread fails on it for ever. So the question is put again, with what was wrong.
    """
    problem = ""
    for number in range(MOST_ANSWERS):
        thread_id, place = _place(runtime, number)
        try:
            given = interrupt(_with(question, problem))
        except GraphInterrupt:
            async with giving_up(runtime):  # without a database a person is asked all the same
                await asked.put(thread_id, place, shown)
            raise
        if await asked.was_shown(thread_id, place, shown) is False:
            problem = CHANGED
            continue
        try:
            return decisions(count).model_validate(given).decisions  # pyright: ignore[reportAttributeAccessIssue]
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"]) or "the answer"
            problem = f"The last answer could not be used ({place}: {first['msg']}). Please answer again."
    return [Reject(type="reject", message=UNUSABLE)] * count


def _place(runtime: Runtime[Any], number: int) -> tuple[str, str]:
    """The thread, and which question of this run of the gate it is."""
    task_id = runtime.execution_info.task_id if runtime.execution_info else ""
    return thread_if_any(runtime), f"{task_id}:{number}"


def _with(question: dict[str, Any], problem: str) -> dict[str, Any]:
    if not problem:
        return question
    requests = [
        {**one, "description": f"{problem}\n\n{one['description']}"} for one in question["action_requests"]
    ]
    return {**question, "action_requests": requests}
