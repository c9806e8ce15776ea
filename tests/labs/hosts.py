"""Where a graph can live: a process with the memory saver or with the saver on Postgres, `langgraph dev`, or the
durable runtime. A scenario speaks to all of them in the same words, so that its small case is the full size's very
code. The hosts themselves: processes.py and servers.py.
"""

import asyncio
import json
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

SERVED = Path(__file__).with_name("served") / "langgraph.json"
AT_ONCE = 20
T = TypeVar("T")


@dataclass(frozen=True)
class Thread:
    """What is known of a thread: its values, the nodes that come next, what it asks; how its last run failed.

    Nothing at all, where it is not known.
    """

    values: dict[str, Any] = field(default_factory=dict)
    next: tuple[str, ...] = ()
    asks: tuple[Any, ...] = ()
    error: str | None = None


class Host(Protocol):
    """Runs graphs, which are named as in served/langgraph.json."""

    async def start(self, env: Mapping[str, str] | None = None) -> None:
        """Begin, or begin again after an end, with `env` from now on."""
        ...

    async def kill(self) -> None:
        """`kill -9`."""
        ...

    async def thread(self) -> str:
        """The id of a new thread."""
        ...

    async def run(self, thread: str, graph: str, **given: Any) -> Thread:
        """`input=` or `resume=`, to the end, the next question, or the error; `input=None` goes on."""
        ...

    async def go_on(self, thread: str, graph: str) -> Thread:
        """After an end: what was under way, to its end."""
        ...

    async def look(self, thread: str, graph: str) -> Thread:
        """The thread as it is now."""
        ...


def graph_of(name: str) -> str:
    """ "module:attribute" of a served graph."""
    return json.loads(SERVED.read_text())["graphs"][name]


async def at_once(*calls: Coroutine[Any, Any, T], width: int = AT_ONCE) -> list[T]:
    """The results of all calls in their order, `width` of them at a time; after one that fails the rest is left."""
    gate = asyncio.Semaphore(width)

    async def one(call: Coroutine[Any, Any, T]) -> T:
        async with gate:
            return await call

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(call)) for call in calls]
        return [task.result() for task in tasks]
    finally:
        for call in calls:
            call.close()  # whose turn never came
