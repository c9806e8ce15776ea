"""A second search was added beside the first, and 18 % of all requests failed.

Both write `documents`, which had one writer until then. Most requests go to one of the two, and the tests of each
node passed, since a node alone is never two writers of one step. Now the key has a reducer that keeps each
document once: of two lists of ten that share six, fourteen are left.
"""

from typing import Annotated, Any

import pytest
from langgraph.errors import InvalidUpdateError
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from tests.labs.figures import Figures
from tests.labs.hosts import at_once
from tests.labs.test_reducers import each_once

TABLE = Figures(
    "fan-out",
    (
        "requests",
        "to both searches",
        "failed, wrong",
        "failed, right",
        "documents of both",
        "lost",
        "doubled",
    ),
    ("100", "1,000"),
    zero={"failed, right": (), "lost": (), "doubled": ()},
)
ARTICLES = [f"article {number}" for number in range(10)]
ORDERS = [f"article {number}" for number in range(4, 14)]


class Unreduced(TypedDict):
    number: int
    documents: list[str]


class Reduced(TypedDict):
    number: int
    documents: Annotated[list[str], each_once]


async def search_articles(state: Any) -> dict[str, Any]:
    return {"documents": ARTICLES}


async def search_orders(state: Any) -> dict[str, Any]:
    return {"documents": ORDERS}


def where(state: Any) -> list[str]:
    """18 of 100 requests need both, the others one of the two."""
    number = state["number"] % 100
    if number < 18:
        return ["search_articles", "search_orders"]
    return ["search_orders" if number % 2 else "search_articles"]


def searching(state: Any) -> Any:
    builder = StateGraph(state)
    builder.add_node("search_articles", search_articles)
    builder.add_node("search_orders", search_orders)
    builder.add_conditional_edges(START, where, ["search_articles", "search_orders"])
    builder.add_edge(["search_articles"], END)
    builder.add_edge(["search_orders"], END)
    return builder.compile()


wrong = searching(Unreduced)
right = searching(Reduced)


async def outcome(graph: Any, number: int) -> list[str] | None:
    """The documents, or None where the request failed."""
    try:
        return (await graph.ainvoke({"number": number, "documents": []}))["documents"]
    except InvalidUpdateError:
        return None


async def test_each_node_alone_passes() -> None:
    """The tests that there were."""
    assert await search_articles({}) == {"documents": ARTICLES}
    assert await search_orders({}) == {"documents": ORDERS}


@pytest.mark.parametrize("requests", [100, pytest.param(1_000, marks=pytest.mark.slow)])
async def test_requests_to_both_searches(requests: int) -> None:
    both = [number for number in range(requests) if len(where({"number": number})) == 2]
    failed = [await at_once(*(outcome(graph, n) for n in range(requests))) for graph in (wrong, right)]
    merged = await outcome(right, both[0]) or []
    lost, doubled = len({*ARTICLES, *ORDERS} - {*merged}), len(merged) - len({*merged})
    assert [number for number, found in enumerate(failed[0]) if found is None] == both
    assert all(failed[1][number] == merged for number in both)
    TABLE.keep(
        requests, f"{len(both)} ({len(both) / requests:.0%})", failed[0].count(None), failed[1].count(None),
        len(merged), lost, doubled,
    )  # fmt: skip
