"""The graph that most stories happen in: nodes in a row."""

from typing import Any

from langgraph.graph import END, START, StateGraph


def in_a_row(state: Any, **nodes: Any) -> Any:
    """Compiled, without a saver: its host brings one."""
    builder = StateGraph(state)
    for name, node in nodes.items():
        builder.add_node(name, node)
    for before, after in zip([START, *nodes], [*nodes, END], strict=True):
        builder.add_edge(before, after)
    return builder.compile()
