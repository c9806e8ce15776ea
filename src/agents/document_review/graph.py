"""The document review: reads bottom up. Routers are pure; the work is in nodes.py and branches.py.

It stops after `report`, a static breakpoint: nothing is published that nobody has read.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from agents.document_review import branches, nodes
from agents.document_review.context import RECURSION_LIMIT, Context
from agents.document_review.state import Branch, Input, Label, State
from agents.shared.resilience import RETRY

BY_LABEL: dict[Label, Branch] = {
    "opinion": "sentiment",
    "personal": "pii",
    "technical": "security",
    "legal": "compliance",
}
BRANCHES: tuple[Branch, ...] = ("sentiment", "pii", "security", "compliance", "standard_processor")
STOP_AFTER = ["report"]


def after_load(state: State) -> Literal["dead_letter", "classify", "__end__"]:
    """What is not there, empty or unreadable ends here and says so: there is nothing to ask a person."""
    if state.get("failures"):
        return "dead_letter"
    return "classify" if state.get("document") else "__end__"


def after_classify(state: State) -> list[Branch] | Literal["dead_letter"]:
    """All branches that the labels ask for, side by side; none matched: the standard one."""
    if state.get("failures"):
        return "dead_letter"
    labels = state.get("labels", [])
    return [branch for label, branch in BY_LABEL.items() if label in labels] or ["standard_processor"]


def after_compose(state: State) -> Literal["dead_letter", "report"]:
    """A report that could not be kept is for the dead letters, and nobody is asked to read it."""
    return "dead_letter" if state.get("failures") else "report"


def after_publish(state: State) -> Literal["dead_letter", "__end__"]:
    """What could not be published is for the dead letters."""
    return "dead_letter" if state.get("failures") else "__end__"


builder = StateGraph(State, context_schema=Context, input_schema=Input)

builder.add_node("intake", nodes.intake)
builder.add_node("load", nodes.load, retry_policy=RETRY, metadata={"effect": "keeps the text of the pages"})
builder.add_node("classify", nodes.classify, retry_policy=RETRY)
builder.add_node("sentiment", branches.sentiment, retry_policy=RETRY)
builder.add_node("pii", branches.pii, retry_policy=RETRY, metadata={"effect": "keeps what it found"})
builder.add_node(
    "security", branches.security, retry_policy=RETRY, metadata={"effect": "keeps what it found"}
)
builder.add_node(
    "compliance", branches.compliance, retry_policy=RETRY, metadata={"effect": "keeps what it found"}
)
builder.add_node("standard_processor", branches.standard_processor, retry_policy=RETRY)
builder.add_node("compose", nodes.compose, retry_policy=RETRY, metadata={"effect": "keeps the report"})
builder.add_node("report", nodes.show_report)
builder.add_node("publish", nodes.publish, retry_policy=RETRY, metadata={"effect": "publishes the report"})
builder.add_node(
    "dead_letter", nodes.dead_letter, retry_policy=RETRY, metadata={"effect": "leaves it to operators"}
)

builder.add_edge(START, "intake")
builder.add_edge("intake", "load")
builder.add_conditional_edges("load", after_load)
builder.add_conditional_edges("classify", after_classify, [*BRANCHES, "dead_letter"])
for branch in BRANCHES:
    builder.add_edge(branch, "compose")
builder.add_conditional_edges("compose", after_compose)
builder.add_edge("report", "publish")
builder.add_conditional_edges("publish", after_publish)
builder.add_edge("dead_letter", END)

graph = builder.compile(name="document_review", interrupt_after=STOP_AFTER).with_config(
    recursion_limit=RECURSION_LIMIT
)
