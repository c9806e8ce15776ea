"""Through PgBouncer in transaction mode: without prepared statements, and with LISTEN that hears nothing."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.conftest import clone
from tests.fakes.community_server import CommunityServer
from tests.fakes.graphs import ledger
from tests.fakes.pgbouncer import PROGRAM, pgbouncer
from tests.langgraph_runtime_community.world import World, key

pytestmark = [
    pytest.mark.slow, pytest.mark.skipif(PROGRAM is None, reason="needs pgbouncer"), pytest.mark.timeout(300)
]  # fmt: skip
RUNS = 200


@pytest.fixture(scope="module")
def world(server: str) -> Iterator[World]:
    for uri in clone(server, "template0", "bounced"):
        ledger.create(uri)
        yield World(uri)


@pytest.fixture(scope="module")
def servers(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[CommunityServer]]:
    """Two, which start at once on an empty database."""
    with pgbouncer(world.uri) as uri:
        env = {"LEDGER_URI": world.uri, "COMMUNITY_RUNTIME_PREPARE": "0"}
        made = [
            CommunityServer(tmp_path_factory.mktemp(name), database=uri, env=env) for name in ("one", "two")
        ]
        try:
            with ThreadPoolExecutor() as pool:
                list(pool.map(CommunityServer.start_blocking, made))
            yield made
        finally:
            for each in made:
                if each.process:
                    each.kill_blocking()


async def waited(api: Any, number: int) -> None:
    result = await api.runs.wait(None, "talk", input={"messages": [f"hello {number}"]})
    assert result["messages"][-1]["content"] == "one two three four"


async def streamed(api: Any, number: int) -> None:
    thread = (await api.threads.create())["thread_id"]
    parts = [part.event async for part in api.runs.stream(thread, "talk", input={"messages": [f"{number}"]})]
    assert "values" in parts


async def answered(api: Any, number: int) -> None:
    thread, name = (await api.threads.create())["thread_id"], key()
    await api.runs.wait(thread, "plain", input={"key": name, "question": number})
    (question,) = (await api.threads.get_state(thread))["interrupts"]
    await api.runs.wait(thread, "plain", command={"resume": {question["id"]: "yes"}})
    assert not (await api.threads.get_state(thread))["next"]


async def in_background(api: Any, number: int) -> None:
    thread, name = (await api.threads.create())["thread_id"], key()
    run = await api.runs.create(thread, "steps", input={"key": name, "slow": 0, "seconds": 0})
    await api.runs.join(thread, run["run_id"])
    assert (await api.threads.get_state(thread))["values"]["done"] == list(range(1, 11))


async def test_two_hundred_mixed_runs(servers: list[CommunityServer], world: World) -> None:
    kinds, places = (waited, streamed, answered, in_background), asyncio.Semaphore(12)
    async with servers[0].sdk() as first, servers[1].sdk() as second:

        async def one(number: int) -> None:
            async with places:
                await kinds[number % len(kinds)]((first, second)[number // 4 % 2], number)

        await asyncio.gather(*(one(number) for number in range(RUNS)))
    statuses = world.ask("SELECT status, count(*) AS n FROM server.runs GROUP BY 1")
    assert {row["status"] for row in statuses} == {"success"}
    assert not world.ask("SELECT 1 FROM server.threads WHERE status = 'busy'")


async def test_a_cancel_reaches_the_other_server_without_notifications(
    servers: list[CommunityServer], world: World
) -> None:
    """By the heartbeat, a fifth of a lease later."""
    name = key()
    async with servers[0].sdk() as api:
        thread = (await api.threads.create())["thread_id"]
        run = (await api.runs.create(thread, "steps", input={"key": name, "slow": 3, "seconds": 60.0}))[
            "run_id"
        ]
    await world.until(lambda: "step 3" in world.effects(name), "step 3 begins")
    async with servers[1].sdk() as api:
        await api.runs.cancel(thread, run, wait=True)
    assert await world.ended(run) == "interrupted"


def test_nothing_of_the_starts_stays_locked(servers: list[CommunityServer], world: World) -> None:
    """Session locks stay with a connection that is somebody else's a moment later."""
    assert servers
    assert world.ask("SELECT * FROM pg_locks WHERE locktype = 'advisory'") == []
