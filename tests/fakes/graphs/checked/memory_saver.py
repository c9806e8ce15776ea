"""A graph with a memory saver."""

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    done: bool


async def work(state: State) -> State:
    return {"done": True}


builder = StateGraph(State)
builder.add_node("work", work)
builder.add_edge(START, "work")
bad = builder.compile(checkpointer=InMemorySaver())
