"""The nightly prune: once a night whichever process does it, beside the real server process, visible afterwards."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from stationmaster.server.launch import Served
from stationmaster.settings import load_settings
from stationmaster.upkeep import holding, nightly
from stationmaster.upkeep.database import Connection, rows
from stationmaster.upkeep.nightly import turn_of
from stationmaster.upkeep.pruning import Rule
from tests.stationmaster.upkeep.threads import Threads

ENDED = "SELECT 1 FROM upkeep.passes WHERE ended_at IS NOT NULL"
YESTERDAY = "UPDATE upkeep.turn SET nightly_at = now() - interval '25 hours'"


@pytest.fixture
def rule(tmp_path: Path) -> Rule:
    return Rule(30, tmp_path / "exports")


async def test_a_database_that_is_new_to_it_waits_for_its_first_night(
    kept: str, threads: Threads, rule: Rule
) -> None:
    await threads.make()
    assert await turn_of(kept, rule) is None


async def test_of_ten_replicas_one_does_it_and_once_a_night(
    conn: Connection, kept: str, threads: Threads, rule: Rule, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        await threads.make()
    await conn.execute(YESTERDAY)
    with caplog.at_level(logging.WARNING):
        done = [found for found in await asyncio.gather(*(turn_of(kept, rule) for _ in range(10))) if found]
    assert [found.deleted for found in done] == [3]
    (line,) = [record.message for record in caplog.records if record.name == nightly.__name__]
    assert line.startswith("nightly prune: 3 threads idle for 30 days deleted")
    assert await turn_of(kept, rule) is None
    server = (await holding.held(kept, 30))["server"]
    (noted,) = server["passes"]
    assert noted["nightly"] and noted["deleted"] == 3 and noted["ended_at"]
    assert server["turn"]["holder"] is None and server["turn"]["next_at"] > noted["ended_at"]


async def test_a_night_that_was_cut_off_is_finished_by_another(
    conn: Connection, kept: str, threads: Threads, rule: Rule
) -> None:
    await threads.make()
    await conn.execute(YESTERDAY)
    await conn.execute("UPDATE upkeep.turn SET holder = 'dead:1:x', held_until = now() + interval '1 minute'")
    assert await turn_of(kept, rule) is None
    await conn.execute("UPDATE upkeep.turn SET held_until = now() - interval '1 second'")
    done = await turn_of(kept, rule)
    assert done is not None and done.deleted == 1


async def started(server: uvicorn.Server) -> bool:
    return server.started


async def until(holds: Callable[[], Awaitable[Any]]) -> None:
    """Wait for a state."""
    async with asyncio.timeout(20):
        while True:
            if await holds():
                return
            await asyncio.sleep(0.02)


async def answer(scope: Any, receive: Any, send: Any) -> None:
    """An app that is not asked anything."""


@pytest.mark.parametrize(
    ("edition", "days", "prunes"),
    [("community", "30", True), ("community", "0", False), ("inmem", "30", False)],
)
async def test_the_server_process_prunes_where_the_runtime_is_ours_and_something_is_to_go(
    edition: str, days: str, prunes: bool, conn: Connection, kept: str, threads: Threads, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    thread = await threads.make(metadata={"export": True})
    await conn.execute(YESTERDAY)
    settings = {
        "DATABASE_URI": kept,
        "RUNTIME_EDITION": edition,
        "RETENTION_DAYS": days,
        "DATA_DIR": str(tmp_path),
    }
    for name, value in settings.items():
        monkeypatch.setenv(f"STATIONMASTER_{name}", value)
    monkeypatch.setattr(nightly, "FIRST_LOOK_S", 0)
    server = Served(uvicorn.Config(answer, lifespan="off", log_config=None), load_settings())
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        serving = asyncio.create_task(server.serve([sock]))
        await until(lambda: rows(conn, ENDED) if prunes else started(server))
        server.should_exit = True
        await serving
    assert bool(await threads.left(thread)) is not prunes
    assert len(list((tmp_path / "exports").glob("*.jsonl"))) == prunes
