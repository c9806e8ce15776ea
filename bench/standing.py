"""The durable runtime at rest, as one process and as two, and when a process dies in the middle of a run."""

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.alone import alone, parser_for
from bench.fleet import ask, fleet
from tests.fakes.community_server import CommunityServer

# Its own look at the clock is one of them.
TRANSACTIONS = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
CLAIMED_AGAIN = """SELECT extract(epoch FROM claimed_at)::double precision FROM server.runs
WHERE run_id = %(run)s AND epoch > 1"""
AT_ONCE = 10
"""Places for runs in a process, and twice as many clients."""
LEASES = {"10 s (default)": {}, "3 s": {"LEASE_S": "3"}}
SETTLING_S = 5.0


async def measure(uri: str, directory: Path, *, seconds: float, runs: int, times: int) -> dict[str, Any]:
    """`idle` for so many seconds, `runs` on one and on two processes, and an orphan as often for each lease."""
    figures: dict[str, Any] = {}
    async with fleet(uri, directory / "idle") as (server,):
        figures["idle"] = await _idle(uri, server, seconds)
    for count in (1, 2):
        async with fleet(uri, directory / f"replicas{count}", count) as servers:
            figures[f"replicas{count}"] = {
                **await _costs(uri, servers, runs),
                "waiting_per_s": await _rate(servers, runs, "wait", {"seconds": 0.5}),
            }
    figures["orphans"] = {
        name: [round(await _orphan(uri, directory / f"orphan{name[:2]}{n}", clock), 1) for n in range(times)]
        for name, clock in LEASES.items()
    }
    return figures


def processor_s(pid: int) -> float:
    """What a process has taken of a processor so far, its threads included (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


async def _idle(uri: str, server: CommunityServer, seconds: float) -> dict[str, float]:
    """Share of a processor in percent, and transactions a second; each statement of the runtime is one."""
    async with server.sdk() as client:
        for _ in range(3):
            await client.runs.wait(None, "empty", input={"n": 1})
    await asyncio.sleep(SETTLING_S)
    before, cpu, begun = await ask(uri, TRANSACTIONS), processor_s(server.pid), time.perf_counter()
    await asyncio.sleep(seconds)
    took = time.perf_counter() - begun
    used = processor_s(server.pid) - cpu
    await asyncio.sleep(1)  # Postgres tells its counts now and then
    transactions = await ask(uri, TRANSACTIONS) - before
    return {
        "processor_percent": round(100 * used / took, 2),
        "queries_per_s": round(transactions / (took + 1), 2),
    }


async def _costs(uri: str, servers: Sequence[CommunityServer], runs: int) -> dict[str, float]:
    """Of empty runs: how many a second, and what one costs the processes, in transactions and in processor time. The
    making of its thread is one of the transactions."""
    await _rate(servers, runs // 4, "empty", {"n": 1})
    await asyncio.sleep(1)
    before = await ask(uri, TRANSACTIONS)
    cpu = sum(processor_s(server.pid) for server in servers)
    rate = await _rate(servers, runs, "empty", {"n": 1})
    used = sum(processor_s(server.pid) for server in servers) - cpu
    await asyncio.sleep(1)
    made = runs + AT_ONCE  # with those that warm up
    transactions = await ask(uri, TRANSACTIONS) - before
    return {
        "empty_per_s": rate,
        "transactions_a_run": round(transactions / made, 1),
        "processor_ms_a_run": round(1000 * used / made, 1),
    }


async def _rate(servers: Sequence[CommunityServer], runs: int, graph: str, given: dict[str, Any]) -> float:
    """Waited runs a second, with two clients for each place of one process, which take turns at the servers."""
    gate = asyncio.Semaphore(2 * AT_ONCE)
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(server.sdk()) for server in servers]

        async def one(number: int) -> None:
            client = clients[number % len(clients)]
            async with gate:
                await client.runs.wait((await client.threads.create())["thread_id"], graph, input=given)

        await asyncio.gather(*(one(number) for number in range(AT_ONCE)))
        begun = time.perf_counter()
        await asyncio.gather(*(one(number) for number in range(runs)))
        return round(runs / (time.perf_counter() - begun), 1)


async def _orphan(uri: str, directory: Path, clock: dict[str, str]) -> float:
    """Seconds from `kill -9` to another process having the run."""
    async with fleet(uri, directory, 1, clock) as (dies,):
        async with dies.sdk() as client:
            thread = (await client.threads.create())["thread_id"]
            run = (await client.runs.create(thread, "wait", input={"seconds": 60.0}))["run_id"]
        async with fleet(uri, directory / "other", 1, clock):
            killed = time.time()
            await dies.sigkill()
            while (claimed := await ask(uri, CLAIMED_AGAIN, {"run": run})) is None:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
    return claimed - killed


def print_table(figures: dict[str, Any], console: Console) -> None:
    """For people."""
    idle, one, two = figures["idle"], figures["replicas1"], figures["replicas2"]
    console.print(f"Idle: {idle['processor_percent']} % of a core, {idle['queries_per_s']} queries/s\n")
    table = Table(title=f"Waited runs a second, {2 * AT_ONCE} clients, {AT_ONCE} places in a process")
    for heading in ("graph", "one process", "two", "ratio"):
        table.add_column(heading, justify="left" if heading == "graph" else "right")
    for name, key in (("three empty nodes", "empty_per_s"), ("a node that waits 0.5 s", "waiting_per_s")):
        table.add_row(name, str(one[key]), str(two[key]), f"{two[key] / one[key]:.2f}")
    console.print(table)
    console.print(
        f"An empty run costs {one['transactions_a_run']} transactions and {one['processor_ms_a_run']} ms of processor "
        f"on one process, {two['transactions_a_run']} and {two['processor_ms_a_run']} ms on two\n"
    )
    for lease, found in figures["orphans"].items():
        console.print(f"An orphan is picked up after {', '.join(map(str, found))} s with a lease of {lease}")


async def measured(uri: str, directory: Path, asked: argparse.Namespace) -> dict[str, Any]:
    return await measure(uri, directory, seconds=asked.seconds, runs=asked.runs, times=asked.times)


def main(arguments: list[str] | None = None) -> int:
    parser = parser_for(
        "bench.standing",
        __doc__,
        {
            "seconds": (30.0, "at rest"),
            "runs": (200, "on one process, and on two"),
            "times": (2, "that a process is killed, for each lease"),
        },
    )
    return alone(parser, measured, print_table, arguments=arguments)


if __name__ == "__main__":
    sys.exit(main())
