"""From a run that pauses to its question in the inbox: with the webhook, and by the sweep alone. Real processes."""

import argparse
import asyncio
import sys
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from uuid import uuid4

import httpx
from rich.console import Console
from rich.table import Table

from bench.alone import alone, parser_for
from tests.fakes.agent_server import AgentServer
from tests.fakes.console import ConsoleProcess
from tests.reviews_hold.world import asking_server, console_for, token_of

Seconds = float
LOOK_S = 0.1
"""Between two looks at the list: it costs the console 20 ms of work, which the questions have to wait for."""
PATIENCE_S = 60.0


async def measure(uri: str, directory: Path, *, runs: int, every_s: Seconds) -> dict[str, Any]:
    """`runs` on threads of their own, one each `every_s`: with the hook, then as many without. `uri`: migrated."""
    figures: dict[str, Any] = {"runs": runs, "every_s": every_s}
    for name, hooked in (("hook", True), ("sweep", False)):
        place = directory / name
        place.mkdir()
        figures[name] = await _round(uri, place, hooked, runs, every_s)
    return figures


async def _round(uri: str, directory: Path, hooked: bool, runs: int, every_s: Seconds) -> dict[str, Any]:
    console = console_for("http://127.0.0.1:9", uri, directory / "console")
    server = asking_server(directory, uri, f"{console.url}/webhooks/langgraph" if hooked else None)
    console.api_url = server.url
    try:
        await asyncio.to_thread(server.start_blocking)
        await asyncio.to_thread(console.start)
        token = await token_of(uri, f"bench-{directory.name}", "desk")
        await _pauses(server, console, token, 5, every_s)  # warm
        return _figures(await _pauses(server, console, token, runs, every_s), runs)
    finally:
        console.kill()
        await server.sigkill()


async def _pauses(
    server: AgentServer, console: ConsoleProcess, token: str, runs: int, every_s: Seconds
) -> list[Seconds]:
    """The delay of each question that became visible; those that never did are missing."""
    paused: dict[str, float] = {}
    visible: dict[str, float] = {}
    async with console.client(token) as http, server.sdk() as client:
        ended = asyncio.Event()
        watching = asyncio.create_task(_watch(http, paused, visible, ended))

        async def one(number: int) -> None:
            await asyncio.sleep(number * every_s)
            thread = (await client.threads.create())["thread_id"]
            question = {"title": f"Refund order {number}?", "amount_usd": 640.0}
            await client.runs.wait(thread, "plain", input={"key": uuid4().hex, "question": question})
            paused[thread] = time.perf_counter()

        await asyncio.gather(*(one(number) for number in range(runs)))
        ended.set()
        await asyncio.wait([watching], timeout=PATIENCE_S)
        watching.cancel()
        await asyncio.wait([watching])
    return [max(0.0, visible[thread] - at) for thread, at in paused.items() if thread in visible]


async def _watch(
    http: httpx.AsyncClient, paused: dict[str, float], visible: dict[str, float], ended: asyncio.Event
) -> None:
    """The newest of the list, over and over, as an open page would; a question is visible when it stands there. Until
    all runs have ended and every one that paused is there."""
    while not (ended.is_set() and paused.keys() <= visible.keys()):
        page = (await http.get("/reviews", params={"order": "newest", "limit": 30})).json()
        now = time.perf_counter()
        for review in page["reviews"]:
            visible.setdefault(review["thread_id"], now)
        await asyncio.sleep(LOOK_S)


def _figures(delays: list[Seconds], runs: int) -> dict[str, Any]:
    return {
        "visible": len(delays),
        "missed": runs - len(delays),
        "median_ms": round(median(delays) * 1000),
        "p95_ms": round(quantiles(delays, n=20)[-1] * 1000),
        "max_ms": round(max(delays) * 1000),
    }


def print_table(figures: dict[str, Any], console: Console) -> None:
    """For people."""
    table = Table(title=f"From pause to the inbox, {figures['runs']} runs, one each {figures['every_s']} s")
    for heading in ("told by", "visible", "median ms", "p95 ms", "longest ms"):
        table.add_column(heading, justify="left" if heading == "told by" else "right")
    for name in ("hook", "sweep"):
        row = figures[name]
        cells = [str(row[key]) for key in ("visible", "median_ms", "p95_ms", "max_ms")]
        table.add_row("the webhook" if name == "hook" else "the sweep alone", *cells)
    console.print(table)


def missed(figures: dict[str, Any]) -> int:
    """Questions that never became visible."""
    return figures["hook"]["missed"] + figures["sweep"]["missed"]


def main() -> int:
    parser = parser_for(
        "bench.pause",
        __doc__,
        {"runs": (100, "with the webhook, and as many without"), "every": (0.5, "seconds")},
    )

    async def measured(uri: str, directory: Path, asked: argparse.Namespace) -> dict[str, Any]:
        return await measure(uri, directory, runs=asked.runs, every_s=asked.every)

    return alone(parser, measured, print_table, failed=missed)


if __name__ == "__main__":
    sys.exit(main())
