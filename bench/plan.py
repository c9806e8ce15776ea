"""A plan of many assistants and crons on a local server, beside the requests that it can't do without.

The peer is the server's own listing of both, read through langgraph-sdk and thrown away: what is more is ours, reading
and checking the files, comparing, and putting the plan into words.
"""

import argparse
import io
import os
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.alone import alone, parser_for
from stationmaster.cli.plan_shown import print_plan
from stationmaster.reconcile.files import read
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.plan import Plan
from stationmaster.reconcile.reconciling import Wish, apply, desired_of, look
from stationmaster.reconcile.remarks import remarks
from stationmaster.reconcile.resources import Signature
from tests.fakes.agent_server import ROOT, agent_server

ASSISTANT = """\
name: assistant-{number}
graph: support
description: Number {number} of many.
context:
  tone: {tone}
  approval_threshold_usd: {number}
  system_prompt: {{text_file: prompt.md}}
tags: [bench, many]
metadata: {{team: bench}}
"""
CRON = """\
name: cron-{number}
assistant: assistant-{number}
schedule: '{minute} 9 * * 1-5'
timezone: Europe/London
input: {{ticket_id: t-{number}, messages: [{{role: user, content: How long does a refund take?}}]}}
"""
BY = Signature("bench", "bench")


async def measure(uri: str, directory: Path, *, count: int, times: int) -> dict[str, Any]:
    """`count` of each: the first apply, then plans without and with a change of all, `times` each. `uri`: migrated."""
    env = {"STATIONMASTER_DATABASE_URI": uri, "PYTHONPATH": str(ROOT)}
    async with agent_server(directory / "server", env=env) as server, server.sdk() as client:
        with _standing_in(directory):
            _write(count, "formal", 0)
            gateway = Gateway(client, server.url)
            first = await _timed(lambda: _apply(gateway), 1)
            figures = {
                "listing": await _timed(lambda: _listing(gateway), times),
                "plan, nothing to do": await _timed(lambda: _plan(Gateway(client, server.url), 0), times),
            }
            _write(count, "brief", 30)
            figures["plan, all changed"] = await _timed(
                lambda: _plan(Gateway(client, server.url), 2 * count), times
            )
    base = figures["listing"]["median_s"]
    return {
        "assistants": count,
        "crons": count,
        "first_apply_s": first["median_s"],
        "plans": figures,
        "ratio_median": {name: round(row["median_s"] / base, 1) for name, row in figures.items()},
    }


async def _listing(gateway: Gateway) -> None:
    await gateway.client.assistants.search(limit=1000)
    await gateway.client.crons.search(limit=1000)


async def _plan(gateway: Gateway, changes: int) -> None:
    """From the files to the words on a terminal."""
    made = await _looked(gateway)
    if len(made.changes) != changes:
        raise RuntimeError(
            f"{len(made.changes)} changes instead of {changes}: the figures would mean nothing"
        )
    print_plan(Console(file=io.StringIO(), width=100), made, remarks(made, await gateway.server()))


async def _looked(gateway: Gateway) -> Plan:
    return await look(Wish(await desired_of(read(Path("assistants"), Path("crons")), gateway)), gateway)


async def _apply(gateway: Gateway) -> None:
    wish = Wish(await desired_of(read(Path("assistants"), Path("crons")), gateway))
    outcomes = [outcome async for outcome in apply(wish, gateway, BY)]
    if any(outcome.status != "done" for outcome in outcomes):
        raise RuntimeError("the first apply failed: the figures would mean nothing")


async def _timed(work: Callable[[], Awaitable[None]], times: int) -> dict[str, float]:
    """Seconds by the clock, and of this process's own work: a busy machine makes the two differ."""
    took: list[float] = []
    cpu: list[float] = []
    for _ in range(times):
        began, worked = time.perf_counter(), time.process_time()
        await work()
        took.append(time.perf_counter() - began)
        cpu.append(time.process_time() - worked)
    return {"median_s": round(median(took), 3), "max_s": round(max(took), 3), "cpu_s": round(median(cpu), 3)}


def _write(count: int, tone: str, minute: int) -> None:
    for name in ("assistants", "crons"):
        Path(name).mkdir(exist_ok=True)
    (Path("assistants") / "prompt.md").write_text("Be accurate, kind and short.\n" * 20)
    for number in range(count):
        assistant, cron = (
            ASSISTANT.format(number=number, tone=tone),
            CRON.format(number=number, minute=minute),
        )
        (Path("assistants") / f"{number}.yaml").write_text(assistant)
        (Path("crons") / f"{number}.yaml").write_text(cron)


@contextmanager
def _standing_in(directory: Path) -> Any:
    before = Path.cwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)


def print_table(figures: dict[str, Any], console: Console) -> None:
    """For people."""
    table = Table(title=f"A plan of {figures['assistants']} assistants and {figures['crons']} crons (s)")
    for heading in ("", "median", "max", "own work", "ratio"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, row in figures["plans"].items():
        times = (f"{row[key]:.2f}" for key in ("median_s", "max_s", "cpu_s"))
        table.add_row(name, *times, str(figures["ratio_median"][name]))
    console.print(table)
    console.print(
        f"The ratio is to reading both lists through the SDK. The first apply, which makes all, took "
        f"{figures['first_apply_s']:.1f} s.\n"
    )


def main() -> int:
    parser = parser_for(
        "bench.plan",
        __doc__,
        {"count": (200, "of assistants, and of crons"), "times": (5, "each plan is made")},
    )

    async def measured(uri: str, directory: Path, asked: argparse.Namespace) -> dict[str, Any]:
        return await measure(uri, directory, count=asked.count, times=asked.times)

    return alone(parser, measured, print_table)


if __name__ == "__main__":
    sys.exit(main())
