"""Graphs for what comes between two attempts at a run, and for what a run starts itself. Input: {"key": str, ...}."""

import asyncio
import operator
import os
from typing import Annotated, Any, NotRequired

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger


class State(TypedDict):
    key: str
    seconds: NotRequired[float]
    fails: NotRequired[bool]
    first: NotRequired[Any]
    second: NotRequired[Any]
    done: Annotated[list[int], operator.add]


async def ask_first(state: State) -> dict[str, Any]:
    return {"first": interrupt("first?")}


async def work_and_ask(state: State) -> dict[str, Any]:
    """Works long, then asks in the same node: an answer that is given again to this node is one to this question."""
    await ledger.write(state["key"], "working")
    await asyncio.sleep(state.get("seconds", 0))
    answer = interrupt("second?")
    await ledger.write(state["key"], "second answered", answer)
    return {"second": answer}


def step(number: int) -> Any:
    async def work(state: State) -> dict[str, Any]:
        """Step 2 fails once, in a way that passes, where the input says `fails`."""
        await ledger.write(state["key"], f"step {number}")
        times = await ledger.count(os.environ[ledger.VARIABLE], state["key"], "step 2")
        if number == 2 and state.get("fails") and times == 1:
            from langgraph_runtime_community.errors import Unavailable

            await asyncio.sleep(state.get("seconds", 0))
            raise Unavailable("as if saving had failed")
        return {"done": [number]}

    return work


async def call(state: State) -> dict[str, Any]:
    """Starts a run on its own server."""
    from langgraph_sdk import get_client

    api = get_client()
    await asyncio.sleep(0)
    try:
        thread = (await api.threads.create())["thread_id"]
        run = await api.runs.create(thread, "steps", input={"key": state["key"], "slow": 0})
    except Exception as error:
        await ledger.write(state["key"], "refused", str(error))
        raise
    await ledger.write(state["key"], "started", run["run_id"])
    return {}


def _graph(name: str, **nodes: Any) -> Any:
    builder = StateGraph(State)
    for node, work in nodes.items():
        builder.add_node(node, work)
    for before, after in zip([START, *nodes], [*nodes, END], strict=True):
        builder.add_edge(before, after)
    return builder.compile(name=name)


late = _graph("late", ask_first=ask_first, work_and_ask=work_and_ask)
passing = _graph("passing", step_1=step(1), step_2=step(2), step_3=step(3))
calls = _graph("calls", call=call)
