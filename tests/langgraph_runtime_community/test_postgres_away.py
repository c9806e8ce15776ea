"""Postgres itself goes: it is restarted, crashes, is away for long, or its disk is full. The server needs no restart.

AWAY_S (8) says how long it is away, four leases; `AWAY_S=60` is the whole proof.
"""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import psycopg
import pytest

from tests.fakes.community_server import CommunityServer
from tests.fakes.graphs import ledger
from tests.fakes.own_postgres import OwnPostgres, own_postgres
from tests.langgraph_runtime_community.world import World, key

AWAY_S = float(os.environ.get("AWAY_S", "8"))
pytestmark = [pytest.mark.slow, pytest.mark.timeout(180 + AWAY_S)]
OF_CRON = "SELECT run_id FROM server.runs WHERE kwargs #>> '{config,configurable,cron_id}' = %s"
CUT = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


@pytest.fixture(scope="module")
def postgres() -> Iterator[OwnPostgres]:
    with own_postgres() as made:
        ledger.create(made.uri)
        yield made


@pytest.fixture(scope="module")
def world(postgres: OwnPostgres) -> World:
    return World(postgres.uri)


@pytest.fixture(scope="module")
def served(postgres: OwnPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommunityServer]:
    directory = tmp_path_factory.mktemp("away")
    env = {"LEDGER_URI": postgres.uri, "CRON_SCHEDULER_SLEEP_TIME": "1"}
    made = CommunityServer(directory, database=postgres.uri, env=env)
    made.start_blocking()
    yield made
    made.kill_blocking()


async def in_step_seven(served: CommunityServer, world: World, name: str, seconds: float) -> tuple[str, str]:
    """A run of ten steps that is in its slow one; run and thread."""
    async with served.sdk() as api:
        thread = (await api.threads.create())["thread_id"]
        body = {"key": name, "slow": 7, "seconds": seconds}
        run = (await api.runs.create(thread, "steps", input=body))["run_id"]
    await world.until(lambda: "step 7" in world.effects(name), "step 7 begins")
    await world.until(lambda: world.saved_step(thread) == 6, "step 6 is saved")
    return run, thread


async def whole(world: World, served: CommunityServer, name: str, run: str, thread: str) -> None:
    """It ended well, with nothing done again but perhaps the step in which it was, and the next run does too."""
    assert await world.ended(run, 90) == "success"
    effects = world.effects(name)
    assert set(effects) == {f"step {at}" for at in range(1, 11)}
    assert all(effects.count(f"step {at}") == 1 for at in range(1, 7))
    async with served.sdk() as api:
        assert (await api.threads.get(thread))["status"] == "idle"
        again: Any = await api.runs.wait(thread, "plain", input={"key": key(), "question": None})
        assert again is not None
    assert served.process and served.process.poll() is None


async def test_every_backend_is_terminated_during_a_long_node(served: CommunityServer, world: World) -> None:
    name = key()
    run, thread = await in_step_seven(served, world, name, seconds=AWAY_S)
    for _ in range(4):
        world.ask(CUT)
        await asyncio.sleep(AWAY_S / 5)  # within the node
    await whole(world, served, name, run, thread)


@pytest.mark.parametrize("mode", ["fast", "immediate"])
async def test_postgres_is_restarted_in_the_middle_of_a_run(
    served: CommunityServer, world: World, postgres: OwnPostgres, mode: str
) -> None:
    name = key()
    run, thread = await in_step_seven(served, world, name, seconds=1.5)
    await asyncio.to_thread(postgres.stop, mode)
    await asyncio.to_thread(postgres.start)
    await whole(world, served, name, run, thread)


@pytest.mark.parametrize("mode", ["fast", "immediate"])
async def test_a_cron_fires_on_while_postgres_is_restarted(
    served: CommunityServer, world: World, postgres: OwnPostgres, mode: str
) -> None:
    """Of a slot comes one run or, where Postgres was away, none; and it goes on by itself."""
    slots = "SELECT slot, run_id FROM server.cron_slots WHERE cron_id = %s ORDER BY slot"
    async with served.sdk() as api:
        every_second: Any = await api.crons.create(
            "echo", schedule="* * * * * *", input={"said": "tick"}, on_run_completed="keep"
        )
        cron = every_second["cron_id"]
        await world.until(lambda: len(world.ask(slots, cron)) >= 2, "it fires")
        for _ in range(2):
            await asyncio.to_thread(postgres.stop, mode)
            await asyncio.to_thread(postgres.start)
            before = len(world.ask(slots, cron))
            await world.until(lambda n=before: len(world.ask(slots, cron)) >= n + 2, "it fires again")
        used = world.ask(slots, cron)
        await api.crons.delete(cron)
    made = [str(row["run_id"]) for row in world.ask(OF_CRON, cron)]
    assert len(made) >= 6 and {row["run_id"] for row in used} <= {UUID(run) for run in made} | {None}
    assert len(made) - len(used) <= 2, "no more runs than slots, but for what fired while we looked"
    for run in made:
        assert await world.ended(run) == "success"


