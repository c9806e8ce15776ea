"""The digest's graph: reads bottom up. Parts are read side by side; a slot that has its report is only mailed."""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from agents.digest import nodes, tools
from agents.digest.context import RECURSION_LIMIT, Context
from agents.digest.report import PARTS
from agents.digest.state import Input, Output, State
from agents.shared.resilience import RETRY

READERS: dict[str, nodes.Read] = {
    "tickets": tools.tickets,
    "refunds": tools.refunds,
    "reviews": tools.reviews,
    "runs": tools.runs,
    "spend": tools.spend,
}


def after_begin(
    state: State,
) -> Literal["send"] | list[Literal["tickets", "refunds", "reviews", "runs", "spend"]]:
    """A slot that was reported is mailed to whom it was not mailed yet; else everything is read."""
    return "send" if state.get("repeated") else ["tickets", "refunds", "reviews", "runs", "spend"]


builder = StateGraph(State, context_schema=Context, input_schema=Input, output_schema=Output)

builder.add_node("begin", nodes.begin, retry_policy=RETRY)
for part, read in READERS.items():
    builder.add_node(part, nodes.reading(part, read), retry_policy=RETRY)
builder.add_node("compose", nodes.compose)
builder.add_node("keep", nodes.keep, retry_policy=RETRY, metadata={"effect": "keeps the slot's report"})
builder.add_node(
    "send", nodes.send, retry_policy=RETRY, metadata={"effect": "mails the report to its readers"}
)

builder.add_edge(START, "begin")
builder.add_conditional_edges("begin", after_begin, [*PARTS, "send"])
builder.add_edge(list(PARTS), "compose")
builder.add_edge("compose", "keep")
builder.add_edge("keep", "send")
builder.add_edge("send", END)

graph = builder.compile(name="digest").with_config(recursion_limit=RECURSION_LIMIT)
