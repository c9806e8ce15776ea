"""The treasury graph: reads bottom up. Routers are pure; the work is in nodes.py, outcome.py and gate.py."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph

from agents.shared.resilience import RETRY
from agents.treasury import gate, nodes, outcome
from agents.treasury.context import RECURSION_LIMIT, Context
from agents.treasury.state import Input, State
from agents.treasury.strict import Raw, strict


def after_intake(state: State) -> Literal["cancel", "check", "understand"]:
    """Over a limit of the thread: say so, and drop what waited. A proposal needs no reading."""
    if state.outcome == "closed":
        return "cancel"
    return "check" if state.proposal else "understand"


def after_understand(state: State) -> Literal["cancel", "check"]:
    """What could not be read is asked for again, by a reply; what waited before is dropped, as its question is."""
    return "check" if state.proposal else "cancel"


def after_check(state: State) -> Literal["dead_letter", "record", "cancel"]:
    """Refused: what an earlier revision or request had waiting is dropped."""
    if state.failures:
        return "dead_letter"
    return "record" if state.outcome in (None, "waiting") else "cancel"


def after_record(state: State) -> Literal["dead_letter", "gate", "reply"]:
    """The gate lets small amounts pass."""
    if state.failures:
        return "dead_letter"
    return "gate" if state.outcome == "waiting" else "reply"


def after_cancel(state: State) -> Literal["alert", "reply"]:
    """Compliance hears of payees on a list."""
    return "alert" if state.outcome in ("sanctioned", "held") else "reply"


def after_alert(state: State) -> Literal["dead_letter", "reply"]:
    """A desk that could not be told is for the dead letters."""
    return "dead_letter" if state.failures else "reply"


builder = StateGraph(State, context_schema=Context, input_schema=Input)


def add(
    name: str, node: Callable[..., Awaitable[Any]], *, effect: str | None = None, retried: bool = False
) -> None:
    """A node that reads the state checked; `effect` says what it does to the world."""
    builder.add_node(
        name,
        strict(node),
        input_schema=Raw,
        retry_policy=RETRY if retried or effect else None,
        metadata={"effect": effect} if effect else None,
    )


add("intake", nodes.intake)
add("understand", nodes.understand)
add("check", nodes.check, retried=True)
add("record", nodes.record, effect="enters the transaction in the book")
add("gate", gate.gate)
add("ask_requester", gate.requester)
add("backfill", nodes.backfill, retried=True)
add("sign", outcome.sign, effect="signs the transaction")
add("execute", outcome.execute, effect="moves the money, or trades")
add("cancel", outcome.cancel, effect="cancels the transaction")
add("alert", outcome.alert, effect="mails compliance")
add("dead_letter", outcome.dead_letter, effect="leaves it to operators")
add("reply", outcome.reply)

builder.add_edge(START, "intake")
builder.add_conditional_edges("intake", after_intake)
builder.add_conditional_edges("understand", after_understand)
builder.add_conditional_edges("check", after_check)
builder.add_conditional_edges("record", after_record)
builder.add_edge("backfill", "sign")
builder.add_conditional_edges("cancel", after_cancel)
builder.add_conditional_edges("alert", after_alert)
builder.add_edge("dead_letter", "cancel")  # what had not begun never will: its reference is free again
builder.add_edge("reply", END)

# check: allow no-ceiling: alert, dead_letter and cancel come once each: with the outcome that `dead_letter` sets,
# `after_cancel` leads to the reply
graph = builder.compile(name="treasury").with_config(recursion_limit=RECURSION_LIMIT)
