"""What spans cost a run: none, a collector that takes them, one that is away, one that hangs. Each in this process."""

import argparse
import asyncio
import logging
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from rich.console import Console
from rich.table import Table

from bench.alone import parser_for, show
from stationmaster.tracing.destination import TRACES_PATH, Destination
from stationmaster.tracing.exporting import Export
from stationmaster.tracing.handler import Spans
from tests.fakes.collector import Collector
from tests.fakes.graphs.supervisor import graph

WAYS = ("no spans", "a collector", "nobody there", "one that hangs")
SPANS = 25
AT_ONCE = 10


async def measure(*, runs: int, times: int = 5) -> dict[str, Any]:
    """`runs` of a supervisor with 25 spans for each way, in rounds that take turns; medians over the rounds."""
    rounds: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    await _runs([], AT_ONCE)  # warm
    for _ in range(times):
        for way in WAYS:
            with _handlers(way) as handlers:
                rounds[way].append(await _runs(handlers, runs // times))
    figures: dict[str, Any] = {
        way: {
            "ms_a_run": round(median(wall for wall, _ in found), 3),
            "processor_ms_a_run": round(median(processor for _, processor in found), 3),
        }
        for way, found in rounds.items()
    }
    for way in WAYS:
        figures[way]["ratio"] = round(figures[way]["ms_a_run"] / figures[WAYS[0]]["ms_a_run"], 2)
    return {"runs": runs, "spans_a_run": SPANS, "ways": figures}


@contextmanager
def _quiet() -> Iterator[None]:
    """Nobody wants to read, in the middle of a table, that a collector is away."""
    log = logging.getLogger("stationmaster.tracing")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


@contextmanager
def _handlers(way: str) -> Iterator[list[BaseCallbackHandler]]:
    if way == WAYS[0]:
        yield []
        return
    with _quiet(), Collector.running() as collector:
        collector.hangs = way == WAYS[3]
        export = Export(Destination((_nobody() if way == WAYS[2] else collector.url) + TRACES_PATH))
        yield [Spans(export.tracer, export.ids)]
        await_end = 5.0 if way == WAYS[1] else 0.1
        export.stop(await_end)


def _nobody() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


async def _runs(handlers: list[BaseCallbackHandler], count: int) -> tuple[float, float]:
    """Milliseconds a run by the clock and of the processor, ten at once."""
    begun, used = time.perf_counter(), time.process_time()
    for _ in range(max(count // AT_ONCE, 1)):
        await asyncio.gather(
            *(graph.ainvoke({"task": "a lamp"}, {"callbacks": handlers}) for _ in range(AT_ONCE))
        )
    done = max(count // AT_ONCE, 1) * AT_ONCE
    return (time.perf_counter() - begun) * 1e3 / done, (time.process_time() - used) * 1e3 / done


def print_table(figures: dict[str, Any], console: Console) -> None:
    table = Table(title=f"What spans cost a run of {figures['spans_a_run']} spans")
    for heading in ("spans go to", "ms a run", "processor ms", "ratio"):
        table.add_column(heading, justify="left" if heading == "spans go to" else "right")
    for way, row in figures["ways"].items():
        table.add_row(
            way, f"{row['ms_a_run']:.1f}", f"{row['processor_ms_a_run']:.1f}", f"{row['ratio']:.2f}"
        )
    console.print(table)


def main(arguments: list[str] | None = None) -> int:
    parser: argparse.ArgumentParser = parser_for(
        "bench.tracing", __doc__, {"runs": (500, "runs for each way")}
    )
    asked = parser.parse_args(arguments)
    show(asyncio.run(measure(runs=asked.runs)), asked, print_table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
