"""Messages through a served `langgraph dev`, several at a time, beside an empty graph on the same server."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from uuid import uuid4

import httpx
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import LangGraphError

from bench.tickets import tickets
from tests.fakes.agent_server import CONFIG, ROOT, agent_server

Seconds = float
Send = Callable[[LangGraphClient, str], Awaitable[str]]


@dataclass(frozen=True)
class Round:
    """So many runs: how long all took, how long each took, and what became of them."""

    took: Seconds
    times: list[Seconds]
    outcomes: Counter[str]

    @property
    def failed(self) -> int:
        return sum(count for outcome, count in self.outcomes.items() if outcome.startswith("failed"))

    def figures(self) -> dict[str, Any]:
        return {
            "runs": len(self.times),
            "failed": self.failed,
            "runs_per_s": round(len(self.times) / self.took, 1),
            "median_ms": round(median(self.times) * 1000, 1),
            "p95_ms": round(quantiles(self.times, n=20)[-1] * 1000, 1),
            "outcomes": dict(self.outcomes),
        }


async def measure(uri: str, directory: Path, *, count: int, concurrency: int, jobs: int) -> dict[str, Any]:
    """`count` messages to the support graph, and as many empty runs before and after them, on one server.

    The shop at `uri` is seeded. Half of the empty runs come before and half after, because the server becomes
    slower with what it has to remember.
    """
    env = {"STATIONMASTER_DATABASE_URI": uri, "PYTHONPATH": str(ROOT)}
    messages = [text for _, text in tickets(uri, count)]
    half = [""] * (count // 2)
    async with (
        agent_server(directory, env=env, jobs=jobs, config=_with_empty(directory)) as server,
        server.sdk() as client,
    ):
        await _round(client, [text for _, text in tickets(uri, 5)], _send_message, concurrency)  # warm
        before = await _round(client, half, _send_empty, concurrency)
        ours = await _round(client, messages, _send_message, concurrency)
        after = await _round(client, half, _send_empty, concurrency)
    empty = Round(before.took + after.took, before.times + after.times, before.outcomes + after.outcomes)
    ratio = (ours.took / len(ours.times)) / (empty.took / len(empty.times))
    return {
        "concurrency": concurrency,
        "jobs": jobs,
        "support": ours.figures(),
        "empty": empty.figures(),
        "ratio": round(ratio, 2),
    }


def _with_empty(directory: Path) -> Path:
    """The project's langgraph.json with the empty graph beside its own ones."""
    config = json.loads(CONFIG.read_text())
    config["graphs"]["empty"] = "bench.empty:graph"
    path = directory / "langgraph.json"
    path.write_text(json.dumps(config))
    return path


async def _round(client: LangGraphClient, texts: list[str], send: Send, concurrency: int) -> Round:
    gate = asyncio.Semaphore(concurrency)
    times: list[Seconds] = []

    async def one(text: str) -> str:
        async with gate:
            start = time.perf_counter()
            try:
                return await send(client, text)
            except (LangGraphError, httpx.HTTPError) as error:
                return f"failed: {type(error).__name__}"
            finally:
                times.append(time.perf_counter() - start)

    start = time.perf_counter()
    outcomes = Counter(await asyncio.gather(*(one(text) for text in texts)))
    return Round(time.perf_counter() - start, times, outcomes)


async def _send_message(client: LangGraphClient, text: str) -> str:
    """One message on a thread of its own; its outcome."""
    thread = await client.threads.create()
    sent = {"ticket_id": uuid4().hex, "messages": [{"role": "user", "content": text}]}
    values: Any = await client.runs.wait(thread["thread_id"], "support", input=sent)
    return values.get("outcome") or "failed: no outcome"


async def _send_empty(client: LangGraphClient, _: str) -> str:
    thread = await client.threads.create()
    values: Any = await client.runs.wait(thread["thread_id"], "empty", input={"n": 1})
    return "done" if values == {"n": 1} else "failed: wrong state"
