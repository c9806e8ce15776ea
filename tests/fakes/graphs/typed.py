"""Questions with a `response_schema`: the server checks the answer against the Python type.

Input: {"key": str, "type": one of TYPES, "question": any JSON}.
"""

from enum import StrEnum
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict

from agents.shared.approvals import Answer
from tests.fakes.graphs import ledger


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


class Line(BaseModel):
    sku: str
    quantity: int = Field(ge=1)


class Order(BaseModel):
    """A plain object: one form, no choice to make first."""

    model_config = ConfigDict(extra="forbid")
    order_id: str = Field(json_schema_extra={"readOnly": True})
    quantity: int = Field(ge=1, le=10, description="How many")
    price_usd: float | None = None
    gift: bool = False
    colour: Colour = Colour.RED
    note: str | None = Field(default=None, max_length=200)
    lines: list[Line] = []


LOOSE: dict[str, Any] = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}, "count": {"type": "integer", "minimum": 1}},
    "required": ["ok"],
}
"""JSON Schema given as a dict: shown, and not checked by the server."""

TYPES: dict[str, Any] = {
    "approval": Answer,
    "order": Order,
    "integer": int,
    "number": float,
    "boolean": bool,
    "text": str,
    "enum": Colour,
    "literal": Literal["yes", "no"],
    "list": list[Line],
    "loose": LOOSE,
}


class State(TypedDict):
    key: str
    type: str
    question: Any
    answer: Any


async def ask(state: State) -> dict[str, Any]:
    answer = interrupt(state["question"], response_schema=TYPES[state["type"]])
    return {"answer": TypeAdapter(Any).dump_python(answer, mode="json")}


async def act(state: State) -> dict[str, Any]:
    await ledger.write(state["key"], "answered", state["answer"])
    return {}


builder = StateGraph(State)
builder.add_node("ask", ask)
builder.add_node("act", act)
builder.add_edge(START, "ask")
builder.add_edge("ask", "act")
builder.add_edge("act", END)
graph = builder.compile(name="typed")
