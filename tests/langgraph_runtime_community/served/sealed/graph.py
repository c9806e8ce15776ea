"""Puts a secret wherever a graph can: state (a word, a message), store, events, a question."""

from typing import Annotated, Any, NotRequired

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.runtime import Runtime
from langgraph.types import interrupt
from typing_extensions import TypedDict


class Context(TypedDict, total=False):
    word: str


class State(TypedDict):
    word: str
    count: NotRequired[int]
    messages: Annotated[list[AnyMessage], add_messages]
    answer: NotRequired[Any]


async def note(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    assert runtime.store is not None
    await runtime.store.aput(("notes",), "last", {"text": state["word"]})
    return {"messages": [AIMessage(f"noted {state['word']}")], "count": 1}


async def ask(state: State) -> dict[str, Any]:
    if state["word"].startswith("bad"):
        raise ValueError(f"no {state['word']} here")
    return {"answer": interrupt({"about": state["word"]})}


async def close(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    assert runtime.store is not None
    kept = await runtime.store.aget(("notes",), "last")
    assert kept is not None
    return {"word": f"{kept.value['text']} {(runtime.context or {}).get('word')} {state.get('answer')}"}


builder = StateGraph(State, context_schema=Context)
nodes = {"note": note, "ask": ask, "close": close}
for name, node in nodes.items():
    builder.add_node(name, node)
for before, after in zip([START, *nodes], [*nodes, END], strict=True):
    builder.add_edge(before, after)
graph = builder.compile(name="sealed")
