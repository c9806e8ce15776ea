"""A state of 21 keys, and one of 20."""

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.managed import RemainingSteps
from typing_extensions import TypedDict


async def work(state: Any) -> dict[str, Any]:
    return {"key_1": "done"}


def graph(schema: Any) -> Any:
    builder = StateGraph(schema)
    builder.add_node("work", work)
    builder.add_edge(START, "work")
    builder.add_edge("work", END)
    return builder.compile()


Twenty = TypedDict("Twenty", {f"key_{number}": str for number in range(20)}, total=False)  # type: ignore[misc]


class Many(Twenty):
    one_more: str


class Managed(Twenty):
    remaining: RemainingSteps


bad_many = graph(Many)
good_twenty = graph(Twenty)
good_managed = graph(Managed)
