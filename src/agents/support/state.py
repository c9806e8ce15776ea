"""What the support graph remembers: some of it per thread, most of it per request.

Keys of the thread (ticket_id, messages, summary, turns, usage) live as long as the conversation; all
others belong to one request and are cleared by `intake`. Every key has one writer in a super-step, or
a reducer. A new field must be optional and read with a default: threads that were paused by an older
version hold no value for it.
"""

import operator
from typing import Annotated, Any, Literal, NotRequired, TypeAlias, TypeVar, get_args

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from langgraph.managed import RemainingSteps
from typing_extensions import TypedDict

from agents.shared.failures import Failure
from agents.shared.limits import Usage, add_usage
from agents.shared.shop.articles import Article
from agents.shared.shop.orders import Order
from agents.shared.shop.policies import Policy

Written = TypeVar("Written")
Intent: TypeAlias = Literal["refund", "question", "order_change", "complaint", "human"]
Tool: TypeAlias = Literal["lookup_order", "search_kb", "refund"]
TOOLS: tuple[Tool, ...] = get_args(Tool)
"""What an assistant can be kept from doing."""
Reason: TypeAlias = Literal["damaged", "not_as_described", "late", "wrong_item", "changed_mind", "other"]
Status: TypeAlias = Literal["none", "declined", "proposed", "approved", "rejected", "paid"]
Outcome: TypeAlias = Literal[
    "refund_proposed",
    "refunded",
    "refund_rejected",
    "refund_declined",
    "order_not_found",
    "order_number_missing",
    "answered",
    "no_article",
    "order_change",
    "complaint",
    "human",
    "dead_letter",
    "closed",
]


class Details(TypedDict):
    """What `classify` read from the message besides intent and order number."""

    reason: Reason
    queries: list[str]


class Decision(TypedDict):
    """What was decided about the money, and by whom.

    `status` moves none -> declined, or proposed -> (approved | rejected) -> paid.
    """

    status: Status
    amount_usd: float
    why: str
    needs_approval: NotRequired[bool]
    reject_reason: NotRequired[str]
    reference: NotRequired[str]


class Problem(TypedDict):
    """An answer of the model, or of a reviewer, that can't be used; it is shown again with the reason."""

    node: str
    error: str
    answer: str


class Dropped(TypedDict):
    """A refund that waited for a person when the customer wrote again, which took the question away."""

    order_id: str
    amount_usd: float


def merge_articles(left: list[Article], right: list[Article]) -> list[Article]:
    """One entry an article id, with the better score; best first. Order of arrival does not matter."""
    best: dict[str, Article] = {}
    for article in [*left, *right]:
        known = best.get(article["article_id"])
        if known is None or article["score"] > known["score"]:
            best[article["article_id"]] = article
    return sorted(best.values(), key=lambda article: (-article["score"], article["article_id"]))


def newest(_: object, right: Written) -> Written:
    """The last write counts. For keys that one node writes, until a caller goes on at several nodes at once, or writes
    twice at one checkpoint: LangGraph would refuse that with each run from then on, and the thread with it.
    """
    return right


class Input(TypedDict):
    """What a caller sends: one or more messages, and the ticket's id (default: the thread's id)."""

    ticket_id: NotRequired[str]
    messages: Annotated[list[AnyMessage], add_messages]


# check: allow many-keys: most are the record of one request, which `intake` clears as a whole; threads that wait for a
# person hold them under these names
class State(TypedDict):
    """The whole state; see the module's docstring for how long each key lives."""

    ticket_id: NotRequired[str]
    messages: Annotated[list[AnyMessage], add_messages]
    summary: NotRequired[str]
    turns: Annotated[int, operator.add]
    usage: Annotated[Usage, add_usage]

    off: NotRequired[list[str]]
    """Names of the tools and flags that were switched off when the request came."""
    article_search: NotRequired[str]
    """How the request's questions search the help articles; newer, and by words where it is missing."""
    intent: NotRequired[Intent | None]
    order_id: NotRequired[str | None]
    details: NotRequired[Details | None]
    order: NotRequired[Annotated[Order | None, newest]]
    policy: NotRequired[Policy | None]
    articles: Annotated[list[Article], merge_articles]
    decision: NotRequired[Annotated[Decision | None, newest]]
    decided_by: NotRequired[Annotated[str | None, newest]]
    draft: NotRequired[Annotated[str, newest]]
    attempts: NotRequired[Annotated[dict[str, int], newest]]
    problem: NotRequired[Annotated[Problem | None, newest]]
    failures: Annotated[list[Failure], operator.add]
    degraded: Annotated[list[str], operator.add]
    outcome: NotRequired[Annotated[Outcome | None, newest]]
    dropped: NotRequired[Dropped | None]

    remaining_steps: RemainingSteps
    """Kept by LangGraph, not by us: super-steps left before the recursion limit."""


class SearchTask(TypedDict):
    """What one `Send` hands to `search_kb`, or to `search_by_meaning`."""

    query: str


Update: TypeAlias = dict[str, Any]
"""A partial state, as nodes return it; `Overwrite` values bypass a reducer."""


def one_more(state: State, node: str) -> dict[str, int]:
    """The attempts of the request, with one more by this node."""
    attempts = state.get("attempts", {})
    return {**attempts, node: attempts.get(node, 0) + 1}
