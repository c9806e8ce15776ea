"""The durable runtime beside `langgraph dev`, the graph library alone on the same Postgres, and any server by URL."""

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from rich.console import Console
from rich.table import Table

from bench import empty
from bench.alone import alone, parser_for
from tests.fakes.agent_server import AgentServer
from tests.fakes.community_server import CommunityServer

GRAPH = "empty"
INPUT: dict[str, Any] = {"n": 1}
CONCURRENCY = 10
WARM_UP = 20
ROOT = Path(__file__).parents[1]
PROJECT = {"python_version": "3.11", "dependencies": ["."], "graphs": {GRAPH: "bench.empty:graph"}}


@asynccontextmanager
async def _servers(uri: str, directory: Path, url: str) -> AsyncIterator[dict[str, LangGraphClient]]:
    """A client each; the in-memory server begins with no state, since it slows down with history."""
    config = directory / "langgraph.json"
    config.write_text(json.dumps(PROJECT))
    started: dict[str, AgentServer] = {
        "durable": CommunityServer(directory / "durable", database=uri, config=config, clock={}),
        "dev": AgentServer(directory / "dev", config=config),
    }
    async with AsyncExitStack() as stack:
        clients: dict[str, LangGraphClient] = {}
        for name, server in started.items():
            server.env["PYTHONPATH"] = f"{ROOT / 'src'}{os.pathsep}{ROOT}"
            stack.callback(server.kill_blocking)
            await server.start()
            clients[name] = await stack.enter_async_context(server.sdk())
        if url:
            clients[url] = await stack.enter_async_context(get_client(url=url, api_key=None))
        yield clients


async def measure(uri: str, directory: Path, *, runs: int, lone: int, url: str = "") -> dict[str, Any]:
    """`lone` runs one after the other, `runs` waited at a concurrency of ten, and as many in the background."""
    library = await _library(uri, runs=runs, lone=lone)
    rows: dict[str, Any] = {"library": library}
    async with _servers(uri, directory, url) as clients:
        for name, client in clients.items():
            rows[name] = await _served(client, runs=runs, lone=lone)
    for row in rows.values():
        row["ratio"] = round(library["waited_per_s"] / row["waited_per_s"], 2)
    return {"runs": runs, "lone": lone, "concurrency": CONCURRENCY, "rows": rows}


async def _library(uri: str, *, runs: int, lone: int) -> dict[str, Any]:
    """What the same graph costs in this process, with the saver that the library has for Postgres."""
    async with AsyncPostgresSaver.from_conn_string(uri) as saver:
        await saver.setup()
        graph = empty.chain(3).compile(checkpointer=saver)

        async def run() -> None:
            await graph.ainvoke(INPUT, {"configurable": {"thread_id": uuid4().hex}})  # pyright: ignore[reportArgumentType]

        await _each(WARM_UP, run)
        alone = await _each(lone, run)
        return {"lone_ms": _median_ms(alone), "waited_per_s": await _rate(runs, run)}


async def _served(client: LangGraphClient, *, runs: int, lone: int) -> dict[str, Any]:
    async def waited() -> None:
        await client.runs.wait(await _thread(client), GRAPH, input=INPUT)

    await _each(WARM_UP, waited)
    return {
        "lone_ms": _median_ms(await _each(lone, waited, _thread_for(client))),
        "first_update_ms": _median_ms([await _first_update(client) for _ in range(lone)]),
        "waited_per_s": await _rate(runs, waited),
        "background_per_s": await _background(client, runs),
        "joined_per_s": await _rate(runs, _joined(client)),
    }


async def _thread(client: LangGraphClient) -> str:
    return (await client.threads.create())["thread_id"]


def _thread_for(client: LangGraphClient) -> Callable[[], Awaitable[Callable[[], Awaitable[None]]]]:
    """A run whose thread was made beforehand: making it is not waiting for it."""

    async def prepared() -> Callable[[], Awaitable[None]]:
        thread = await _thread(client)

        async def run() -> None:
            await client.runs.wait(thread, GRAPH, input=INPUT)

        return run

    return prepared


async def _first_update(client: LangGraphClient) -> float:
    thread, begun = await _thread(client), time.perf_counter()
    took = 0.0
    async for part in client.runs.stream(thread, GRAPH, input=INPUT, stream_mode="updates"):
        if part.event == "updates" and not took:
            took = time.perf_counter() - begun
    return took


def _joined(client: LangGraphClient) -> Callable[[], Awaitable[None]]:
    async def run() -> None:
        thread = await _thread(client)
        made = await client.runs.create(thread, GRAPH, input=INPUT)
        await client.runs.join(thread, made["run_id"])

    return run


async def _background(client: LangGraphClient, runs: int) -> float:
    """Made as fast as one client can; from the first accepted to the last ended, by the server's own times."""
    gate = asyncio.Semaphore(CONCURRENCY)
    threads = [await _thread(client) for _ in range(runs)]

    async def one(thread: str) -> tuple[str, str]:
        async with gate:
            return thread, (await client.runs.create(thread, GRAPH, input=INPUT))["run_id"]

    made = await asyncio.gather(*(one(thread) for thread in threads))
    rows: list[Any] = []
    for thread, run in made:
        await client.runs.join(thread, run)
        rows.append(await client.runs.get(thread, run))
    assert all(row["status"] == "success" for row in rows)
    began, ended = min(_at(row["created_at"]) for row in rows), max(_at(row["updated_at"]) for row in rows)
    return round(runs / (ended - began), 1)


def _at(time_of: Any) -> float:
    return (datetime.fromisoformat(time_of) if isinstance(time_of, str) else time_of).timestamp()


async def _each(
    count: int,
    run: Callable[[], Awaitable[None]],
    prepared: Callable[[], Awaitable[Callable[[], Awaitable[None]]]] | None = None,
) -> list[float]:
    took = []
    for _ in range(count):
        timed = await prepared() if prepared else run
        begun = time.perf_counter()
        await timed()
        took.append(time.perf_counter() - begun)
    return took


async def _rate(count: int, run: Callable[[], Awaitable[None]]) -> float:
    gate = asyncio.Semaphore(CONCURRENCY)

    async def one() -> None:
        async with gate:
            await run()

    begun = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(count)))
    return round(count / (time.perf_counter() - begun), 1)


def _median_ms(took: list[float]) -> float:
    return round(statistics.median(took) * 1000, 1)


def print_table(figures: dict[str, Any], console: Console) -> None:
    """For people."""
    title = f"A three-node graph without a model: {figures['runs']} runs, {figures['concurrency']} at a time"
    table = Table(title=title)
    headings = {
        "lone_ms": "lone ms", "first_update_ms": "update ms", "waited_per_s": "waited/s",
        "background_per_s": "behind/s", "joined_per_s": "joined/s", "ratio": "library x",
    }  # fmt: skip
    table.add_column("server")
    for heading in headings.values():
        table.add_column(heading, justify="right")
    for name, row in figures["rows"].items():
        table.add_row(name, *(str(row.get(key, "")) for key in headings))
    console.print(table)


async def measured(uri: str, directory: Path, asked: argparse.Namespace) -> dict[str, Any]:
    return await measure(uri, directory, runs=asked.runs, lone=asked.lone, url=asked.url)


def main(arguments: list[str] | None = None) -> int:
    parser = parser_for(
        "bench.runtime",
        __doc__,
        {
            "runs": (200, "waited, and as many in the background"),
            "lone": (100, "one after the other"),
            "url": ("", "of another Agent Server that has the graph `empty`"),
        },
    )
    return alone(parser, measured, print_table, arguments=arguments)


if __name__ == "__main__":
    sys.exit(main())
