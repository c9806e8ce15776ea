"""Breakpoints compiled into a graph: before a node, after one, and after the last one (which leaves no trace).

Input: {"key": str, "text": str}. `draft` writes "draft: <text>", with the feedback when there is some; `send` has
the effect, with the draft as it then is.
"""

from typing import Any, NotRequired

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger


class State(TypedDict):
    key: str
    text: str
    feedback: NotRequired[str]
    draft: NotRequired[str]


async def read(state: State) -> dict[str, Any]:
    return {"text": state["text"].strip()}


async def draft(state: State) -> dict[str, Any]:
    feedback = state.get("feedback")
    return {"draft": f"draft: {state['text']}" + (f" ({feedback})" if feedback else "")}


async def send(state: State) -> dict[str, Any]:
    await ledger.write(state["key"], "sent", state.get("draft"))
    return {}


builder = StateGraph(State)
builder.add_node("read", read)
builder.add_node("draft", draft)
builder.add_node("send", send)
builder.add_edge(START, "read")
builder.add_edge("read", "draft")
builder.add_edge("draft", "send")
builder.add_edge("send", END)

before = builder.compile(name="before", interrupt_before=["send"])
after = builder.compile(name="after", interrupt_after=["draft"])
after_last = builder.compile(name="after_last", interrupt_after=["send"])
