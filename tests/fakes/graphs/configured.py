"""A graph whose nodes write down the configuration that each of them saw; it asks between two of them if told to.

Input: {"ask": bool}. `other` is the same under another name, `bare` has a context schema that names no defaults.
"""

import operator
from typing import Annotated, Any, Literal, NotRequired

from langgraph.config import get_config
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict


class Context(BaseModel):
    model_config = ConfigDict(extra="forbid")
    tone: Literal["friendly", "formal", "brief"] = Field(default="friendly", description="How it sounds.")
    threshold: float = Field(default=500.0, ge=0)
    model: str | None = None


class BareContext(TypedDict, total=False):
    tone: str
    threshold: float


class Seen(TypedDict):
    """What one node saw."""

    node: str
    context: Any
    configurable: dict[str, Any]
    recursion_limit: int
    tags: list[str]


class State(TypedDict):
    ask: NotRequired[bool]
    seen: Annotated[list[Seen], operator.add]
    usage: NotRequired[dict[str, Any]]


def _seen(node: str, runtime: Runtime[Any]) -> dict[str, Any]:
    context, config = runtime.context or {}, get_config()
    configurable = config.get("configurable") or {}
    return {
        "seen": [{
            "node": node,
            "context": context.model_dump() if isinstance(context, BaseModel) else dict(context),
            "configurable": {key: configurable[key] for key in Context.model_fields if key in configurable},
            "recursion_limit": config.get("recursion_limit"),
            "tags": [tag for tag in config.get("tags") or () if not tag.startswith("seq:")],
        }]
    }  # fmt: skip


async def first(state: State, runtime: Runtime[Any]) -> dict[str, Any]:
    spent = {"first|offline:rules": {
        "calls": 1, "input_tokens": 10, "output_tokens": 5, "usd": 0.01, "unpriced": False,
    }}  # fmt: skip
    return {**_seen("first", runtime), "usage": spent}


async def gate(state: State, runtime: Runtime[Any]) -> dict[str, Any]:
    answer = interrupt("go on?") if state.get("ask") else None
    if answer == "fail":
        raise ValueError("the test asked for it")
    return _seen("gate", runtime)


async def last(state: State, runtime: Runtime[Any]) -> dict[str, Any]:
    return {**_seen("last", runtime), "ask": False}


def _graph(name: str, schema: Any):
    builder = StateGraph(State, context_schema=schema)
    builder.add_node("first", first)
    builder.add_node("gate", gate)
    builder.add_node("last", last)
    builder.add_edge(START, "first")
    builder.add_edge("first", "gate")
    builder.add_edge("gate", "last")
    return builder.compile(name=name).with_config(recursion_limit=40)


graph = _graph("configured", Context)
other = _graph("other", Context)
bare = _graph("bare", BareContext)
