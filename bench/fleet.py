"""Processes of the durable runtime on one database, with the graphs of this directory."""

import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.fakes.community_server import CommunityServer

ROOT = Path(__file__).parents[1]
PROJECT = {
    "python_version": "3.11",
    "dependencies": ["."],
    "graphs": {"empty": "bench.empty:graph", "wait": "bench.graphs:waiting", "diary": "bench.graphs:diary"},
}
IMPORTS = f"{ROOT / 'src'}{os.pathsep}{ROOT}"


def project(directory: Path) -> Path:
    """A langgraph.json of its own there; its path."""
    directory.mkdir(parents=True, exist_ok=True)
    config = directory / "langgraph.json"
    config.write_text(json.dumps(PROJECT))
    return config


@asynccontextmanager
async def fleet(
    uri: str, directory: Path, count: int = 1, clock: Mapping[str, str] | None = None
) -> AsyncIterator[list[CommunityServer]]:
    """So many servers, started one after the other; their times are the defaults but for `clock` (names without
    their prefix). Killed at the end."""
    config = project(directory)
    async with AsyncExitStack() as stack:
        started = []
        for number in range(count):
            server = CommunityServer(
                directory / str(number), database=uri, config=config, clock=dict(clock or {}),
                env={"PYTHONPATH": IMPORTS, "LOG_LEVEL": "warning"},
            )  # fmt: skip
            stack.callback(server.kill_blocking)
            await server.start()
            started.append(server)
        yield started


async def ask(uri: str, query: str, params: Mapping[str, Any] | None = None) -> Any:
    """The only value of the only row."""
    async with await psycopg.AsyncConnection.connect(uri, autocommit=True) as conn:
        row = await (await conn.execute(query.encode(), params)).fetchone()
    return row[0] if row else None
