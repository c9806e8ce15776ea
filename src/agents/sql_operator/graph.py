"""The SQL operator's graph: reads bottom up. It stops before `execute`, by whatever way; the work is in nodes.py."""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from agents.shared.resilience import RETRY
from agents.sql_operator import nodes
from agents.sql_operator.context import RECURSION_LIMIT, Context
from agents.sql_operator.state import Input, State
from agents.sql_operator.verdict import EDIT, repaired_enough, replanned_enough


def after_intake(state: State) -> Literal["generate", "answer"]:
    """Over a limit: say so. A person who sends back to here wants another statement, or none."""
    if state.get("outcome") == "closed":
        return "answer"
    return _by_person(state) or "generate"


def after_generate(state: State) -> Literal["generate", "check", "answer"]:
    """To be checked; `update_state` as the generator arrives here too, with a statement or with feedback."""
    said, problem = _by_person(state), state.get("problem")
    if said:
        return said
    if problem and problem["node"] == "generate":
        return "answer" if repaired_enough(state) else "generate"
    return "check" if state.get("sql") else "answer"


def after_check(state: State) -> Literal["generate", "check", "preview", "answer"]:
    """What was understood is tried; what was refused is written anew, or, if a person wrote it, taken back."""
    return _by_person(state) or ("preview" if state.get("checked") else _refused(state))


def after_preview(state: State) -> Literal["generate", "check", "execute", "answer", "dead_letter"]:
    """To the breakpoint before `execute`, unless the database did not take it."""
    if state.get("failures"):
        return "dead_letter"
    return _by_person(state) or ("execute" if state.get("checked") else _refused(state))


def _by_person(state: State) -> Literal["generate", "answer"] | None:
    """What a person wrote into the state comes first."""
    if state.get("reject"):
        return "answer"
    if state.get("feedback"):
        return "answer" if replanned_enough(state) else "generate"
    return None


def _refused(state: State) -> Literal["generate", "check", "answer"]:
    problem = state.get("problem")
    if problem and problem["node"] == EDIT:
        return "check"
    return "answer" if repaired_enough(state) else "generate"


builder = StateGraph(State, context_schema=Context, input_schema=Input)

builder.add_node("intake", nodes.intake)
builder.add_node("generate", nodes.generate)
builder.add_node("check", nodes.check)
builder.add_node("preview", nodes.preview, retry_policy=RETRY)
builder.add_node(
    "execute", nodes.execute, retry_policy=RETRY, metadata={"effect": "runs the statement on the database"}
)
builder.add_node("answer", nodes.answer)
builder.add_node(
    "dead_letter", nodes.dead_letter, retry_policy=RETRY, metadata={"effect": "leaves it to operators"}
)

builder.add_edge(START, "intake")
builder.add_conditional_edges("intake", after_intake)
builder.add_conditional_edges("generate", after_generate)
builder.add_conditional_edges("check", after_check)
builder.add_conditional_edges("preview", after_preview)
builder.add_edge("dead_letter", "answer")
builder.add_edge("answer", END)

graph = builder.compile(name="sql_operator", interrupt_before=["execute"]).with_config(
    recursion_limit=RECURSION_LIMIT
)
