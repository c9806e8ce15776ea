"""A process that runs graphs with a saver of its own, told what to do by lines of JSON, and made to be killed.

    python -m tests.labs.child memory|URI

A line is {"id", "graph": "module:attribute", "thread", "input"?, "resume"?, "look"?}; the answer to it has the
same id.
"""

import asyncio
import json
import sys
from contextlib import AsyncExitStack
from importlib import import_module
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.types import Command

MEMORY = "memory"


async def serve(kept_in: str) -> None:
    """Until stdin ends; many lines at once."""
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as group:
        saver: BaseCheckpointSaver[Any] = InMemorySaver()
        if kept_in != MEMORY:
            saver = await stack.enter_async_context(AsyncPostgresSaver.from_conn_string(kept_in))
        _say({"id": "ready"})
        while line := await asyncio.to_thread(sys.stdin.readline):
            group.create_task(_answer(json.loads(line), saver))


async def _answer(asked: dict[str, Any], saver: BaseCheckpointSaver[Any]) -> None:
    module, _, attribute = asked["graph"].partition(":")
    graph = getattr(import_module(module), attribute).copy({"checkpointer": saver})
    config = {"configurable": {"thread_id": asked["thread"]}}
    answer: dict[str, Any] = {"id": asked["id"], "error": None}
    try:
        if not asked.get("look"):
            given = Command(resume=asked["resume"]) if "resume" in asked else asked.get("input")
            # By default a step is saved beside the next one: a kill in that moment takes it along, and the question.
            await graph.ainvoke(given, config, durability="sync")
    except Exception as error:  # noqa: BLE001 - whatever a graph under test raises is its answer
        answer["error"] = type(error).__name__
    state = await graph.aget_state(config)
    asks = [each.value for each in state.interrupts]
    _say({**answer, "values": dict(state.values), "next": list(state.next), "asks": asks})


def _say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1]))
