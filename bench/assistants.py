"""The product manager's pages over HTTP, with many assistants on a real server, beside a page that reads nothing.

Server, console, database and client share the machine; one request at a time, as one editor makes them.
"""

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console

from bench.alone import alone, parser_for
from bench.inbox import COOKIE, EMPTY, figures_of, print_views
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import Assistant, Cron, Signature, assistant_id
from stationmaster.reviews.access import sessions, users
from stationmaster.reviews.database import open_pool
from tests.fakes.agent_server import agent_server
from tests.stationmaster.console.serving import ConsoleProcess

BY = Signature("bench", "apply", "to be measured")
REVIEWS = 10_000
FILL = """
    INSERT INTO reviews.reviews (thread_id, interrupt_id, digest, kind, shape, graph, assistant_name, assistant_id,
        assistant_version, checkpoint_id, title, payload, groups, search_text)
    SELECT 'managed-' || n, 'managed-' || n, encode(sha256(n::text::bytea), 'hex'), 'interrupt', 'plain', 'support',
        'support', (%(ids)s::text[])[1 + n %% %(assistants)s], 1 + n %% 3, 'checkpoint-' || n, 'Refund?', '"Refund?"',
        ARRAY['refunds'], 'Refund?'
    FROM generate_series(1, %(count)s) AS n
"""


async def measure(uri: str, directory: Path, *, count: int, requests: int) -> dict[str, Any]:
    """`requests` of each page in turn: `count` assistants of three versions, as many crons. `uri`: a seeded shop."""
    async with agent_server(directory / "server", env={"STATIONMASTER_DATABASE_URI": uri}) as server:
        async with server.sdk() as client:
            await _fill(Gateway(client, server.url), count)
        async with open_pool(uri, max_size=2) as pool:
            async with pool.connection() as conn:
                ids = [assistant_id(_name(n)) for n in range(count)]
                await conn.execute(FILL, {"ids": ids, "assistants": count, "count": REVIEWS})
            await users.add(pool, "pia", roles=["editor"], groups=["*"])
            secret = await sessions.start(pool, "pia", hours=1, address="127.0.0.1", agent="bench")
        console = ConsoleProcess(uri, directory, env={"STATIONMASTER_API_URL": server.url})
        try:
            await console.ready()
            took = await _all(console.url, secret, requests)
            async with server.sdk() as client:
                took["the server's own list"] = await _list(Gateway(client, server.url), requests)
        finally:
            console.stop()
    return {"assistants": count, "crons": count, "reviews": REVIEWS, **figures_of(took)}


async def _fill(gateway: Gateway, count: int) -> None:
    for n in range(count):
        made = await gateway.create_assistant(
            Assistant(
                _name(n), "support", f"Number {n}", {"tone": "formal", "max_turns": n + 1}, live=n == 0
            ),
            BY,
        )
        for turns in (100, 200):
            content = replace(made.content(), context={"tone": "brief", "max_turns": turns})
            made = await gateway.update_assistant(made, content, BY)
        given = {"messages": [{"role": "user", "content": "How long does a refund take?"}]}
        await gateway.create_cron(Cron(f"cron-{n}", _name(n), "0 0 1 1 *", input=given), BY)


def _name(n: int) -> str:
    return f"support-{n}"


async def _all(url: str, secret: str, requests: int) -> dict[str, list[float]]:
    one = f"/assistants/{_name(1)}"
    views = {
        "empty": EMPTY, "assistants": "/assistants", "one of them": one, "its versions": f"{one}/versions",
        "two versions": f"{one}/diff?from=1&to=3", "before a rollback": f"{one}/rollback?to=1", "crons": "/crons",
        "one cron": "/crons/cron-1",
    }  # fmt: skip
    took: dict[str, list[float]] = {name: [] for name in views}
    async with (
        httpx.AsyncClient(base_url=url, cookies={COOKIE: secret}, trust_env=False, timeout=60) as editor,
        httpx.AsyncClient(base_url=url, trust_env=False, timeout=60) as nobody,
    ):
        for turn in range(requests + 5):
            for name, path in views.items():
                began = time.perf_counter()
                response = await (nobody if name == "empty" else editor).get(path)
                if turn >= 5:
                    took[name].append(time.perf_counter() - began)
                assert response.status_code == 200, (path, response.status_code)
    return took


async def _list(gateway: Gateway, requests: int) -> list[float]:
    """What the server takes to give all assistants to whoever asks it."""
    took: list[float] = []
    for _ in range(requests):
        began = time.perf_counter()
        await gateway.assistants()
        took.append(time.perf_counter() - began)
    return took


def print_table(figures: dict[str, Any], console: Console) -> None:
    """For people."""
    print_views(f"Pages with {figures['assistants']:,} assistants and as many crons", figures, console)


def main() -> int:
    parser = parser_for(
        "bench.assistants",
        __doc__,
        {"assistants": (100, "and as many crons"), "requests": (50, "of each page")},
    )

    async def measured(uri: str, directory: Path, asked: argparse.Namespace) -> dict[str, Any]:
        return await measure(uri, directory, count=asked.assistants, requests=asked.requests)

    return alone(parser, measured, print_table)


if __name__ == "__main__":
    sys.exit(main())
