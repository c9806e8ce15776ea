"""Several questions pending at once, each a task of its own by `Send`: answerable by id in any order.

Input: {"key": str, "questions": [any JSON]}; each answer is one effect: {"question", "answer"}.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send, interrupt
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger


class State(TypedDict):
    key: str
    questions: list[Any]


class Task(TypedDict):
    key: str
    question: Any


def fan_out(state: State) -> list[Send]:
    return [Send("ask", {"key": state["key"], "question": question}) for question in state["questions"]]


async def ask(state: Task) -> dict[str, Any]:
    """The effect stands behind the question: a task that is asked again has had none."""
    answer = interrupt(state["question"])
    await ledger.write(state["key"], "answered", {"question": state["question"], "answer": answer})
    return {}


builder = StateGraph(State)
builder.add_node("ask", ask)
builder.add_conditional_edges(START, fan_out, ["ask"])
builder.add_edge("ask", END)
graph = builder.compile(name="parallel")
