"""The coder's graph: reads bottom up. Routers are pure; the work is in nodes.py, the walls in sandbox/."""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import get_runtime

from agents.coder import nodes
from agents.coder.context import MAX_ADVICE, RECURSION_LIMIT, Context
from agents.coder.state import Input, State
from agents.coder.verdict import best, stuck
from agents.shared.resilience import RETRY


def after_intake(state: State) -> Literal["generate", "report", "dead_letter"]:
    """Over a limit, or nothing asked: say so. Where it can't be told whose task it is, operators have it."""
    if state.get("failures"):
        return "dead_letter"
    return "report" if state.get("outcome") in ("closed", "unclear") else "generate"


def after_generate(state: State) -> Literal["verify", "generate", "ask", "report"]:
    """To the tests; an answer that holds no code has used up a round."""
    if not state.get("problem"):
        return "verify"
    if state.get("rounds", 0) < _context().max_rounds:
        return "generate"
    return _at_the_end(state)


def after_verify(
    state: State,
) -> Literal["keep", "critique", "ask", "report", "dead_letter"]:
    """Passed: keep it. Else another round, while there are rounds and the last was not a repetition."""
    if state.get("failures"):
        return "dead_letter"
    if state.get("outcome") == "passed":
        return "keep"
    if state.get("rounds", 0) < _context().max_rounds and not stuck(state):
        return "critique"
    return _at_the_end(state)


def after_keep(state: State) -> Literal["dead_letter", "report"]:
    """A solution that could not be kept is for the dead letters."""
    return "dead_letter" if state.get("failures") else "report"


def _at_the_end(state: State) -> Literal["ask", "report"]:
    """A person, where there is one and something to show; else an honest end."""
    may_ask = _context().ask_person and state.get("advised", 0) < MAX_ADVICE
    return "ask" if may_ask and best(state) else "report"


def _context() -> Context:
    """What the assistant says; the defaults where there is none: somebody writes into the state (`update_state`)."""
    try:
        runtime = get_runtime(Context)
    except RuntimeError:
        runtime = None
    return Context.of(runtime) if runtime else Context()


builder = StateGraph(State, context_schema=Context, input_schema=Input)

builder.add_node("intake", nodes.intake, retry_policy=RETRY)
builder.add_node("generate", nodes.generate)
builder.add_node("verify", nodes.verify)
builder.add_node("critique", nodes.critique)
builder.add_node("ask", nodes.ask)
builder.add_node("keep", nodes.keep, retry_policy=RETRY, metadata={"effect": "keeps the solution"})
builder.add_node(
    "dead_letter", nodes.dead_letter, retry_policy=RETRY, metadata={"effect": "leaves it to operators"}
)
builder.add_node("report", nodes.report)

builder.add_edge(START, "intake")
builder.add_conditional_edges("intake", after_intake)
builder.add_conditional_edges("generate", after_generate)
builder.add_conditional_edges("verify", after_verify)
builder.add_edge("critique", "generate")
builder.add_conditional_edges("keep", after_keep)
builder.add_edge("dead_letter", "report")
builder.add_edge("report", END)

graph = builder.compile(name="coder").with_config(recursion_limit=RECURSION_LIMIT)