async def test_postgres_is_away_for_a_while(
    served: CommunityServer, world: World, postgres: OwnPostgres
) -> None:
    """Requests are refused meanwhile, not left hanging; readiness says why; `/ok` alone goes on answering."""
    name = key()
    run, thread = await in_step_seven(served, world, name, seconds=1.0)
    await asyncio.to_thread(postgres.stop, "immediate")
    try:
        async with httpx.AsyncClient(base_url=served.url, trust_env=False, timeout=30) as http:
            assert (await http.get("/ok")).status_code == 200
            assert (await http.get("/ok", params={"check_db": 1})).status_code == 500
            assert (await http.post("/threads", json={})).status_code in {500, 503}
        await asyncio.sleep(AWAY_S)
    finally:
        await asyncio.to_thread(postgres.start)
    await whole(world, served, name, run, thread)
    async with httpx.AsyncClient(base_url=served.url, trust_env=False) as http:
        assert (await http.get("/ok", params={"check_db": 1})).json()["ok"] is True


@pytest.fixture
def small(postgres: OwnPostgres, world: World, served: CommunityServer, tmp_path: Path) -> Iterator[Path]:
    """Checkpoints' blobs and writes on a disk of 48 MB. Only root may mount one."""
    disk = postgres.cluster.data.parent / "small"
    disk.mkdir(exist_ok=True)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", str(disk)], check=False)
    if mounted.returncode:
        pytest.skip("needs the right to mount a disk")
    tables = ("public.checkpoint_blobs", "public.checkpoint_writes")
    try:
        postgres.give(disk)
        world.change(f"CREATE TABLESPACE small LOCATION '{disk}'")
        for table in tables:
            world.change(f"VACUUM FULL {table}")
            world.change(f"ALTER TABLE {table} SET TABLESPACE small")
        yield disk
    finally:
        (disk / "ballast").unlink(missing_ok=True)
        for table in tables:
            world.change(f"ALTER TABLE {table} SET TABLESPACE pg_default")
        world.change("DROP TABLESPACE small")
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("freed", [True, False])
async def test_the_disk_is_full_when_a_checkpoint_is_saved(
    served: CommunityServer, world: World, small: Path, freed: bool
) -> None:
    """With room made in time the run ends well, else as an error after its attempts, which says why; the next one is
    served either way."""
    name = key()
    free = os.statvfs(small)
    (small / "ballast").write_bytes(b"x" * (free.f_bavail * free.f_frsize - 1_000_000))
    async with served.sdk() as api:
        thread = (await api.threads.create())["thread_id"]
        run = (await api.runs.create(thread, "bulky", input={"key": name, "megabytes": 3}))["run_id"]
        await world.until(lambda: "grown" in world.effects(name), "it wants to save")
        if freed:
            await world.until(lambda: len(world.effects(name)) > 1, "it tries again")
            (small / "ballast").unlink()
        assert await world.ended(run, 90) == ("success" if freed else "error")
        row: Any = await api.threads.get(thread)
        assert row["status"] == ("idle" if freed else "error")
        if not freed:
            assert "max attempts" in str(row["error"]) and "No space left on device" in str(row["error"])
            (small / "ballast").unlink()
        other = await api.threads.create()
        done: Any = await api.runs.wait(other["thread_id"], "bulky", input={"key": key(), "megabytes": 1})
        assert done["closed"] is True
    assert served.process and served.process.poll() is None


def test_the_disk_is_as_small_as_it_should_be(postgres: OwnPostgres, small: Path) -> None:
    with psycopg.connect(postgres.uri, autocommit=True) as conn, pytest.raises(psycopg.errors.DiskFull):
        conn.execute(
            "CREATE TABLE ballast TABLESPACE small AS SELECT repeat(md5(n::text), 60) FROM generate_series(1, 30000) n"
        )
