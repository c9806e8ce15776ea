"""What the helpdesk remembers: the stock agent's state and what its middleware adds.

`ticket_id`, `user_tier`, `messages`, `turns`, `orders` and `usage` live as long as the thread; the rest belongs to one
request and is cleared by `intake`. Every key has one writer in a super-step, or a reducer. A new field must be optional
and read with a default: threads that were paused by an older version hold no value for it.
"""

import operator
from typing import Annotated, Any, Literal, NotRequired, TypeAlias

from langchain.agents.middleware.types import OmitFromInput, PrivateStateAttr
from pydantic import Field
from typing_extensions import TypedDict

from agents.shared.models.agent import Accounted
from agents.shared.shop.orders import Order

Tier: TypeAlias = Literal["guest", "customer", "premium"]
ApprovalMode: TypeAlias = Literal["batched", "per_call"]
Status: TypeAlias = Literal["answered", "refunded", "declined", "handed_over", "closed"]


class Resolution(TypedDict):
    """Ends the request: what came of it and the reply to the customer."""

    status: Annotated[
        Literal["answered", "refunded", "declined", "handed_over"],
        Field(description="refunded only if the refund tool said so; handed_over if a person has to go on"),
    ]
    reply: Annotated[str, Field(min_length=1, max_length=4_000, description="What the customer reads")]
    order_id: Annotated[str | None, Field(description="The order it is about, or null")]


class Final(TypedDict):
    """The structured answer of a run, after all checks: what the caller gets in `structured_response`."""

    status: Status
    reply: str
    order_id: str | None
    refunded_usd: float
    handed_over: bool
    why: str
    """Why a person has it, or why the request was closed; empty otherwise."""


class Paid(TypedDict):
    """A refund that was made in this request."""

    order_id: str
    amount_usd: float
    reference: str


class Failure(TypedDict):
    """What a tool could not do after its tries; it ends in the dead letters."""

    tool: str
    reason: str


def merge_orders(left: dict[str, Order] | None, right: dict[str, Order] | None) -> dict[str, Order]:
    """All orders, each as it was seen last."""
    return {**(left or {}), **(right or {})}


def add_receipts(left: list[Paid] | None, right: list[Paid] | None) -> list[Paid]:
    """Each refund once: a tool that runs again, and a second call for the same money, bring the same reference."""
    found = {(paid["order_id"], paid["reference"]): paid for paid in [*(left or []), *(right or [])]}
    return list(found.values())


class State(Accounted):
    """The whole state; what a caller may send is `messages`, `ticket_id` and `user_tier`."""

    ticket_id: NotRequired[str]
    user_tier: NotRequired[Tier]

    turns: NotRequired[Annotated[int, OmitFromInput]]
    orders: NotRequired[Annotated[dict[str, Order], OmitFromInput, merge_orders]]
    receipts: NotRequired[Annotated[list[Paid], OmitFromInput, add_receipts]]
    failures: NotRequired[Annotated[list[Failure], OmitFromInput, operator.add]]
    escalations: NotRequired[Annotated[list[str], OmitFromInput, operator.add]]
    stopped: NotRequired[Annotated[str | None, OmitFromInput]]
    """Why the agent was stopped before it had an answer."""
    guarded: NotRequired[Annotated[list[str], OmitFromInput]]
    """What the guardrail objected to in the model's reply, which was not sent then."""

    approval_mode: NotRequired[Annotated[ApprovalMode, PrivateStateAttr]]
    """As the assistant said when the request began: an answer then fits the question, although the mode was changed
    while it waited. No value of it lets a refund pass: see `allowing`."""
    model_calls: NotRequired[Annotated[int, OmitFromInput]]
    tool_calls: NotRequired[Annotated[dict[str, int], OmitFromInput]]
    """Calls of this request, by tool."""
    recent: NotRequired[Annotated[list[str], PrivateStateAttr]]
    """Digests of the newest calls, oldest first."""


Update: TypeAlias = dict[str, Any]
"""A partial state, as nodes return it; `Overwrite` values bypass a reducer."""
