"""Keys that older threads lack: required and read without a default; and such that have one."""

import operator
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict


class Typed(TypedDict):
    notes: Annotated[list[str], operator.add]
    risk: float


class Optional(TypedDict):
    notes: Annotated[list[str], operator.add]
    risk: NotRequired[float]


class Model(BaseModel):
    risk: float


class Defaulted(BaseModel):
    risk: float | None = None


@dataclass
class Data:
    risk: float


class Given(TypedDict):
    risk: float


def graph(
    schema: Any,
    node: Any,
    router: Any = None,
    *,
    fills: bool = True,
    asks: bool = True,
    again: bool = False,
    **kinds: Any,
) -> Any:
    """fill > gate > (again) > work"""
    builder = StateGraph(schema, **kinds)
    builder.add_node("fill", writes if fills else nothing)
    builder.add_node("gate", gate if asks else nothing)
    builder.add_node("again", writes if again else nothing)
    builder.add_node("work", node)
    builder.add_edge(START, "fill")
    builder.add_edge("fill", "gate")
    builder.add_edge("gate", "again")
    builder.add_edge("again", "work")
    if router is not None:
        builder.add_conditional_edges("work", router, [END, "fill"])
    else:
        builder.add_edge("work", END)
    return builder.compile()


async def gate(state: Any) -> dict[str, Any]:
    interrupt("go on?")
    return {}


async def nothing(state: Any) -> dict[str, Any]:
    return {}


async def reads(state: Typed) -> dict[str, Any]:
    return {"notes": [f"{state['risk']:.0%}", *state["notes"]]}


async def reads_part(state: Given) -> dict[str, Any]:
    return {"notes": [str(state["risk"])]}


async def helped(state: Typed) -> dict[str, Any]:
    return {"notes": [_shown(state)]}


def _shown(state: Typed) -> str:
    return str(state["risk"])


async def writes(state: Typed) -> dict[str, Any]:
    return {"risk": 0.5}


async def defaults(state: Typed) -> dict[str, Any]:
    return {"notes": [str(state.get("risk", 0.0))]}


async def looks(state: Typed) -> dict[str, Any]:
    return {"notes": [str(state["risk"]) if "risk" in state else "unknown"]}


async def untyped(given: Any) -> dict[str, Any]:
    return {"notes": [str(given["risk"])]}


async def handles(state: Typed) -> dict[str, Any]:
    try:
        return {"notes": [str(state["risk"])]}
    except KeyError:
        return {}


def router(state: Typed) -> str:
    return END if state["risk"] else "fill"


bad_reads = graph(Typed, reads)
bad_helped = graph(Typed, helped)
bad_router = graph(Typed, nothing, router)
bad_model = graph(Model, writes)
bad_data = graph(Data, writes)
bad_part = graph(Typed, reads_part)


async def passes_on(given: Any) -> dict[str, Any]:
    return {"notes": [_told(given)]}


def _told(found: Any) -> str:
    return str(found["risk"])


async def looks_and_passes_on(given: Any) -> dict[str, Any]:
    return {"notes": [_told(given)] if "risk" in given else []}


bad_passed_on = graph(Typed, passes_on)
good_looked_at = graph(Typed, looks_and_passes_on)
bad_untyped = graph(Typed, untyped)
bad_lambda = graph(Typed, lambda s: {"notes": [str(s["risk"])]})
good_handles = graph(Typed, handles)
good_defaults = graph(Typed, defaults)
good_looks = graph(Typed, looks)
good_writes = graph(Typed, writes)
good_optional = graph(Optional, defaults)
good_model = graph(Defaulted, writes)
good_given = graph(Typed, reads, input_schema=Given)
good_of_callers = graph(Typed, reads, fills=False)
good_no_pause = graph(Typed, reads, asks=False)
good_written_again = graph(Typed, reads, again=True)
