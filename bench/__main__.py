"""`make bench`: our nodes, server, webhook receiver, pages and plan, each beside something empty; tables, or --json."""

import argparse
import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from agents.shared import database
from bench import assistants, inbox, nodes, plan, receiver, served
from stationmaster.postgres import embedded, migrate
from stationmaster.shop.seed import seed


async def run(asked: argparse.Namespace) -> dict[str, Any]:
    """All figures. The shop is seeded for this run, in a server of its own that is gone afterwards."""
    with embedded.temporary() as uri, tempfile.TemporaryDirectory() as directory:
        await migrate(uri)
        await seed(uri)
        database.configure(uri)
        try:
            measured = await nodes.measure(uri, count=asked.tickets)
        finally:
            await database.close()
        through = await served.measure(
            uri, Path(directory), count=asked.messages, concurrency=asked.concurrency, jobs=asked.jobs
        )
        hooks = await receiver.measure(uri, rate=asked.deliveries, seconds=5.0)
        pages = await inbox.measure(uri, count=asked.reviews, requests=50)
        plans = await plan.measure(uri, Path(directory), count=asked.files, times=3)
        managed = await assistants.measure(uri, Path(directory) / "pages", count=100, requests=50)
    return {
        "nodes": measured.figures(), "served": through, "receiver": hooks, "inbox": pages, "plan": plans,
        "assistants": managed,
    }  # fmt: skip


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
    parts = {
        "receiver": receiver.print_table, "inbox": inbox.print_table, "plan": plan.print_table,
        "assistants": assistants.print_table,
    }  # fmt: skip
    for name, print_table in parts.items():
        if name in figures:
            print_table(figures[name], console)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--tickets", type=int, default=200, help="for the nodes, in this process")
    parser.add_argument("--messages", type=int, default=200, help="to the served graph")
    parser.add_argument("--concurrency", type=int, default=20)
    parser.add_argument(
        "--jobs", type=int, default=10, help="runs at once in the server, as `up` has by default"
    )
    parser.add_argument("--deliveries", type=int, default=200, help="webhooks a second, to the receiver")
    parser.add_argument("--reviews", type=int, default=100_000, help="in the inbox")
    parser.add_argument("--files", type=int, default=200, help="assistants in the plan, and as many crons")
    parser.add_argument("--json", action="store_true", help="one object instead of tables")
    asked = parser.parse_args(arguments)
    figures = asyncio.run(run(asked))
    if asked.json:
        print(json.dumps(figures, indent=2))
    else:
        print_tables(figures, Console())
    return 1 if figures["served"]["support"]["failed"] or figures["receiver"]["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
