"""What a state may hold: it comes back equal, and of the same type, after a pause in another saver."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any
from uuid import UUID, uuid4

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict

from langgraph_runtime_community.checkpoint.saver import Checkpointer

ZONE = timezone(timedelta(hours=5, minutes=30))


class Order(BaseModel):
    number: int
    at: datetime


@dataclass(frozen=True)
class Line:
    article: str
    price: Decimal


class Colour(Enum):
    RED = "red"


class Step(StrEnum):
    ASK = "ask"


class State(TypedDict):
    value: Any


VALUES: dict[str, Any] = {
    "pydantic": Order(number=1, at=datetime(2026, 11, 30, 12, tzinfo=UTC)),
    "dataclass": Line("cup", Decimal("12.50")),
    "enum": Colour.RED,
    "str enum": Step.ASK,
    "datetime": datetime(2026, 3, 29, 2, 30, 0, 123456, tzinfo=ZONE),
    "uuid": UUID("01a22c5c-c7e3-7191-850e-940aa77c641d"),
    "decimal": Decimal("0.1000"),
    "set": {1, 2, 3},
    "bytes": b"\x00\xff",
    "NUL": "a\x00b",
    "infinity": math.inf,
    "large float": 1e16,
    "float that is whole": 2.0,
    "large int": 2**70,
    "bool": True,
    "nothing": None,
    "five megabytes": "x" * 5_000_000,
    "nested": {"a": [Line("pot", Decimal(1)), {"b": "\x00"}]},
}


async def ask(state: State) -> dict[str, Any]:
    interrupt("go on?")
    return {}


async def keep(state: State) -> dict[str, Any]:
    return {"value": state["value"]}


builder = StateGraph(State)
builder.add_node("keep", keep)
builder.add_node("ask", ask)
builder.add_edge(START, "keep")
builder.add_edge("keep", "ask")


@pytest.mark.filterwarnings("ignore:Deserializing unregistered type")
async def test_every_kind_of_value_survives_a_pause(runtime: str) -> None:
    for name, value in VALUES.items():
        config: Any = {"configurable": {"thread_id": str(uuid4())}}
        await builder.compile(checkpointer=Checkpointer(lease=None)).ainvoke({"value": value}, config)
        again = builder.compile(checkpointer=Checkpointer(lease=None))
        found = (await again.ainvoke(Command(resume="yes"), config))["value"]
        assert found == value and type(found) is type(value), name
