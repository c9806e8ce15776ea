"""Deliveries to the webhook receiver at a steady rate, beside an empty Starlette route in the same process.

Server, database and sender share the machine.
"""

import argparse
import asyncio
import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any
from uuid import uuid4

import uvicorn
from rich.console import Console
from rich.table import Table
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bench.alone import alone, parser_for
from bench.steady import Post, Seconds, send
from stationmaster.reviews.database import open_pool
from tests.fakes.agent_server import ROOT, clean_environment
from tests.webhooks.receiving import SECRET, WHSEC, bearer, settings, signed
from webhooks import receiver

EMPTY = "/empty"
ROUNDS = 3


async def measure(uri: str, *, rate: int, seconds: Seconds) -> dict[str, Any]:
    """`rate` a second for `seconds`, ROUNDS times in turn: empty, by bearer, by signature. `uri`: migrated."""
    kinds = {"empty": _empty, "bearer": _by_bearer, "signature": _by_signature}
    latencies: dict[str, list[Seconds]] = {name: [] for name in kinds}
    failed = 0
    async with _served(uri) as port:
        for post in kinds.values():
            await send(port, [post() for _ in range(rate)], rate=rate)  # warm
        for _ in range(ROUNDS):
            for name, post in kinds.items():
                posts = [post() for _ in range(round(rate * seconds))]
                took, bad = await send(port, posts, rate=rate)
                latencies[name] += took
                failed += bad
    figures = {name: _figures(took) for name, took in latencies.items()}
    ratio = figures["bearer"]["p95_ms"] / figures["empty"]["p95_ms"]
    return {"rate": rate, "failed": failed, **figures, "ratio_p95": round(ratio, 1)}


def _body() -> bytes:
    """As large as the stock server's with our allowed fields; each another run of another thread."""
    run = {name: str(uuid4()) for name in ("run_id", "thread_id", "assistant_id")}
    metadata = {"graph_id": "support", "assistant_id": run["assistant_id"], "assistant_name": "support"}
    sent_at = "2026-01-01T00:00:00.000000+00:00"
    return json.dumps({**run, "metadata": metadata, "status": "success", "webhook_sent_at": sent_at}).encode()


def _empty() -> Post:
    return Post(EMPTY, {}, _body())


def _by_bearer() -> Post:
    return Post(receiver.PATH, bearer(SECRET), _body())


def _by_signature() -> Post:
    body = _body()
    return Post(receiver.PATH, signed(body, WHSEC, message_id=str(uuid4())), body)


def _figures(latencies: list[Seconds]) -> dict[str, Any]:
    cuts = quantiles(latencies, n=100)
    return {
        "requests": len(latencies),
        "median_ms": round(cuts[49] * 1000, 1),
        "p95_ms": round(cuts[94] * 1000, 1),
        "p99_ms": round(cuts[98] * 1000, 1),
    }


@asynccontextmanager
async def _served(uri: str) -> AsyncIterator[int]:
    """The receiver in a process of its own, as the console runs it; its port."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen(2048)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.receiver", "--serve", str(sock.fileno()), cwd=ROOT,
            env=clean_environment({"BENCH_DATABASE_URI": uri}), pass_fds=(sock.fileno(),),
        )  # fmt: skip
        try:
            yield sock.getsockname()[1]
        finally:
            process.terminate()
            await process.wait()


async def _serve(descriptor: int) -> None:
    async def empty(request: Request) -> Response:
        await request.body()
        return Response(status_code=204)

    async with open_pool(os.environ["BENCH_DATABASE_URI"]) as pool:
        routes = [*receiver.routes(settings(), lambda _: pool), Route(EMPTY, empty, methods=["POST"])]
        config = uvicorn.Config(
            Starlette(routes=routes), log_level="warning", access_log=False, lifespan="off", ws="none"
        )
        await uvicorn.Server(config).serve(sockets=[socket.socket(fileno=descriptor)])


def print_table(figures: dict[str, Any], console: Console) -> None:
    """For people."""
    table = Table(title=f"Webhook receiver at {figures['rate']} deliveries/s")
    for heading in ("", "requests", "median ms", "p95 ms", "p99 ms"):
        table.add_column(heading, justify="right" if heading else "left")
    for name in ("empty", "bearer", "signature"):
        row = figures[name]
        table.add_row(name, *(str(row[key]) for key in ("requests", "median_ms", "p95_ms", "p99_ms")))
    console.print(table)
    console.print(
        f"{figures['failed']} were not taken. At p95 a delivery takes {figures['ratio_p95']} times as long as "
        "an empty route.\n"
    )


def main() -> int:
    parser = parser_for(
        "bench.receiver", __doc__, {"rate": (200, "deliveries a second"), "seconds": (10.0, "of each round")}
    )
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    descriptor = parser.parse_args().serve
    if descriptor is not None:
        asyncio.run(_serve(descriptor))
        return 0

    async def measured(uri: str, _: Path, asked: argparse.Namespace) -> dict[str, Any]:
        return await measure(uri, rate=asked.rate, seconds=asked.seconds)

    return alone(parser, measured, print_table, failed=lambda figures: figures["failed"])


if __name__ == "__main__":
    sys.exit(main())
