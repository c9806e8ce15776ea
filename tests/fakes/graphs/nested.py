"""A question inside a subgraph of a subgraph. Input: {"key": str, "question": any JSON}."""

from typing import Any

from langgraph.graph import END, START, StateGraph

from tests.fakes.graphs.plain import State, act, ask

inner_builder = StateGraph(State)
inner_builder.add_node("ask", ask)
inner_builder.add_edge(START, "ask")
inner_builder.add_edge("ask", END)

middle_builder = StateGraph(State)
middle_builder.add_node("inner", inner_builder.compile(name="inner"))
middle_builder.add_node("act", act)
middle_builder.add_edge(START, "inner")
middle_builder.add_edge("inner", "act")
middle_builder.add_edge("act", END)


async def finish(state: State) -> dict[str, Any]:
    return {"answer": state.get("answer")}


builder = StateGraph(State)
builder.add_node("middle", middle_builder.compile(name="middle"))
builder.add_node("finish", finish)
builder.add_edge(START, "middle")
builder.add_edge("middle", "finish")
builder.add_edge("finish", END)
graph = builder.compile(name="nested")
