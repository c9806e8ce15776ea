"""Joins end with their run, also where it is removed while somebody waits for it."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from langgraph_runtime_community.streams import hub, watching
from tests.langgraph_runtime_community.world import World, key

SOON_S = 8.0


@pytest.fixture
def world(served_database: str) -> World:
    return World(served_database)


async def joined(client: Any, thread: str, run: str) -> asyncio.Task[Any]:
    """A join that waits already."""
    join = asyncio.create_task(client.runs.join(thread, run))
    await asyncio.sleep(0.5)  # there is no telling from outside that a client listens
    assert not join.done()
    return join


async def ends(join: asyncio.Task[Any]) -> None:
    await asyncio.wait([join], timeout=SOON_S)
    over = join.done()
    join.cancel()
    await asyncio.gather(join, return_exceptions=True)
    assert over, f"the join still waits {SOON_S} s after its run is gone"


@pytest.mark.parametrize("what", ["run", "thread", "pruned"])
@pytest.mark.parametrize("at_work", [False, True])
async def test_a_join_ends_when_its_run_is_removed(
    client: Any, world: World, what: str, at_work: bool
) -> None:
    thread, name = (await client.threads.create())["thread_id"], key()
    run = await client.runs.create(
        thread,
        "steps",
        input={"key": name, "slow": 3, "seconds": 60.0},
        after_seconds=None if at_work else 3600,
    )
    if at_work:
        await world.until(lambda: "step 3" in world.effects(name), "step 3 begins")
    join = await joined(client, thread, run["run_id"])
    match what:
        case "run":
            await client.runs.delete(thread, run["run_id"])
        case "thread":
            await client.threads.delete(thread)
        case _:
            await client.threads.prune([thread])
    await ends(join)
    assert world.run(run["run_id"]) == {}


async def test_a_run_that_is_made_during_a_look_is_not_taken_for_gone(
    runtime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, thread = uuid4(), uuid4()

    async def none_yet(*_: Any) -> list[Any]:
        hub.HUB.begins(run, thread, resumable=False)  # made and claimed here, after the rows were read
        return []

    monkeypatch.setattr(watching, "_states", none_yet)
    async with hub.HUB.listen(run) as channel:
        await watching.WATCHER.look()
        assert not channel.waits()
        monkeypatch.undo()
        hub.HUB.leaves(run, over=False)
        await watching.WATCHER.look()
        assert (await channel.next()).is_end  # of one that was known and has no row, it is the end
