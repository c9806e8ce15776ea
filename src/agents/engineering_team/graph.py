"""The engineering team's graph: reads bottom up. Decisions lead on by `Command(goto=...)`; the work is in nodes.py."""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from agents.engineering_team import handing, nodes
from agents.engineering_team.context import RECURSION_LIMIT, Context
from agents.engineering_team.state import Input, State
from agents.shared.resilience import RETRY


def after_intake(state: State) -> Literal["supervisor", "report", "dead_letter"]:
    """Over a limit: say so."""
    if state.get("failures"):
        return "dead_letter"
    return "report" if state.get("outcome") == "closed" else "supervisor"


def after_deliver(state: State) -> Literal["dead_letter", "report"]:
    """What could not be kept is for the dead letters."""
    return "dead_letter" if state.get("failures") else "report"


builder = StateGraph(State, context_schema=Context, input_schema=Input)

builder.add_node("intake", nodes.intake, retry_policy=RETRY)
builder.add_node("supervisor", nodes.supervisor)
builder.add_node("researcher", handing.researcher)
builder.add_node("coder", handing.coder)
builder.add_node("quality", handing.quality)
builder.add_node(
    "sign_off",
    nodes.sign_off,
    retry_policy=RETRY,
    metadata={"effect": "keeps the code that a person accepts"},
)
builder.add_node(
    "deliver", nodes.deliver, retry_policy=RETRY, metadata={"effect": "keeps the code that is delivered"}
)
builder.add_node(
    "dead_letter", nodes.dead_letter, retry_policy=RETRY, metadata={"effect": "leaves it to operators"}
)
builder.add_node("report", nodes.report)

builder.add_edge(START, "intake")
builder.add_conditional_edges("intake", after_intake)
builder.add_edge("researcher", "supervisor")
builder.add_edge("coder", "supervisor")
builder.add_edge("quality", "supervisor")
builder.add_conditional_edges("deliver", after_deliver)
builder.add_edge("dead_letter", "report")
builder.add_edge("report", END)

graph = builder.compile(name="engineering_team").with_config(recursion_limit=RECURSION_LIMIT)
