"""The structure of the document review, its reducers, and a thread that an older release paused."""

from typing import Any

import pytest
from langgraph.graph import StateGraph
from typing_extensions import TypedDict

from agents.document_review import graph as document_review
from agents.document_review.context import RECURSION_LIMIT, Context
from agents.document_review.graph import STOP_AFTER, builder
from agents.document_review.report import severity_of
from agents.document_review.state import Input, Section, State, add_notes, merge_sections
from tests.agents.document_review.shelf import COMPLAINT, Review, Shelf

ADDED_SINCE = frozenset({"severity", "note"})
BRANCHES = {"sentiment", "pii", "security", "compliance", "standard_processor"}


def test_nodes_and_edges() -> None:
    expected = {("__start__", "intake"), ("intake", "load"), ("load", "classify"), ("load", "__end__")}
    expected |= {("classify", branch) for branch in BRANCHES} | {(branch, "compose") for branch in BRANCHES}
    expected |= {("compose", "report"), ("report", "publish"), ("publish", "__end__")}
    expected |= {(node, "dead_letter") for node in ("load", "classify", "compose", "publish")}
    expected.add(("dead_letter", "__end__"))
    drawn = document_review.graph.get_graph()
    assert {(edge.source, edge.target) for edge in drawn.edges} == expected


def test_it_is_compiled_to_stop_after_the_report() -> None:
    """That nothing is published whatever breakpoints a run asks for: test_stops.py."""
    assert document_review.graph.interrupt_after_nodes == ["report"]
    assert not document_review.graph.interrupt_before_nodes
    assert document_review.graph.config is not None
    assert document_review.graph.config.get("recursion_limit") == RECURSION_LIMIT


def test_effects_are_declared_and_retried() -> None:
    effects = {name for name, spec in builder.nodes.items() if (spec.metadata or {}).get("effect")}
    assert effects == {"load", "pii", "security", "compliance", "compose", "publish", "dead_letter"}
    assert all(builder.nodes[name].retry_policy for name in effects)


@pytest.mark.parametrize(
    ("labels", "branches"),
    [
        ([], ["standard_processor"]),
        (["personal"], ["pii"]),
        (["legal", "opinion"], ["sentiment", "compliance"]),
        (["legal", "opinion", "personal", "technical"], ["sentiment", "pii", "security", "compliance"]),
    ],
)
def test_the_router_gives_a_list(labels: list[Any], branches: list[str]) -> None:
    assert document_review.after_classify({"labels": labels}) == branches  # type: ignore[typeddict-item]


def section(severity: Any) -> Section:
    return {"status": "done", "summary": "", "counts": {}, "severity": severity, "highlights": []}


def test_sections_are_merged_and_the_worst_counts() -> None:
    one, two = {"pii": section("low")}, {"security": section("high")}
    assert merge_sections(one, two) == merge_sections(two, one) == {**one, **two}
    assert severity_of({**one, **two}) == "high"
    assert severity_of({}) == "none"


def test_notes_are_kept_once_and_have_an_end() -> None:
    assert add_notes(["a"], ["a", "b"]) == ["a", "b"]
    assert len(add_notes([], [str(number) for number in range(100)])) == 10
    assert len(add_notes([], ["x" * 10_000])[0]) == 400


def older_builder() -> StateGraph[Any, Any, Any, Any]:
    """Today's nodes, edges and routers over a state without the newest fields."""
    kept = {name: hint for name, hint in State.__annotations__.items() if name not in ADDED_SINCE}
    older: Any = TypedDict("OlderState", kept)  # type: ignore[misc]
    made: StateGraph[Any, Any, Any, Any] = StateGraph(older, context_schema=Context, input_schema=Input)
    for name, spec in builder.nodes.items():
        made.add_node(name, spec.runnable, input_schema=older)
    made.edges |= builder.edges
    for source, branches in builder.branches.items():
        for name, branch in branches.items():
            made.branches[source][name] = branch._replace(input_schema=None)
    return made


async def test_a_thread_that_an_older_release_paused_is_published(shelf: Shelf) -> None:
    """`note` has a default; `severity` is computed from the sections when it is first read."""
    review = Review()
    today = review.graph
    review.graph = older_builder().compile(checkpointer=review.saver, interrupt_after=STOP_AFTER)
    await review.of(shelf.put(COMPLAINT))
    assert not ADDED_SINCE & (await review.values()).keys()
    review.graph = today
    assert await review.next() == ("publish",)
    assert (await review.go_on())["outcome"] == "published"
    (publication,) = shelf.publications(review.thread_id)
    (kept,) = shelf.reviews(review.thread_id)
    assert (publication["severity"], kept["note"]) == ("high", "")
