"""Lab 2: three searches at once write one key, and nobody said how their results come together.

Without a reducer LangGraph refuses the step: InvalidUpdateError. Somebody makes the error go away by moving
searches to later steps: no error, and each overwrites in silence what the one before had found. `operator.add`
keeps everything, and what two of them found counts twice. A reducer that knows when two results are the same keeps
each once.
"""

import operator
from typing import Annotated, Any

import pytest
from langgraph.errors import InvalidUpdateError
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from tests.labs.figures import Figures

FOUND = {"titles": ["a", "b"], "texts": ["b", "c"], "tags": ["d"]}  # "b" is found twice
ALL = {"a", "b", "c", "d"}
TABLE = Figures(
    "missing reducer",
    ("reducer", "steps", "outcome", "documents", "lost", "doubled"),
    ("none", "none, one moved", "none, all moved", "operator.add", "each once"),
    zero={"lost": ("each once",), "doubled": ("each once",)},
)


def each_once(left: list[str], right: list[str]) -> list[str]:
    """Both, each document once, whichever search was faster."""
    return sorted({*left, *right})


class Unreduced(TypedDict):
    found: list[str]


class Added(TypedDict):
    found: Annotated[list[str], operator.add]


class EachOnce(TypedDict):
    found: Annotated[list[str], each_once]


def finding(name: str) -> Any:
    """A node that writes what that search has found."""

    async def search(state: Any) -> dict[str, Any]:
        return {"found": FOUND[name]}

    return search


def searching(state: Any, *steps: tuple[str, ...]) -> Any:
    """A graph with these searches, those of one step side by side."""
    builder = StateGraph(state)
    for name in FOUND:
        builder.add_node(name, finding(name))
    for before, step in zip([(START,), *steps], [*steps, (END,)], strict=True):
        for name in step:
            builder.add_edge(list(before) if before != (START,) else START, name)
    return builder.compile()


ONE_STEP = (("titles", "texts", "tags"),)
wrong = searching(Unreduced, *ONE_STEP)
one_moved = searching(Unreduced, ("titles", "texts"), ("tags",))
all_moved = searching(Unreduced, ("titles",), ("texts",), ("tags",))
added = searching(Added, *ONE_STEP)
right = searching(EachOnce, *ONE_STEP)


@pytest.mark.parametrize(("graph", "name", "steps"), [(wrong, "none", 1), (one_moved, "none, one moved", 2)])
async def test_writers_of_one_step_are_refused(graph: Any, name: str, steps: int) -> None:
    """Two are as bad as three."""
    with pytest.raises(InvalidUpdateError, match="'found'"):
        await graph.ainvoke({"found": []})
    TABLE.keep(name, steps, "InvalidUpdateError", 0, 4, 0)


@pytest.mark.parametrize(
    ("graph", "name", "steps", "kept", "outcome"),
    [
        (all_moved, "none, all moved", 3, ["d"], "overwritten in silence"),
        (added, "operator.add", 1, ["a", "b", "b", "c", "d"], "over-count"),
        (right, "each once", 1, ["a", "b", "c", "d"], "right"),
    ],
)
async def test_what_is_kept(graph: Any, name: str, steps: int, kept: list[str], outcome: str) -> None:
    found = (await graph.ainvoke({"found": []}))["found"]
    assert sorted(found) == kept
    lost, doubled = len(ALL - set(found)), len(found) - len(set(found))
    TABLE.keep(name, steps, outcome, len(found), lost, doubled)


async def test_the_order_of_searches_changes_nothing() -> None:
    """Which branch is merged first depends on names, and on timing in engines less careful than this one."""
    assert each_once(each_once([], FOUND["texts"]), FOUND["titles"]) == each_once(
        each_once([], FOUND["titles"]), FOUND["texts"]
    )
