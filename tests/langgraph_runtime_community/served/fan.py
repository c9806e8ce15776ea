"""Three parallel nodes; each notes its effect, the one that `fails` names fails until its name is in `allowed`.

Input: {"key": str, "fails": str}. A retry of the thread re-runs only what failed.
"""

import os
from typing import Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger


class State(TypedDict):
    key: str
    fails: str
    left: int


def branch(name: str) -> Any:
    async def work(state: State) -> dict[str, Any]:
        await ledger.write(state["key"], name)
        if (
            state["fails"] == name
            and await ledger.count(os.environ[ledger.VARIABLE], state["key"], "mended") == 0
        ):
            raise ValueError(f"{name} fails")
        return {}

    return work


builder = StateGraph(State)
for name in ("a", "b", "c"):
    builder.add_node(name, branch(name))
    builder.add_edge(START, name)
    builder.add_edge(name, END)
graph = builder.compile(name="fan")
