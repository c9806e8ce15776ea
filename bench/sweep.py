"""A sweep over many threads of either runtime: how long it takes, what it misses; beside reading each one's state."""

import argparse
import asyncio
import sys
import time
from pathlib import Path
from typing import Any, Literal, TypeAlias
from uuid import uuid4

from langgraph_sdk.client import LangGraphClient
from rich.console import Console
from rich.table import Table

from bench.alone import alone, parser_for
from stationmaster.reviews.agent_server import connect
from stationmaster.reviews.database import open_pool
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.sweep import AT_ONCE, sweep
from tests.fakes.agent_server import AgentServer
from tests.fakes.community_server import CommunityServer
from tests.fakes.graphs.serving import interrupting_server
from tests.stationmaster.reviews.engine import OneGroup

GRAPH = "plain"
SAMPLE = 1_000
TOGETHER = 40


Runtime: TypeAlias = Literal["durable", "dev"]


def _server(runtime: Runtime, uri: str, directory: Path) -> AgentServer:
    # Not pickled every few seconds, which takes longer the more there is.
    stock = interrupting_server(directory, uri, env={"LANGGRAPH_DISABLE_FILE_PERSISTENCE": "true"})
    if runtime == "dev":
        return stock
    return CommunityServer(directory / "durable", database=uri, env=stock.env, config=stock.config, clock={})


async def measure(
    uri: str, directory: Path, *, threads: int, waiting: int, ended: int = 500, server: Runtime = "durable"
) -> dict[str, Any]:
    """`threads` of which `waiting` ask something, `ended` have ended, and the rest has no state yet: to write one takes
    longer than to read it. `uri`: migrated, without reviews."""
    agents_server = _server(server, uri, directory)
    await agents_server.start()
    try:
        async with agents_server.sdk() as client:
            asking = await _together(waiting, lambda: _ask(client))
            done = await _together(min(ended, threads - waiting), lambda: _finished(client))
            new = await _together(threads - len(asking) - len(done), lambda: _new(client))
            everything = [*asking, *done, *new]
            sample = everything[:: max(1, threads // SAMPLE)]
            reading = await _read_all(client, sample) / len(sample) * threads
        async with open_pool(uri) as pool, connect(agents_server.url) as agents:
            desk = Desk(pool, agents, OneGroup(), "bench")
            start = time.perf_counter()
            first = await sweep(desk, None)
            took = time.perf_counter() - start
            async with pool.connection() as conn:
                found = await (
                    await conn.execute("SELECT DISTINCT thread_id FROM reviews.reviews")
                ).fetchall()
    finally:
        await agents_server.sigkill()
    missed = len(set(asking) - {row["thread_id"] for row in found})
    return {
        "server": server, "threads": threads, "waiting": waiting, "ended": len(done), "seen": first.threads,
        "opened": first.opened, "missed": missed, "seconds": round(took, 1), "reading_seconds": round(reading, 1),
        "ratio": round(took / reading, 2),
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
    table = Table(
        title=f"A sweep of {figures['threads']} threads, {figures['waiting']} of which ask ({figures['server']})"
    )
    for heading in ("threads", "s", "looked at", "opened", "missed"):
        table.add_column(heading, justify="left" if heading == "threads" else "right")
    table.add_row(
        "each state read, by a sample", str(figures["reading_seconds"]), str(figures["threads"]), "", ""
    )
    row = [str(figures[name]) for name in ("seconds", "seen", "opened", "missed")]
    table.add_row(f"full sweep (x{figures['ratio']})", *row)
    console.print(table)


OPTIONS = {
    "threads": (10_000, "in all"),
    "waiting": (500, "of them, that ask something"),
    "ended": (500, "of them, that have ended; the rest has no state yet"),
    "server": ("durable", "on which runtime: durable or dev"),
}


def main() -> int:
    async def measured(uri: str, directory: Path, asked: argparse.Namespace) -> dict[str, Any]:
        return await measure(
            uri,
            directory,
            threads=asked.threads,
            waiting=asked.waiting,
            ended=asked.ended,
            server=asked.server,
        )

    parser = parser_for("bench.sweep", __doc__, OPTIONS)
    return alone(parser, measured, print_table, failed=lambda figures: figures["missed"])


if __name__ == "__main__":
    sys.exit(main())
