"""A sweep over many threads of `langgraph dev`: how long it takes, what it misses; beside reading each one's state."""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

from langgraph_sdk.client import LangGraphClient
from rich.console import Console
from rich.table import Table

from stationmaster.postgres import embedded, migrate
from stationmaster.reviews.agent_server import connect
from stationmaster.reviews.database import open_pool
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.sweep import AT_ONCE, sweep
from tests.fakes.graphs.serving import interrupting_server
from tests.stationmaster.reviews.engine import OneGroup

GRAPH = "plain"
DONE, SAMPLE = 500, 1_000
TOGETHER = 40


async def measure(uri: str, directory: Path, *, threads: int, waiting: int) -> dict[str, Any]:
    """`threads` of which `waiting` ask something, DONE have ended, and the rest has no state yet: to write one takes
    longer than to read it. `uri`: migrated, without reviews."""
    # Not pickled every few seconds, which takes longer the more there is.
    server = interrupting_server(directory, uri, env={"LANGGRAPH_DISABLE_FILE_PERSISTENCE": "true"})
    await server.start()
    try:
        async with server.sdk() as client:
            asking = await _together(waiting, lambda: _ask(client))
            done = await _together(min(DONE, threads - waiting), lambda: _finished(client))
            new = await _together(threads - len(asking) - len(done), lambda: _new(client))
            everything = [*asking, *done, *new]
            sample = everything[:: max(1, threads // SAMPLE)]
            reading = await _read_all(client, sample) / len(sample) * threads
        async with open_pool(uri) as pool, connect(server.url) as agents:
            desk = Desk(pool, agents, OneGroup(), "bench")
            start = time.perf_counter()
            first = await sweep(desk, None)
            took = time.perf_counter() - start
            async with pool.connection() as conn:
                found = await (
                    await conn.execute("SELECT DISTINCT thread_id FROM reviews.reviews")
                ).fetchall()
    finally:
        await server.sigkill()
    missed = len(set(asking) - {row["thread_id"] for row in found})
    return {
        "threads": threads, "waiting": waiting, "seen": first.threads, "opened": first.opened, "missed": missed,
        "seconds": round(took, 1), "reading_seconds": round(reading, 1), "ratio": round(took / reading, 2),
    }  # fmt: skip


async def _together(count: int, make: Any) -> list[str]:
    gate = asyncio.Semaphore(TOGETHER)

    async def one() -> str:
        async with gate:
            return await make()

    return await asyncio.gather(*(one() for _ in range(count)))


async def _ask(client: LangGraphClient) -> str:
    thread = await client.threads.create()
    question = {"title": "Refund order 88123?", "amount_usd": 640.0, "reply": "Dear Maria, " * 20}
    await client.runs.wait(thread["thread_id"], GRAPH, input={"key": uuid4().hex, "question": question})
    return thread["thread_id"]


async def _finished(client: LangGraphClient) -> str:
    """A thread whose graph has ended, written without a run."""
    values = {"key": uuid4().hex, "question": "Refund?", "answer": "yes"}
    steps: Any = [{"updates": [{"values": values, "as_node": "act"}]}]
    thread = await client.threads.create(graph_id=GRAPH, supersteps=steps)
    return thread["thread_id"]


async def _new(client: LangGraphClient) -> str:
    return (await client.threads.create(graph_id=GRAPH))["thread_id"]


async def _read_all(client: LangGraphClient, threads: list[str]) -> float:
    """Seconds that the server alone takes for the state of each, with as many requests at once as the sweep has."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(thread_id: str) -> None:
        async with gate:
            await client.threads.get_state(thread_id)

    start = time.perf_counter()
    await asyncio.gather(*(one(thread_id) for thread_id in threads))
    return time.perf_counter() - start


def print_table(figures: dict[str, Any], console: Console) -> None:
    """For people."""
    table = Table(title=f"A sweep of {figures['threads']} threads, {figures['waiting']} of which ask")
    for heading in ("threads", "s", "looked at", "opened", "missed"):
        table.add_column(heading, justify="left" if heading == "threads" else "right")
    table.add_row(
        "each state read, by a sample", str(figures["reading_seconds"]), str(figures["threads"]), "", ""
    )
    row = [str(figures[name]) for name in ("seconds", "seen", "opened", "missed")]
    table.add_row(f"full sweep (x{figures['ratio']})", *row)
    console.print(table)


async def alone(threads: int, waiting: int) -> dict[str, Any]:
    """The same with a database of its own."""
    with embedded.temporary() as uri, tempfile.TemporaryDirectory() as directory:
        await migrate(uri)
        return await measure(uri, Path(directory), threads=threads, waiting=waiting)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.sweep", description=__doc__)
    parser.add_argument("--threads", type=int, default=10_000)
    parser.add_argument("--waiting", type=int, default=500, help="of them, that ask something")
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    asked = parser.parse_args()
    figures = asyncio.run(alone(asked.threads, asked.waiting))
    if asked.json:
        print(json.dumps(figures, indent=2))
    else:
        print_table(figures, Console())
    return 1 if figures["missed"] else 0


if __name__ == "__main__":
    sys.exit(main())
