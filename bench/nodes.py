"""What our nodes cost without a model: each node's time, and whole runs beside empty ones of as many super-steps.

In this process, on a seeded shop in Postgres, checkpoints in memory, the written rules in place of a model. So
`classify` and `draft_reply` hold the rules' own time; everything else is ours and the database's.
"""

import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, wraps
from statistics import median, quantiles
from typing import Any, cast
from uuid import uuid4

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from agents.support.context import Context
from agents.support.graph import builder
from bench.empty import chain
from bench.tickets import tickets

Seconds = float


@dataclass
class Measured:
    """Times in seconds: of each node's executions, and of runs as (kind, super-steps, ours, empty)."""

    nodes: dict[str, list[Seconds]] = field(default_factory=lambda: defaultdict(list))
    runs: list[tuple[str, int, Seconds, Seconds]] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """Milliseconds, for the table and for --json."""
        executions = [one for times in self.nodes.values() for one in times]
        ours = sum(run[2] for run in self.runs)
        empty = sum(run[3] for run in self.runs)
        steps = sum(run[1] for run in self.runs)
        return {
            "node_median_ms": _ms(median(executions)),
            "node_p95_ms": _ms(_p95(executions)),
            "super_step_ms": _ms(ours / steps),
            "empty_super_step_ms": _ms(empty / steps),
            "ratio": round(ours / empty, 2),
            "overhead_ms_a_node": _ms((ours - empty) / len(executions)),
            "nodes": {
                name: {"n": len(times), "median_ms": _ms(median(times)), "p95_ms": _ms(_p95(times))}
                for name, times in sorted(self.nodes.items(), key=lambda item: -median(item[1]))
            },
        }


async def measure(uri: str, *, count: int, warm_up: int = 10) -> Measured:
    """So many tickets through the graph, each beside an empty run. The agents' database must be configured."""
    measured = Measured()
    # check: allow memory-saver: what is measured is the work of the nodes, and nothing has to last
    ours = builder.compile(checkpointer=InMemorySaver(), name="support")
    with clocks(measured.nodes):
        for number, (kind, text) in enumerate(tickets(uri, warm_up + count)):
            if number == warm_up:
                measured.nodes.clear()
                measured.runs.clear()
            thread = _thread()
            sent = {"ticket_id": uuid4().hex, "messages": [HumanMessage(text)]}
            measured.runs.append((kind, *await _beside_empty(ours, sent, thread)))
            if kind == "gate":
                approval = await _approval(ours, thread)
                measured.runs.append(("approval", *await _beside_empty(ours, approval, thread)))
    return measured


@contextmanager
def clocks(times: dict[str, list[Seconds]]) -> Iterator[None]:
    """A clock around every node of the support graph until the block ends."""
    plain = {name: cast("Any", spec.runnable).afunc for name, spec in builder.nodes.items()}
    for name, spec in builder.nodes.items():
        cast("Any", spec.runnable).afunc = _clocked(plain[name], times, name)
    try:
        yield
    finally:
        for name, spec in builder.nodes.items():
            cast("Any", spec.runnable).afunc = plain[name]


def _clocked(
    node: Callable[..., Awaitable[Any]], times: dict[str, list[Seconds]], name: str
) -> Callable[..., Awaitable[Any]]:
    @wraps(node)
    async def run(*args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        try:
            return await node(*args, **kwargs)
        finally:
            times[name].append(time.perf_counter() - start)

    return run


async def _beside_empty(ours: Any, sent: Any, thread: RunnableConfig) -> tuple[int, Seconds, Seconds]:
    """Super-steps and time of a run, and the time of an empty one of as many super-steps right after it."""
    known = len(await _history(ours, thread))
    took = await _timed(ours, sent, thread, Context(model="offline:rules"))
    # New input makes two checkpoints more than there are super-steps: of itself, and of the step that takes it in.
    steps = len(await _history(ours, thread)) - known - (0 if isinstance(sent, Command) else 2)
    return steps, took, await _timed(_empty(steps), {"n": 1}, _thread(), None)


async def _timed(graph: Any, sent: Any, thread: RunnableConfig, context: Context | None) -> Seconds:
    start = time.perf_counter()
    await graph.ainvoke(sent, thread, context=context)
    return time.perf_counter() - start


@cache
def _empty(steps: int) -> Any:
    # check: allow memory-saver: the same saver as the graph beside which it is measured
    return chain(steps).compile(checkpointer=InMemorySaver())


async def _history(graph: Any, thread: RunnableConfig) -> list[Any]:
    return [checkpoint async for checkpoint in graph.checkpointer.alist(thread)]


async def _approval(graph: Any, thread: RunnableConfig) -> Command[Any]:
    (question,) = (await graph.aget_state(thread)).interrupts
    return Command(resume={question.id: {"action": "approve"}})


def _thread() -> RunnableConfig:
    return {"configurable": {"thread_id": uuid4().hex}}


def _p95(times: list[Seconds]) -> Seconds:
    return quantiles(times, n=20)[-1] if len(times) > 1 else times[0]


def _ms(seconds: Seconds) -> float:
    return round(seconds * 1000, 2)
