"""The shortest run there is: one node, without a wait."""

from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict


class State(TypedDict):
    said: str


async def say(state: State) -> State:
    return {"said": state["said"]}


graph = StateGraph(State).add_node(say).add_edge(START, "say").compile(name="echo")
