"""The retrieval: a graph that others use as a part of theirs, once for each question. Reads bottom up.

Its sources are searched side by side; what they find meets in reducers.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from agents.shared.resilience import RETRY
from agents.shared.retrieval import asking, nodes
from agents.shared.retrieval.passages import SOURCES, Source
from agents.shared.retrieval.state import Input, Output, State

SEARCHES: dict[Source, nodes.Search] = {
    "articles": asking.ask_articles,
    "meaning": asking.ask_meaning,
    "folder": asking.ask_folder,
    "web": asking.ask_web,
}


def after_decompose(
    state: State,
) -> list[Literal["search_articles", "search_meaning", "search_folder", "search_web"]] | Literal["rank"]:
    """All sources that there are, side by side."""
    return [f"search_{source}" for source in nodes.sources_of(state)] or "rank"  # type: ignore[return-value]


builder = StateGraph(State, input_schema=Input, output_schema=Output)

builder.add_node("decompose", nodes.decompose)
for source, search in SEARCHES.items():
    builder.add_node(f"search_{source}", nodes.searching(source, search), retry_policy=RETRY)
builder.add_node("rank", nodes.rank)

builder.add_edge(START, "decompose")
builder.add_conditional_edges("decompose", after_decompose, [*(f"search_{name}" for name in SOURCES), "rank"])
for source in SOURCES:
    builder.add_edge(f"search_{source}", "rank")
builder.add_edge("rank", END)

retrieval = builder.compile(name="retrieval")
