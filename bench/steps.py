"""What a super-step of each graph costs with the written rules in place of a model, beside one of an empty graph.

In this process, on a seeded shop in Postgres, checkpoints in memory. Tools, rules and the database's answers are in it:
the graph's own part is less.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from rich.console import Console
from rich.table import Table

from agents.shared import database
from bench.alone import alone, parser_for
from bench.empty import chain
from stationmaster.docs.pages import example
from tests.fakes.agent_server import CONFIG, ROOT

GOAL_MS = 10.0
CONTEXT = {"model": "offline:rules"}


async def measure(uri: str, *, runs: int, names: Iterable[str] = ()) -> dict[str, Any]:
    """Of each graph of langgraph.json, or the named ones: super-steps up to the first stop, and milliseconds of one."""
    declared = json.loads(CONFIG.read_text(encoding="utf-8"))["graphs"]
    database.configure(uri)
    try:
        return {name: await _graph(name, declared[name]["path"], runs) for name in names or sorted(declared)}
    finally:
        await database.close()


async def _graph(name: str, path: str, runs: int) -> dict[str, Any]:
    module, _, attribute = path.partition(":")
    # check: allow memory-saver: what is measured is the work of the nodes, and nothing has to last
    saver = InMemorySaver()
    graph = getattr(import_module(module), attribute).copy(update={"checkpointer": saver})
    sent = example((ROOT / "docs" / "agents" / f"{name}.md").read_text(encoding="utf-8"))
    await _timed(graph, sent)  # what is made once a process, or once a day
    steps = await _steps(graph, sent)
    empty = chain(steps).compile(checkpointer=saver)
    ours, nothing = zip(
        *[(await _timed(graph, sent), await _timed(empty, {"n": 1})) for _ in range(runs)], strict=True
    )
    ms, empty_ms = (round(median(each) * 1_000 / steps, 2) for each in (ours, nothing))
    return {"super_steps": steps, "ms": ms, "empty_ms": empty_ms, "ratio": round(ms / empty_ms, 1)}


async def _timed(graph: Any, sent: Any) -> float:
    began = time.perf_counter()
    await graph.ainvoke(sent, _config(), context=CONTEXT if graph.context_schema else None)
    return time.perf_counter() - began


async def _steps(graph: Any, sent: Any) -> int:
    """Those of its subgraphs too."""
    asked: dict[str, Any] = {"stream_mode": "debug", "subgraphs": True, "context": CONTEXT}
    found = {
        (place, event["step"])
        async for place, event in graph.astream(sent, _config(), **asked)
        if event["type"] == "task"
    }
    return len(found)


def _config() -> RunnableConfig:
    return {"configurable": {"thread_id": uuid4().hex}}


def print_table(figures: dict[str, Any], console: Console) -> None:
    """For people."""
    table = Table(
        title=f"A super-step of each graph, tools and all (goal: under {GOAL_MS:.0f} ms without them)"
    )
    for heading in ("graph", "super-steps", "ms", "empty graph", "ratio"):
        table.add_column(heading, justify="left" if heading == "graph" else "right")
    for name, row in figures.items():
        table.add_row(name, *(str(row[key]) for key in ("super_steps", "ms", "empty_ms", "ratio")))
    console.print(table)


def main() -> int:
    async def measured(uri: str, directory: Path, asked: argparse.Namespace) -> dict[str, Any]:
        return await measure(uri, runs=asked.runs)

    parser = parser_for("bench.steps", __doc__, {"runs": (20, "runs of each graph")})
    return alone(parser, measured, print_table)


if __name__ == "__main__":
    sys.exit(main())
