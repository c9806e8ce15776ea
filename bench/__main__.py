"""`make bench`: our nodes, server, receiver, pages, plan, sweep, a question's way, the runtime; tables, or --json."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from agents.shared import database
from bench import (
    assistants,
    flows,
    inbox,
    nodes,
    pause,
    plan,
    receiver,
    runtime,
    served,
    steps,
    sweep,
    tracing,
)
from bench.alone import parser_for, show
from stationmaster.postgres import embedded, migrate
from stationmaster.shop.seed import seed

PARTS = {
    "steps": steps, "flows": flows, "receiver": receiver, "inbox": inbox, "plan": plan, "assistants": assistants,
    "sweep": sweep, "pause": pause, "runtime": runtime, "tracing": tracing,
}  # fmt: skip
"""Those that draw a table of their own, in the order of the page."""


async def run(asked: argparse.Namespace) -> dict[str, Any]:
    """All figures. The shop is seeded for this run; sweep and pause have databases without reviews. All of it is gone
    afterwards."""
    figures: dict[str, Any] = {}
    async with _database() as (uri, directory):
        database.configure(uri)
        try:
            measured = await nodes.measure(uri, count=asked.tickets)
        finally:
            await database.close()
        figures["nodes"] = measured.figures()
        figures["served"] = await served.measure(
            uri, directory, count=asked.messages, concurrency=asked.concurrency, jobs=asked.jobs
        )
        figures["steps"] = await steps.measure(uri, runs=20)
        figures["flows"] = await flows.measure(uri, directory)
        figures["receiver"] = await receiver.measure(uri, rate=asked.deliveries, seconds=5.0)
        figures["inbox"] = await inbox.measure(uri, count=asked.reviews, requests=50)
        figures["plan"] = await plan.measure(uri, directory, count=asked.files, times=3)
        figures["assistants"] = await assistants.measure(uri, directory / "pages", count=100, requests=50)
    async with _database() as (uri, directory):
        figures["sweep"] = await sweep.measure(
            uri, directory, threads=asked.threads, waiting=asked.threads // 20, server=asked.server
        )
    async with _database() as (uri, directory):
        figures["pause"] = await pause.measure(uri, directory, runs=asked.pauses, every_s=0.5)
    async with _database() as (uri, directory):
        figures["runtime"] = await runtime.measure(uri, directory, runs=asked.runs, lone=asked.lone)
    figures["tracing"] = await tracing.measure(runs=asked.traced)
    return figures


@asynccontextmanager
async def _database() -> AsyncIterator[tuple[str, Path]]:
    """The URI of a migrated database with a seeded shop, and an empty directory."""
    with embedded.temporary() as uri, tempfile.TemporaryDirectory() as directory:
        await migrate(uri)
        await seed(uri)
        yield uri, Path(directory)


def print_tables(figures: dict[str, Any], console: Console) -> None:
    """For people; of the receiver, the pages and the plan only what was measured."""
    each, through = figures["nodes"], figures["served"]
    table = Table(title="Each node, without a model (ms)")
    for heading in ("node", "n", "median", "p95"):
        table.add_column(heading, justify="left" if heading == "node" else "right")
    for name, row in each["nodes"].items():
        table.add_row(name, str(row["n"]), f"{row['median_ms']:.2f}", f"{row['p95_ms']:.2f}")
    table.add_section()
    table.add_row("all", "", f"{each['node_median_ms']:.2f}", f"{each['node_p95_ms']:.2f}")
    console.print(table)
    console.print(
        f"A super-step takes {each['super_step_ms']} ms, of an empty graph {each['empty_super_step_ms']} ms: "
        f"{each['ratio']} times as long. Our part is {each['overhead_ms_a_node']} ms a node.\n"
    )
    title = f"Served: {through['concurrency']} messages at a time, {through['jobs']} jobs"
    table = Table(title=title)
    for heading in ("graph", "runs", "failed", "runs/s", "median ms", "p95 ms"):
        table.add_column(heading, justify="left" if heading == "graph" else "right")
    for name in ("support", "empty"):
        row = through[name]
        keys = ("runs", "failed", "runs_per_s", "median_ms", "p95_ms")
        table.add_row(name, *(str(row[key]) for key in keys))
    console.print(table)
    console.print(f"A message takes {through['ratio']} times as long as an empty run of three nodes.\n")
    for name, part in PARTS.items():
        if name in figures:
            part.print_table(figures[name], console)


OPTIONS = {
    "tickets": (200, "for the nodes, in this process"),
    "messages": (200, "to the served graph"),
    "concurrency": (20, "messages at a time"),
    "jobs": (10, "runs at once in the server, as `up` has"),
    "deliveries": (200, "webhooks a second, to the receiver"),
    "reviews": (100_000, "in the inbox"),
    "files": (200, "assistants in the plan, and as many crons"),
    "threads": (10_000, "for the sweep, a twentieth of which wait"),
    "server": ("durable", "on which runtime they are: durable or dev"),
    "pauses": (100, "questions with the webhook, and as many without"),
    "runs": (200, "on each runtime, several at a time"),
    "traced": (500, "for each place that spans may go to"),
    "lone": (30, "one after the other; each takes a second on dev"),
}


def main(arguments: list[str] | None = None) -> int:
    asked = parser_for("bench", __doc__, OPTIONS).parse_args(arguments)
    figures = asyncio.run(run(asked))
    show(figures, asked, print_tables)
    failed = figures["served"]["support"]["failed"] or figures["receiver"]["failed"]
    missed = figures["sweep"]["missed"] or pause.missed(figures["pause"]) or flows.missed(figures["flows"])
    return 1 if failed or missed else 0


if __name__ == "__main__":
    sys.exit(main())
