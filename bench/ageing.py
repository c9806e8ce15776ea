"""A thread that grows, on a graph with a delta channel: what a turn writes, and how long a page of history takes."""

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from langgraph_sdk.client import LangGraphClient
from rich.console import Console
from rich.table import Table

from bench.alone import alone, parser_for
from bench.fleet import ask, fleet
from bench.graphs import SNAPSHOT_EVERY

# As they are stored, compressed; of the thread's row only its values, which are written anew with each turn.
STORED = """SELECT (SELECT coalesce(sum(pg_column_size(checkpoint) + pg_column_size(metadata)), 0)
        FROM public.checkpoints WHERE thread_id = %(thread)s)
    + (SELECT coalesce(sum(pg_column_size(blob)), 0) FROM public.checkpoint_writes WHERE thread_id = %(thread)s)"""
SNAPSHOTS = (
    "SELECT coalesce(sum(pg_column_size(blob)), 0) FROM public.checkpoint_blobs WHERE thread_id = %(thread)s"
)
VALUES = "SELECT pg_column_size(values) FROM server.threads WHERE thread_id = %(thread)s::uuid"
PAGE, PAGES = 10, 20


async def measure(uri: str, directory: Path, *, turns: int) -> dict[str, Any]:
    """By interval between two snapshots: `bytes_a_turn` of checkpoints and writes, `snapshot_bytes` of the whole
    channel, once, `values_bytes` of the thread's row at its end, `turn_ms` at the median. `history_ms`: a page of the
    thread as it is in the end; `plain_history_ms`: of one on a graph of three empty nodes."""
    interval = SNAPSHOT_EVERY // 2
    rows = []
    async with fleet(uri, directory / "ageing") as (server,), server.sdk() as client:
        thread = (await client.threads.create())["thread_id"]
        before = snapshots = 0
        for begun in range(0, turns, interval):
            took = [await _turn(client, thread, turn) for turn in range(begun, begun + interval)]
            stored = int(await ask(uri, STORED, {"thread": thread}))
            whole = int(await ask(uri, SNAPSHOTS, {"thread": thread}))
            values = await ask(uri, VALUES, {"thread": thread})
            rows.append(
                {
                    "turns": f"{begun + 1} to {begun + interval}", "bytes_a_turn": (stored - before) // interval,
                    "snapshot_bytes": whole - snapshots, "values_bytes": values,
                    "turn_ms": round(1000 * statistics.median(took), 1),
                }
            )  # fmt: skip
            before, snapshots = stored, whole
        plain = (await client.threads.create())["thread_id"]
        for _ in range(PAGE * PAGES // 5 + 1):  # five states a run
            await client.runs.wait(plain, "empty", input={"n": 1})
        history, beside = await _history(client, thread), await _history(client, plain)
        return {"intervals": rows, "page": PAGE, "history_ms": history, "plain_history_ms": beside}


async def _turn(client: LangGraphClient, thread: str, number: int) -> float:
    text = " ".join(f"{number * n % 9973:x}" for n in range(1, 60))
    begun = time.perf_counter()
    await client.runs.wait(thread, "diary", input={"said": [text]})
    return time.perf_counter() - begun


async def _history(client: LangGraphClient, thread: str) -> float:
    """The median of the newest pages, each asked for behind the one before."""
    took, before = [], None
    for _ in range(PAGES):
        begun = time.perf_counter()
        page = await client.threads.get_history(thread, limit=PAGE, before=before)
        took.append(time.perf_counter() - begun)
        before = page[-1]["checkpoint"]
    return round(1000 * statistics.median(took), 1)


def print_table(figures: dict[str, Any], console: Console) -> None:
    """For people."""
    table = Table(title="A thread on a graph with a delta channel, by interval between two snapshots")
    for heading in ("turns", "bytes a turn", "of the snapshot", "of the row's values", "ms a turn"):
        table.add_column(heading, justify="right")
    for row in figures["intervals"]:
        table.add_row(row["turns"], *(str(row[key]) for key in list(row)[1:]))
    console.print(table)
    console.print(
        f"A page of history ({figures['page']} states): {figures['history_ms']} ms at the median, of "
        f"three empty nodes {figures['plain_history_ms']} ms\n"
    )


async def measured(uri: str, directory: Path, asked: argparse.Namespace) -> dict[str, Any]:
    return await measure(uri, directory, turns=asked.turns)


def main(arguments: list[str] | None = None) -> int:
    parser = parser_for("bench.ageing", __doc__, {"turns": (200, "of the thread")})
    return alone(parser, measured, print_table, arguments=arguments)


if __name__ == "__main__":
    sys.exit(main())
