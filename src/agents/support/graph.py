"""The support graph: reads bottom up. Routers are pure; the work is in nodes.py, the decisions in verdict.py."""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from agents.shared.resilience import RETRY
from agents.support import gate, nodes, retrieving
from agents.support.context import RECURSION_LIMIT, SUMMARISE_ABOVE, Context
from agents.support.state import Input, State

MAX_SEARCHES = 3
STEPS_TO_CLOSE = 4
"""Super-steps to keep for closing: a node on the way that has no router of its own, `dead_letter`, `send`, and the
look that finds nothing more to do. With no more left, what is under way is handed to a person."""
TOO_LATE = 2
"""With no more left closing can't end any more. And `update_state` always lets a router see 2, whatever the limit:
a person's edit of the state must not lead to the dead letters."""


def out_of_steps(state: State) -> bool:
    """Whether the recursion limit is near. It never should be: the dead letter says that it is a bug."""
    return TOO_LATE < state.get("remaining_steps", RECURSION_LIMIT) <= STEPS_TO_CLOSE


def after_intake(state: State) -> Literal["close", "summarize", "classify"]:
    """Over a limit: close. A long conversation: summarise first."""
    if state.get("outcome") == "closed":
        return "close"
    return "summarize" if len(state["messages"]) > SUMMARISE_ABOVE else "classify"


def after_classify(
    state: State,
) -> (
    Literal["repair", "dead_letter", "assess"]
    | list[Literal["lookup_order", "check_return_policy"]]
    | list[Send]
):
    """By intent and what is enabled; an unusable answer is repaired once, and then a person has it."""
    if out_of_steps(state):
        return "dead_letter"
    if state.get("problem"):
        return "dead_letter" if state.get("attempts", {}).get("classify") else "repair"
    intent, order_id, off = state.get("intent"), state.get("order_id"), state.get("off", [])
    if intent == "refund" and "lookup_order" not in off:
        return ["lookup_order", "check_return_policy"]
    if intent == "order_change" and order_id and "lookup_order" not in off:
        return ["lookup_order"]
    if intent in ("question", "order_change") and "search_kb" not in off:
        details = state.get("details")
        queries = (details["queries"] if details else [])[:MAX_SEARCHES]
        by_meaning = state.get("article_search") == "words_and_meaning"
        node = "search_by_meaning" if by_meaning else "search_kb"
        return [Send(node, {"query": query}) for query in queries] or "assess"
    return "assess"


def after_assess(state: State) -> Literal["dead_letter", "acknowledge", "draft_reply"]:
    """Only what will wait for a person is acknowledged first, unless the assistant says otherwise."""
    if state.get("outcome") == "dead_letter" or out_of_steps(state):
        return "dead_letter"
    decision = state.get("decision")
    if decision and decision.get("needs_approval") and "acknowledge" not in state.get("off", []):
        return "acknowledge"
    return "draft_reply"


def after_draft(state: State) -> Literal["repair", "dead_letter", "approve", "refund", "hand_over", "send"]:
    """To the gate, past it, or straight to the reply."""
    if out_of_steps(state):
        return "dead_letter"
    if state.get("problem"):
        return "dead_letter" if state.get("attempts", {}).get("draft_reply") else "repair"
    decision = state.get("decision")
    match decision["status"] if decision else "none":
        case "proposed" if decision and decision.get("needs_approval"):
            return "approve"
        case "proposed" | "approved":
            return "refund"
        case _:
            wants_person = state.get("outcome") in ("human", "complaint", "order_change")
            return "hand_over" if wants_person or state.get("dropped") else "send"


def after_refund(state: State) -> Literal["dead_letter", "approve", "draft_reply", "hand_over", "send"]:
    """A refund that could not be made is for the dead letters, one that nobody let pass for the gate, and one that was
    dropped before it for the desk."""
    if state.get("failures"):
        return "dead_letter"
    decision = state.get("decision")
    if decision and decision["status"] == "proposed":
        return "approve" if state.get("draft") else "draft_reply"
    return "hand_over" if state.get("dropped") else "send"


def after_hand_over(state: State) -> Literal["dead_letter", "send"]:
    """A desk that could not be told is for the dead letters."""
    return "dead_letter" if state.get("failures") else "send"


def after_repair(state: State):
    """Where the repaired node would have gone."""
    return after_draft(state) if state.get("decision") else after_classify(state)


builder = StateGraph(State, context_schema=Context, input_schema=Input)

builder.add_node("intake", nodes.intake)
builder.add_node("close", nodes.close)
builder.add_node("summarize", nodes.summarize)
builder.add_node("classify", nodes.classify)
builder.add_node("repair", nodes.repair)
builder.add_node("lookup_order", nodes.lookup_order, retry_policy=RETRY)
builder.add_node("check_return_policy", nodes.check_return_policy, retry_policy=RETRY)
builder.add_node("search_kb", nodes.search_kb, retry_policy=RETRY)
builder.add_node("search_by_meaning", retrieving.search_by_meaning)
builder.add_node("assess", nodes.assess)
builder.add_node(
    "acknowledge", nodes.acknowledge, retry_policy=RETRY, metadata={"effect": "mails the customer"}
)
builder.add_node("draft_reply", nodes.draft_reply)
builder.add_node(
    "approve", gate.approve, retry_policy=RETRY, metadata={"effect": "keeps what a person answered"}
)
builder.add_node("refund", nodes.refund, retry_policy=RETRY, metadata={"effect": "pays the refund"})
builder.add_node(
    "hand_over", nodes.hand_over, retry_policy=RETRY, metadata={"effect": "mails the support desk"}
)
builder.add_node(
    "dead_letter", nodes.dead_letter, retry_policy=RETRY, metadata={"effect": "leaves it to operators"}
)
builder.add_node(
    "send", nodes.send, retry_policy=RETRY, metadata={"effect": "replies, by mail if there is an order"}
)

builder.add_edge(START, "intake")
builder.add_conditional_edges("intake", after_intake)
builder.add_edge("close", END)
builder.add_edge("summarize", "classify")
builder.add_conditional_edges(
    "classify",
    after_classify,
    [
        "repair",
        "dead_letter",
        "assess",
        "lookup_order",
        "check_return_policy",
        "search_kb",
        "search_by_meaning",
    ],
)
builder.add_conditional_edges(
    "repair",
    after_repair,
    [
        "dead_letter",
        "assess",
        "lookup_order",
        "check_return_policy",
        "search_kb",
        "search_by_meaning",
        "approve",
        "refund",
        "hand_over",
        "send",
    ],
)
builder.add_edge("lookup_order", "assess")
builder.add_edge("check_return_policy", "assess")
builder.add_edge("search_kb", "assess")
builder.add_edge("search_by_meaning", "assess")
builder.add_conditional_edges("assess", after_assess)
builder.add_edge("acknowledge", "draft_reply")
builder.add_conditional_edges("draft_reply", after_draft)
builder.add_conditional_edges("refund", after_refund)
builder.add_conditional_edges("hand_over", after_hand_over)
builder.add_edge("dead_letter", "send")
builder.add_edge("send", END)

graph = builder.compile(name="support").with_config(recursion_limit=RECURSION_LIMIT)
