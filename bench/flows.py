"""The example of each graph's page from start to end, answered where it asks, on a real `langgraph dev`, no key."""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from langgraph_sdk.client import LangGraphClient
from rich.console import Console
from rich.table import Table

from bench.alone import alone, parser_for
from stationmaster.docs.pages import example, graphs
from tests.fakes.agent_server import CONFIG, ROOT, agent_server

GOAL_S = 10.0
MOST_ANSWERS = 6
APPROVE = {"action": "approve"}


async def measure(uri: str, directory: Path) -> dict[str, Any]:
    """Each graph of langgraph.json, one after the other, on the seeded shop at `uri`."""
    env = {"STATIONMASTER_DATABASE_URI": uri, "PYTHONPATH": str(ROOT)}
    async with agent_server(directory / "flows", env=env) as server, server.sdk() as client:
        return {name: await _flow(client, name) for name in sorted(graphs(CONFIG))}


async def _flow(client: LangGraphClient, name: str) -> dict[str, Any]:
    """From the first message until nothing comes next; `ended` is what the last run was, or that it still waits."""
    given: dict[str, Any] = {
        "input": example((ROOT / "docs" / "agents" / f"{name}.md").read_text(encoding="utf-8"))
    }
    thread = (await client.threads.create())["thread_id"]
    began, answers = time.perf_counter(), 0
    while True:
        await client.runs.wait(thread, name, raise_error=False, **given)
        state: Any = await client.threads.get_state(thread)
        failed = any(task.get("error") for task in state["tasks"])
        if failed or not state["next"] or answers == MOST_ANSWERS:
            break
        given, answers = answer(state["interrupts"]), answers + 1
    seconds = round(time.perf_counter() - began, 2)
    ended = "failed" if failed else "waits" if state["next"] else "done"
    return {"seconds": seconds, "answers": answers, "ended": ended}


def answer(interrupts: list[dict[str, Any]]) -> dict[str, Any]:
    """Yes to all that is asked; at a breakpoint nothing is, and the thread goes on."""
    if not interrupts:
        return {"input": None}
    return {"command": {"resume": {each["id"]: _yes(each["value"]) for each in interrupts}}}


def _yes(asked: Any) -> dict[str, Any]:
    """In the question's own shape."""
    if isinstance(asked, dict) and "action_requests" in asked:
        return {"decisions": [{"type": "approve"} for _ in asked["action_requests"]]}
    return APPROVE


def print_table(figures: dict[str, Any], console: Console) -> None:
    """For people."""
    table = Table(title=f"Each graph's example, from start to end (goal: under {GOAL_S:.0f} s)")
    for heading in ("graph", "s", "answers", "ended"):
        table.add_column(heading, justify="left" if heading in ("graph", "ended") else "right")
    for name, row in figures.items():
        table.add_row(name, f"{row['seconds']:.2f}", str(row["answers"]), row["ended"])
    console.print(table)


def missed(figures: dict[str, Any]) -> int:
    """Graphs whose example failed, never ended, or took longer than the goal."""
    return sum(row["ended"] != "done" or row["seconds"] >= GOAL_S for row in figures.values())


def main() -> int:
    async def measured(uri: str, directory: Path, asked: argparse.Namespace) -> dict[str, Any]:
        return await measure(uri, directory)

    return alone(parser_for("bench.flows", __doc__, {}), measured, print_table, failed=missed)


if __name__ == "__main__":
    sys.exit(main())
