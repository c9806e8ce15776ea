"""The inbox with many reviews, over HTTP: each view beside a page that shows nothing, from the same process.

Server, database and client share the machine; one request at a time, as one reviewer makes them.
"""

import argparse
import html
import re
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from bench.alone import alone, parser_for
from stationmaster.reviews.access import sessions, users
from stationmaster.reviews.database import open_pool
from tests.stationmaster.console.serving import ConsoleProcess

COOKIE = "stationmaster_session"
EMPTY = "/sign-in"
# Payloads of about 1 kB. Half are open, half closed; ten graphs and twenty groups, of which the reader is in ten.
FILL = """
    INSERT INTO reviews.reviews (thread_id, interrupt_id, digest, kind, shape, graph, assistant_name, assistant_version,
        node, checkpoint_id, title, amount_usd, payload, groups, opened_at, due_at, search_text)
    SELECT 'thread-' || n, 'interrupt-' || n, encode(sha256(n::text::bytea), 'hex'), 'interrupt', 'plain',
        'graph-' || n %% 10, 'assistant-' || n %% 30, n %% 7, 'approve', 'checkpoint-' || n,
        'Refund $' || n %% 500 || '.00 for order ' || n || '?', n %% 500,
        json_build_object('title', 'Refund?', 'order', n, 'text', repeat('words of the customer ', 45))::text,
        ARRAY['group-' || n %% 20], now() - n * interval '1 minute', now() + (n %% 1000) * interval '1 minute',
        'Refund for order ' || n || ' words of the customer'
    FROM generate_series(1, %(count)s) AS n
"""
CLOSE = """
    UPDATE reviews.reviews SET state = 'withdrawn', closed_at = opened_at + interval '1 minute'
    WHERE substr(thread_id, 8)::int % 2 = 0
"""


async def measure(uri: str, *, count: int, requests: int) -> dict[str, Any]:
    """`requests` of each view in turn, after a few to warm up. `uri`: migrated, without reviews."""
    async with open_pool(uri) as pool:
        async with pool.connection() as conn:
            await conn.execute(FILL, {"count": count})
            await conn.execute(CLOSE)
        async with pool.connection() as conn:
            await conn.set_autocommit(True)
            await conn.execute("VACUUM ANALYZE reviews.reviews")
            await conn.set_autocommit(False)
        await users.add(pool, "ana", roles=["reviewer"], groups=[f"group-{n}" for n in range(10)])
        secret = await sessions.start(pool, "ana", hours=1, address="127.0.0.1", agent="bench")
    with tempfile.TemporaryDirectory() as directory:
        console = ConsoleProcess(uri, Path(directory))
        try:
            await console.ready()
            took = await _all(console.url, secret, requests)
        finally:
            console.stop()
    return {"reviews": count, **figures_of(took)}


def figures_of(took: dict[str, list[float]]) -> dict[str, Any]:
    """Median and p95 of each view, and how many times as long it takes as the one that is called `empty`."""
    figures = {name: _figures(times) for name, times in took.items()}
    ratios = {
        name: round(row["median_ms"] / figures["empty"]["median_ms"], 1) for name, row in figures.items()
    }
    return {"views": figures, "ratio_median": ratios}


async def _all(url: str, secret: str, requests: int) -> dict[str, list[float]]:
    async with httpx.AsyncClient(
        base_url=url, cookies={COOKIE: secret}, trust_env=False, timeout=60
    ) as reader:
        first = (await reader.get("/")).text
        found = re.search(r'href="([^"]+)" rel="next"', first)
        one = re.search(r'data-row="([^"]+)"', first)
        assert found is not None, first[:2_000]
        assert one is not None, first[:2_000]
        views = {
            "needs you": "/", "its second page": html.unescape(found[1]), "closed": "/?tab=closed",
            "by graph and amount": "/?graph=graph-3&min=100&max=200", "searched": "/?q=customer",
            "one word of many": "/?q=4711", "history": "/history", "one review": f"/reviews/{one[1]}",
        }  # fmt: skip
        took: dict[str, list[float]] = {name: [] for name in ("empty", *views)}
        async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=60) as nobody:
            for turn in range(requests + 5):
                for name, path in {"empty": EMPTY, **views}.items():
                    began = time.perf_counter()
                    response = await (nobody if name == "empty" else reader).get(path)
                    if turn >= 5:
                        took[name].append(time.perf_counter() - began)
                    assert response.status_code == 200, (path, response.status_code)
    return took


def _figures(times: list[float]) -> dict[str, Any]:
    cuts = quantiles(times, n=100)
    return {
        "requests": len(times),
        "median_ms": round(cuts[49] * 1000, 1),
        "p95_ms": round(cuts[94] * 1000, 1),
    }


def print_table(figures: dict[str, Any], console: Console) -> None:
    """For people."""
    print_views(f"Pages with {figures['reviews']:,} reviews", figures, console)


def print_views(title: str, figures: dict[str, Any], console: Console) -> None:
    """What `figures_of` gave."""
    table = Table(title=title)
    for heading in ("", "requests", "median ms", "p95 ms", "ratio"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, row in figures["views"].items():
        ratio = str(figures["ratio_median"][name])
        table.add_row(name, *(str(row[key]) for key in ("requests", "median_ms", "p95_ms")), ratio)
    console.print(table)
    console.print("The ratio is to the sign-in page, which reads nothing, at the median.\n")


def main() -> int:
    parser = parser_for(
        "bench.inbox", __doc__, {"reviews": (100_000, "half of them open"), "requests": (100, "of each view")}
    )

    async def measured(uri: str, _: Path, asked: argparse.Namespace) -> dict[str, Any]:
        return await measure(uri, count=asked.reviews, requests=asked.requests)

    return alone(parser, measured, print_table)


if __name__ == "__main__":
    sys.exit(main())
