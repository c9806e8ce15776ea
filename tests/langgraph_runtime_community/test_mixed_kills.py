"""Three servers of an encrypting project, killed one at a time, while runs are rolled back, interrupted, put off and
stateless, and the receiver of their webhooks is not always there: each thread ends as its last run left it.

KILLS (4) says how many.
"""

import asyncio
import os
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import clone
from tests.fakes.community_server import CommunityServer
from tests.fakes.graphs import ledger
from tests.langgraph_runtime_community.conftest import HOOK_SECRET
from tests.langgraph_runtime_community.test_encryption import SEALED, found
from tests.langgraph_runtime_community.test_hooks import AFTER_A_KILL_S, Receiver
from tests.langgraph_runtime_community.test_random_kills import Fleet, insist
from tests.langgraph_runtime_community.world import World, key

KILLS = int(os.environ.get("KILLS", "4"))
CLIENTS = 6
ANN = {"x-user": "ann"}
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300 + 20 * KILLS)]
# What a run that is gone has left behind: nothing.
LEFT = """SELECT DISTINCT c.thread_id FROM checkpoints c WHERE c.metadata ? 'run_id'
    AND NOT EXISTS (SELECT FROM server.runs r WHERE r.run_id::text = c.metadata ->> 'run_id')"""


@pytest.fixture
def world(server: str) -> Iterator[World]:
    for uri in clone(server, "template0", "mixed_kills"):
        ledger.create(uri)
        yield World(uri)


@pytest.fixture
async def fleet(world: World, tmp_path: Path) -> AsyncIterator[Fleet]:
    env = {"LEDGER_URI": world.uri, "LG_WEBHOOK_SECRET": HOOK_SECRET, "BG_JOB_MAX_RETRIES": "50"}
    async with AsyncExitStack() as stack:
        servers = [
            CommunityServer(tmp_path / name, database=world.uri, jobs=4, env=env, config=SEALED)
            for name in ("a", "b", "c")
        ]
        for each in servers:
            stack.push_async_callback(asyncio.to_thread, each.kill_blocking)
        await asyncio.gather(*(each.start() for each in servers))
        yield Fleet(servers, random.Random())


async def run(fleet: Fleet, thread: str | None, hook: str, **given: Any) -> tuple[str, str]:
    """A run of ten steps, whichever server takes it; its id, and the key of its effects, which is what is secret."""
    name = f"secret-{key()}"
    seconds = fleet.chance.uniform(0.2, 1.5)
    body = {
        "assistant_id": "steps", "input": {"key": name, "slow": 5, "seconds": seconds}, "webhook": hook,
        "durability": "sync", **given,
    }  # fmt: skip
    path = f"/threads/{thread}/runs" if thread else "/runs"
    made = await insist(fleet, "POST", path, json=body, headers={**ANN, "Idempotency-Key": key()})
    return made["run_id"], name


async def one_thread(fleet: Fleet, world: World, hook: str) -> tuple[str, list[str]]:
    """A run that another one takes the place of; the thread, and the runs of which a webhook must come."""
    thread, strategy = key(), fleet.chance.choice(["rollback", "interrupt", "enqueue"])
    body = {"thread_id": thread, "if_exists": "do_nothing"}
    await insist(fleet, "POST", "/threads", json=body, headers=ANN)
    first, _ = await run(fleet, thread, hook)
    await asyncio.sleep(fleet.chance.uniform(0, 1))
    after = fleet.chance.choice([0, 0, 1])
    last, name = await run(fleet, thread, hook, multitask_strategy=strategy, after_seconds=after)
    assert await world.ended(last, 120) == "success", last
    became = world.run(first).get("status", "gone")
    expected = {
        "rollback": {"gone", "success"},
        "interrupt": {"interrupted", "success"},
        "enqueue": {"success"},
    }
    assert became in expected[strategy], (strategy, first, became)
    values = (await insist(fleet, "GET", f"/threads/{thread}/state", headers=ANN))["values"]
    assert values["key"] == name and values["done"][-1] == 10
    if became == "gone":
        assert values["done"] == list(range(1, 11)), "as if the first had never been"
    return thread, [last]


async def client(
    fleet: Fleet, world: World, hook: str, done: asyncio.Event, told: list[str], threads: list[str]
) -> None:
    while not done.is_set():
        thread, runs = await one_thread(fleet, world, hook)
        stateless, _ = await run(fleet, None, hook)
        threads.append(thread)
        told.extend([*runs, stateless])


async def test_each_thread_ends_as_its_last_run_left_it(world: World, fleet: Fleet) -> None:
    receiver, done = Receiver(answers=[500, 200, 503] * 10), asyncio.Event()
    told: list[str] = []
    threads: list[str] = []
    async with asyncio.timeout(270 + 20 * KILLS):
        async with receiver.listening():
            clients = [
                asyncio.create_task(client(fleet, world, receiver.url, done, told, threads))
                for _ in range(CLIENTS)
            ]
            for _ in range(KILLS):
                await asyncio.sleep(fleet.chance.uniform(0, 2))
                await fleet.kill_one()
        # Nobody listens for a while.
        await asyncio.sleep(2)
        done.set()
        async with receiver.listening():
            await asyncio.gather(*clients)
            assert len(threads) > KILLS
            for each in told:
                await receiver.of(each, patience_s=AFTER_A_KILL_S)
    in_flight = "SELECT run_id FROM server.runs WHERE status IN ('pending', 'running')"
    assert not world.ask(in_flight)
    assert not world.ask("SELECT thread_id FROM server.threads WHERE status = 'busy'")
    assert not world.ask(LEFT)
    world.change("DROP TABLE ledger")  # what graphs did, for the test to count, in words that are readable
    assert found(world.uri, "secret-") == []
