"""What is done now and then goes on whatever the database says: above all that orphans are picked up."""

import asyncio
from collections.abc import Iterator
from uuid import uuid4

import pytest

from langgraph_runtime_community.config import config
from langgraph_runtime_community.sweeping import recover, sweep
from tests.langgraph_runtime_community.world import World


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A lease of a second: orphans are looked for four times in it."""
    monkeypatch.setenv("COMMUNITY_RUNTIME_LEASE_S", "1")
    config.cache_clear()
    yield
    config.cache_clear()


def orphan(world: World) -> str:
    """A run whose worker is gone."""
    run, thread = str(uuid4()), uuid4()
    world.change("INSERT INTO server.threads (thread_id, status) VALUES (%s, 'busy')", thread)
    world.change(
        "INSERT INTO server.runs (run_id, thread_id, assistant_id, status, kwargs, multitask_strategy, created_at,"
        " due_at, epoch, worker_id, claimed_at)"
        " VALUES (%s, %s, %s, 'running', '{}', 'enqueue', now(), now(), 1, gen_random_uuid(), now())",
        run, thread, thread,
    )  # fmt: skip
    return run


@pytest.mark.parametrize("broken", ["run_keys", "workers"])
async def test_orphans_are_picked_up_whatever_else_fails(runtime: str, quick: None, broken: str) -> None:
    """Nothing that the database refuses, as for a missing right, ends the search; nor does a failure of its own."""
    world = World(runtime)
    world.change(f"ALTER TABLE server.{broken} RENAME TO away")
    sweeping = asyncio.create_task(sweep())
    await asyncio.wait([sweeping], timeout=0.5)
    run = orphan(world)
    if broken == "workers":
        world.change("ALTER TABLE server.away RENAME TO workers")
    try:
        await world.until(lambda: world.run(run)["status"] == "pending", "the orphan is in the queue", 10)
        assert not sweeping.done()
    finally:
        sweeping.cancel()
        await asyncio.wait([sweeping])


async def test_a_lost_run_keeps_why(runtime: str) -> None:
    world = World(runtime)
    dead, unknown = orphan(world), orphan(world)
    world.change(
        "INSERT INTO server.workers (worker_id, host, pid, alive_until)"
        " SELECT worker_id, 'far', 7, now() - interval '1 second' FROM server.runs WHERE run_id = %s",
        dead,
    )
    assert await recover() == 2
    told = {run: world.run(run)["trouble"] for run in (dead, unknown)}
    assert told[dead]["error"] == "its process (far, pid 7) ended or fell silent"
    assert told[unknown]["error"] == "its process ended or fell silent"
    assert told[dead]["told"] is False and told[dead]["epoch"] == 1
