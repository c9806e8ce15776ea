"""What goes in and out of the API as JSON, for the check of requests and for OpenAPI."""

import math
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from stationmaster.reviews.model import Review

Word = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]
MAX_REASON = 10_000
MAX_BULK = 100


def _keepable(text: str) -> str:
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError("holds characters that can't be kept (NUL, or half of a surrogate pair)")
    return text


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity, though Python reads them."""
    todo = [value]
    while todo:
        match todo.pop():
            case float() as number if not math.isfinite(number):
                raise ValueError("holds a number that JSON has not (NaN or Infinity)")
            case dict() as members:
                todo.extend(members.values())
            case list() as items:
                todo.extend(items)
            case _:
                pass
    return value


Text = Annotated[str, StringConstraints(min_length=1, max_length=MAX_REASON), AfterValidator(_keepable)]
Json = Annotated[Any, AfterValidator(_finite)]


class Body(BaseModel):
    """A request's body. Nothing beside what is named: who acts is read from the credential alone."""

    model_config = ConfigDict(extra="forbid")


class Decision(Body):
    """An answer: the fields of the chosen form, or `answer`, the whole of it as the graph gets it."""

    decision: Word = Field(description="One of the form's choices: approve, edit, reject, answer, ...")
    fields: Annotated[dict[str, Any], AfterValidator(_finite)] = Field(
        default_factory=dict, description="Values by field name; numbers stay numbers."
    )
    answer: Json = Field(None, description="Any JSON instead of fields; null counts if it is sent.")
    reason: Text | None = None
    undo_s: float | None = Field(
        None,
        ge=0,
        le=60,
        description="Seconds in which it can be undone before it leaves; 0 sends it at once.",
    )


class ManyDecisions(Body):
    """One answer for several reviews that their policy says may be answered so."""

    ids: list[Word] = Field(min_length=1, max_length=MAX_BULK)
    decision: Word
    fields: Annotated[dict[str, Any], AfterValidator(_finite)] = Field(default_factory=dict)
    reason: Text | None = None
    all_or_nothing: bool = Field(default=False, description="Answer all of them in one transaction, or none.")


class Settling(Body):
    """What an operator does about an answer that got stuck."""

    action: Literal["look_again", "retry", "give_up", "tick_off", "continue"]
    note: Annotated[str, StringConstraints(max_length=1_000), AfterValidator(_keepable)] | None = None
    assistant: Word | None = Field(
        None, description="With `retry`: the id or the name of an assistant to send the answer with instead."
    )


class Replaying(Body):
    """A message that was given up, as the list of messages names it."""

    message_id: Word
    receiver: Word


class NewComment(Body):
    """A remark."""

    body: Text


class Problem(BaseModel):
    """A refusal."""

    title: str
    status: int
    code: str = Field(description="Stable, for programs.")
    detail: str = Field(description="One sentence that ends with what to do.")
    model_config = ConfigDict(extra="allow")


class ReviewOut(BaseModel):
    """A review as lists show it."""

    id: str
    thread_id: str
    interrupt_id: str
    digest: str
    occurrence: int
    kind: str
    shape: str
    debug: bool
    graph: str | None
    assistant_id: str | None
    assistant: str | None
    assistant_version: int | None
    node: str | None
    namespace: str
    run_id: str | None
    checkpoint_id: str
    title: str
    amount_usd: float | None
    risk: Literal["low", "normal", "high"]
    payload: Any
    response_schema: Any
    state: str
    phase: str
    groups: list[str]
    policy: dict[str, Any]
    opened_at: datetime
    due_at: datetime | None
    remind_at: datetime | None
    reminded_at: datetime | None
    escalate_to: str | None
    escalated_at: datetime | None
    expires_at: datetime | None
    claimed_by: str | None
    claimed_at: datetime | None
    two_person: bool
    first_by: str | None
    first_at: datetime | None
    first_answer: Any
    decided_by: str | None
    decided_at: datetime | None
    decision: str | None
    answer: Any
    edits: Any
    reason: str | None
    send_after: datetime | None
    sent_at: datetime | None
    resume_run_id: str | None
    consumed_at: datetime | None
    ended_at: datetime | None
    run_status: str | None
    error: str | None
    replaced_by: str | None
    returned_from: str | None
    note: str | None
    needs_person: bool
    closed_at: datetime | None
    updated_at: datetime
    nodes: list[str]
    delivery_error: str | None = Field(description="Why the answer could not be taken further, if so.")
    failing_since: datetime | None
    delivery_tries: int
    next_try_at: datetime | None
    gave_up_at: datetime | None = Field(description="Since when it is tried no more by itself.")
    send_with: str | None


class ReviewDetail(ReviewOut):
    """A review with all that is needed to answer it."""

    body: str | None
    actions: list[Any]
    form: list[Any]
    comments: list[Any]


class ReviewPage(BaseModel):
    """A page of the list; `next` is the cursor of the next one, null on the last."""

    reviews: list[ReviewOut]
    next: str | None


class Outcome(BaseModel):
    """What became of one of many."""

    id: str
    ok: bool
    state: str | None = None
    problem: Problem | None = None


class Outcomes(BaseModel):
    """What became of each, in the order in which they were sent."""

    results: list[Outcome]


# Of no use to a client: how the answer travels.
_KEPT_BACK = frozenset({"resume"})
_RENAMED = {"assistant_name": "assistant"}


def review_json(review: Review) -> Mapping[str, Any]:
    """A review as JSON; the payload is passed on as it is, and not copied."""
    return {
        _RENAMED.get(field.name, field.name): getattr(review, field.name)
        for field in fields(review)
        if field.name not in _KEPT_BACK
    }
