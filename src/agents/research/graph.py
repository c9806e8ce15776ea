"""The research graph: reads bottom up. Routers are pure; the work is in nodes.py, the searching in the retrieval."""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from agents.research import nodes
from agents.research.context import RECURSION_LIMIT, Context
from agents.research.state import Input, Output, State
from agents.shared.resilience import RETRY


def after_intake(state: State) -> Literal["close", "plan"]:
    """Over a limit of the thread: close."""
    return "close" if state.get("outcome") == "closed" else "plan"


def to_investigate(state: State) -> list[Send] | Literal["synthesise"]:
    """One `Send` for each sub-question that is to be looked into (again); none: write."""
    return [Send("investigate", task) for task in state.get("tasks", [])] or "synthesise"


def after_synthesise(state: State) -> Literal["mend", "finish"]:
    """An answer that says what its sources don't is mended once."""
    draft = state.get("draft")
    return "mend" if draft and draft["problems"] else "finish"


builder = StateGraph(State, context_schema=Context, input_schema=Input, output_schema=Output)

builder.add_node("intake", nodes.intake, retry_policy=RETRY)
builder.add_node("close", nodes.close)
builder.add_node("plan", nodes.plan)
builder.add_node(
    "investigate", nodes.investigate, metadata={"effect": "searches, the web too, which may cost"}
)
builder.add_node("gather", nodes.gather)
builder.add_node("synthesise", nodes.synthesise)
builder.add_node("mend", nodes.mend)
builder.add_node("finish", nodes.finish)

builder.add_edge(START, "intake")
builder.add_conditional_edges("intake", after_intake)
builder.add_edge("close", END)
builder.add_conditional_edges("plan", to_investigate, ["investigate", "synthesise"])
builder.add_edge("investigate", "gather")
builder.add_conditional_edges("gather", to_investigate, ["investigate", "synthesise"])
builder.add_conditional_edges("synthesise", after_synthesise)
builder.add_edge("mend", "finish")
builder.add_edge("finish", END)

graph = builder.compile(name="research").with_config(recursion_limit=RECURSION_LIMIT)
