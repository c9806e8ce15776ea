"""Postgres is away, cuts connections, or is slow to come back: runs finish, and the server needs no restart."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import clone
from tests.fakes.community_server import CommunityServer
from tests.fakes.graphs import ledger
from tests.langgraph_runtime_community.world import World, ignoring_cuts, key

pytestmark = pytest.mark.slow  # cuts connections and waits for leases

CUT = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'stationmaster%%'
"""


@pytest.fixture(scope="module")
def world(server: str) -> Iterator[World]:
    for uri in clone(server, "template0", "outages"):
        ledger.create(uri)
        yield World(uri)


@pytest.fixture(scope="module")
def served(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommunityServer]:
    made = CommunityServer(
        tmp_path_factory.mktemp("outages"), database=world.uri, env={"LEDGER_URI": world.uri}
    )
    made.start_blocking()
    yield made
    made.kill_blocking()


async def test_every_connection_is_cut_during_a_step(served: CommunityServer, world: World) -> None:
    name = key()
    async with served.sdk() as api:
        thread = (await api.threads.create())["thread_id"]
        body = {"key": name, "slow": 7, "seconds": 1.5}
        run = (await api.runs.create(thread, "steps", input=body))["run_id"]
        await world.until(lambda: world.saved_step(thread) == 6, "step 6 is saved")
        world.ask(CUT)
        assert await world.ended(run) == "success"
        values: Any = (await api.threads.get_state(thread))["values"]
        assert values["done"] == list(range(1, 11))
    assert world.effects(name).count("step 6") == 1


async def test_connections_are_cut_again_and_again_under_load(served: CommunityServer, world: World) -> None:
    names = [key() for _ in range(12)]
    async with served.sdk() as api:
        threads = [(await api.threads.create())["thread_id"] for _ in names]
        runs = []
        for thread, name in zip(threads, names, strict=True):
            body = {"key": name, "slow": 5, "seconds": 0.5}
            made = await ignoring_cuts(api.runs.create(thread, "steps", input=body))
            runs += [made["run_id"]] if made else []
        for _ in range(4):
            world.ask(CUT)
            await asyncio.sleep(0.5)  # between two cuts, so that something happens
        for run in runs:
            assert await world.ended(run) == "success"
        assert len(runs) == len(names)
    for name in names:
        assert {f"step {at}" for at in range(1, 11)} == set(world.effects(name))
    assert not world.ask("SELECT 1 FROM server.threads WHERE status = 'busy'")


async def test_the_database_is_away_for_longer_than_a_lease(served: CommunityServer, world: World) -> None:
    name, database = key(), "outages"
    async with served.sdk() as api:
        thread = (await api.threads.create())["thread_id"]
        body = {"key": name, "slow": 7, "seconds": 1.0}
        run = (await api.runs.create(thread, "steps", input=body))["run_id"]
        await world.until(lambda: world.saved_step(thread) == 6, "step 6 is saved")
        other = World(world.uri.replace(f"/{database}?", "/postgres?", 1))
        other.change(f"ALTER DATABASE {database} ALLOW_CONNECTIONS false")
        cut = CUT.replace("current_database()", f"'{database}'")
        other.ask(cut)
        await asyncio.sleep(4)  # twice the lease
        other.change(f"ALTER DATABASE {database} ALLOW_CONNECTIONS true")
        assert await world.ended(run, 90) == "success"
        assert (await api.threads.get(thread))["status"] == "idle"
    assert set(world.effects(name)) == {f"step {at}" for at in range(1, 11)}
