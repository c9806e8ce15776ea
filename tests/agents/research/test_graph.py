"""The structure of the research: nodes, edges, pure routers, reducers, the subgraph that is seen, the furniture."""

from typing import Any, get_type_hints

import pytest
from langgraph.channels import Topic
from langgraph.channels.binop import BinaryOperatorAggregate
from langgraph.types import Send

from agents.research import graph as research
from agents.research.context import RECURSION_LIMIT, Context
from agents.research.graph import after_intake, after_synthesise, builder, to_investigate
from agents.research.reducers import add_counts
from agents.research.state import State
from agents.shared.retrieval.graph import after_decompose, retrieval
from agents.shared.retrieval.graph import builder as retrieval_builder
from agents.shared.retrieval.passages import SOURCES
from agents.shared.retrieval.sources import web


def test_nodes_and_edges() -> None:
    drawn = research.graph.get_graph()
    assert {(edge.source, edge.target) for edge in drawn.edges} == {
        ("__start__", "intake"), ("intake", "close"), ("intake", "plan"), ("close", "__end__"),
        ("plan", "investigate"), ("plan", "synthesise"), ("investigate", "gather"),
        ("gather", "investigate"), ("gather", "synthesise"), ("synthesise", "mend"), ("synthesise", "finish"),
        ("mend", "finish"), ("finish", "__end__"),
    }  # fmt: skip
    assert research.graph.config is not None
    assert research.graph.config.get("recursion_limit") == RECURSION_LIMIT


def test_the_retrieval_is_a_subgraph_that_is_seen() -> None:
    assert dict(research.graph.get_subgraphs())["investigate"] is retrieval
    inside = {name for name in research.graph.get_graph(xray=True).nodes if name.startswith("investigate:")}
    assert {f"investigate:search_{source}" for source in SOURCES} < inside


def test_routers_are_pure() -> None:
    state: Any = {"tasks": [{"sub_id": "1.1"}, {"sub_id": "1.2"}]}
    assert to_investigate(state) == [Send("investigate", task) for task in state["tasks"]]
    empty: Any = {}
    assert to_investigate(empty) == "synthesise"
    assert (after_intake(empty), after_synthesise(empty)) == ("plan", "finish")
    closed: Any = {"outcome": "closed", "draft": {"claims": [], "problems": ["one"]}}
    assert (after_intake(closed), after_synthesise(closed)) == ("close", "mend")


def test_the_retrieval_goes_to_what_is_there() -> None:
    asked: Any = {"question": "q", "sources": ["web", "articles"]}
    assert after_decompose(asked) == ["search_articles"]
    web.configure(web.WebSearch("http://127.0.0.1:1/", "key"))
    try:
        assert after_decompose(asked) == ["search_articles", "search_web"]
        other: Any = {"question": "q", "sources": ["folder"]}
        assert after_decompose(other) == "rank"
        few: Any = {"question": "q", "max_searches": 2}
        assert len(after_decompose(few)) == 2
    finally:
        web.configure(None)


def test_what_parallel_tasks_write_has_a_reducer() -> None:
    for key in ("passages", "rankings", "standing", "usage", "degraded", "tally", "trail"):
        assert isinstance(builder.channels[key], BinaryOperatorAggregate), key


def test_leads_are_a_topic_that_is_read_once() -> None:
    leads = builder.channels["leads"]
    assert isinstance(leads, Topic)
    assert leads.accumulate is False


def test_a_reducer_stands_last() -> None:
    """Elsewhere LangGraph takes the key for a plain one, and says nothing."""
    hints = get_type_hints(State, include_extras=True)
    reduced = {name for name, hint in hints.items() if callable(getattr(hint, "__metadata__", [None])[-1])}
    assert reduced == {
        "question", "messages", "usage", "trail", "standing", "passages", "rankings", "tally", "degraded"
    }  # fmt: skip
    assert hints["tally"].__metadata__[-1] is add_counts


def test_what_asks_the_world_is_retried_and_the_effect_is_declared() -> None:
    assert all(retrieval_builder.nodes[f"search_{source}"].retry_policy for source in SOURCES)
    effects = {name for name, spec in builder.nodes.items() if (spec.metadata or {}).get("effect")}
    assert effects == {"investigate"}


@pytest.mark.parametrize("folder", ["..", "a/..", "/etc", "a//b", ".hidden", "a\\b"])
def test_a_folder_is_a_part_of_the_tenant_s(folder: str) -> None:
    with pytest.raises(ValueError, match="folder"):
        Context(folder=folder)
    assert Context(folder="hand books/2026").folder
