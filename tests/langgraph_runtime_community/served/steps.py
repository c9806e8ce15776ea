"""Ten steps in a row, each of them one effect in the ledger; one may take long.

Input: {"key": str, "slow": number of the step (0: none), "seconds": number}. State grows by a message a step.
"""

import asyncio
import operator
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger

STEPS = 10


class State(TypedDict):
    key: str
    slow: int
    seconds: float
    done: Annotated[list[int], operator.add]


def step(number: int) -> Any:
    async def work(state: State) -> dict[str, Any]:
        await ledger.write(state["key"], f"step {number}")
        if state.get("slow") == number:
            await asyncio.sleep(state["seconds"])
        return {"done": [number]}

    return work


builder = StateGraph(State)
names = [f"step_{number}" for number in range(1, STEPS + 1)]
for number, name in enumerate(names, 1):
    builder.add_node(name, step(number))
for before, after in zip([START, *names], [*names, END], strict=True):
    builder.add_edge(before, after)
graph = builder.compile(name="steps")
