"""Two servers on one database: one takes requests, the other works; clients notice nothing of it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from langgraph_runtime_community.migrate import DIRECTORY
from stationmaster.postgres.migrate import migrations
from tests.conftest import clone
from tests.fakes.community_server import CommunityServer
from tests.fakes.graphs import ledger
from tests.langgraph_runtime_community.test_joins import ends, joined
from tests.langgraph_runtime_community.world import World, key


@pytest.fixture(scope="module")
def world(server: str) -> Iterator[World]:
    """Their database."""
    for uri in clone(server, "template0", "two"):
        ledger.create(uri)
        yield World(uri)


@pytest.fixture(scope="module")
def servers(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[CommunityServer, ...]]:
    """`front` has no workers, `back` has; both start at once on an empty database."""
    env = {"LEDGER_URI": world.uri, "CRON_SCHEDULER_SLEEP_TIME": "1"}
    made = [
        CommunityServer(tmp_path_factory.mktemp(name), database=world.uri, jobs=jobs, env=env)
        for name, jobs in (("front", 0), ("back", 10))
    ]

    async def start() -> None:
        await asyncio.gather(*(each.start() for each in made))

    try:
        asyncio.run(start())
        yield tuple(made)
    finally:
        for each in made:
            each.kill_blocking()


@pytest.fixture
async def front(servers: tuple[CommunityServer, ...]) -> AsyncIterator[LangGraphClient]:
    """A client of the one without workers."""
    async with servers[0].sdk() as client:
        yield client


@pytest.fixture
async def back(servers: tuple[CommunityServer, ...]) -> AsyncIterator[LangGraphClient]:
    """A client of the one with workers."""
    async with servers[1].sdk() as client:
        yield client


async def test_a_run_is_waited_for_where_it_is_not_worked_on(front: LangGraphClient) -> None:
    thread = (await front.threads.create())["thread_id"]
    values: Any = await front.runs.wait(thread, "steps", input={"key": key(), "slow": 0})
    assert values["done"] == list(range(1, 11))
    values = await front.runs.wait(None, "steps", input={"key": key(), "slow": 0})
    assert values["done"] == list(range(1, 11))


@pytest.mark.parametrize("stateless", [False, True])
async def test_a_stream_arrives_whole_and_in_order(front: LangGraphClient, stateless: bool) -> None:
    thread = None if stateless else (await front.threads.create())["thread_id"]
    parts = [
        part
        async for part in front.runs.stream(
            thread, "steps", input={"key": key(), "slow": 0}, stream_mode="updates"
        )
    ]  # fmt: skip
    assert [part.event for part in parts] == ["metadata"] + ["updates"] * 10
    assert [list(part.data) for part in parts[1:]] == [[f"step_{at}"] for at in range(1, 11)]


async def test_a_late_listener_gets_what_comes_and_the_end(front: LangGraphClient, world: World) -> None:
    thread, name = (await front.threads.create())["thread_id"], key()
    run = await front.runs.create(
        thread, "steps", input={"key": name, "slow": 3, "seconds": 2.0}, stream_mode="updates"
    )
    await world.until(lambda: "step 3" in world.effects(name), "step 3 begins")
    parts = [part async for part in front.runs.join_stream(thread, run["run_id"])]
    assert [list(part.data) for part in parts if part.event == "updates"][-1] == ["step_10"]


async def test_cancel_reaches_the_worker(front: LangGraphClient, world: World) -> None:
    thread, name = (await front.threads.create())["thread_id"], key()
    run = await front.runs.create(thread, "steps", input={"key": name, "slow": 3, "seconds": 60.0})
    await world.until(lambda: "step 3" in world.effects(name), "step 3 begins")
    await front.runs.cancel(thread, run["run_id"], wait=True)
    assert await world.ended(run["run_id"]) == "interrupted"


async def test_a_resumable_stream_goes_on_after_a_cut(front: LangGraphClient) -> None:
    thread = (await front.threads.create())["thread_id"]
    body = {"key": key(), "slow": 4, "seconds": 1.0}
    seen, run, last = [], "", ""
    async with AsyncExitStack() as stack:
        parts = front.runs.stream(thread, "steps", input=body, stream_mode="updates", stream_resumable=True)
        stack.push_async_callback(parts.aclose)  # type: ignore[attr-defined]
        async for part in parts:
            if part.event == "metadata":
                run = part.data["run_id"]
            else:
                seen += list(part.data)
            last = part.id or last
            if len(seen) == 3:
                break
    assert last
    async for part in front.runs.join_stream(thread, run, last_event_id=last):
        seen += list(part.data) if part.event == "updates" else []
    assert seen == [f"step_{at}" for at in range(1, 11)]
    again = [part async for part in front.runs.join_stream(thread, run, last_event_id="0-0")]
    assert [next(iter(part.data)) for part in again if part.event == "updates"] == seen


async def test_both_made_one_schema(world: World) -> None:
    names = [row["name"] for row in world.ask("SELECT name FROM stationmaster.migrations ORDER BY 1")]
    assert names == [f"server/{file.name}" for file in migrations(DIRECTORY)]
    assert len(world.ask("SELECT 1 FROM server.assistants WHERE graph_id = 'steps'")) == 1


async def test_two_schedulers_make_one_run_a_slot(
    front: LangGraphClient, servers: tuple[CommunityServer, ...], world: World
) -> None:
    thread = (await front.threads.create())["thread_id"]
    cron: Any = await front.crons.create_for_thread(
        thread, "steps", schedule="* * * * * *", input={"key": key(), "slow": 0}, metadata={"by": "cron"}
    )
    slots = "SELECT slot, run_id FROM server.cron_slots WHERE cron_id = %s ORDER BY slot"
    await world.until(lambda: len(world.ask(slots, cron["cron_id"])) >= 5, "five slots are used")
    async with servers[
        0
    ].sdk() as fresh:  # uvicorn drops a connection that is idle for five seconds, about now
        await fresh.crons.update(cron["cron_id"], enabled=False)
    used = world.ask(slots, cron["cron_id"])
    runs = world.ask("SELECT run_id FROM server.runs WHERE thread_id = %s", thread)
    assert {row["run_id"] for row in used} == {row["run_id"] for row in runs}
    assert len({row["slot"] for row in used}) == len(used) == len(runs)


async def test_a_client_can_not_forge_a_slot(front: LangGraphClient, world: World) -> None:
    cron: Any = await front.crons.create("steps", schedule="0 0 1 1 *", input={"key": key(), "slow": 0})
    await front.runs.wait(
        None, "steps", input={"key": key(), "slow": 0}, metadata={"cron_id": cron["cron_id"]},
        config={"configurable": {"cron_id": cron["cron_id"]}},
    )  # fmt: skip
    assert not world.ask("SELECT 1 FROM server.cron_slots WHERE cron_id = %s", cron["cron_id"])


async def test_a_join_ends_when_a_waiting_run_is_rolled_back_elsewhere(
    front: LangGraphClient, back: LangGraphClient
) -> None:
    thread = (await back.threads.create())["thread_id"]
    run = await back.runs.create(thread, "steps", input={"key": key(), "slow": 0}, after_seconds=3600)
    join = await joined(front, thread, run["run_id"])
    await back.runs.cancel(thread, run["run_id"], action="rollback")
    await ends(join)


async def test_a_thread_is_listened_to_on_the_other_server(
    front: LangGraphClient, back: LangGraphClient, world: World
) -> None:
    """Its runs with their ends, also of one that is cancelled in the queue; and changes of its state."""
    thread, name = (await back.threads.create())["thread_id"], key()
    got: list[Any] = []

    async def listen() -> None:
        modes = {"stream_modes": "run_modes,state_update"}  # the client's own argument has another name
        async for part in await front.threads.join_stream(thread, params=modes):
            got.append((part.event, part.data))  # noqa: PERF401  cut off in the middle

    def ends() -> list[str]:
        return [
            data["run_id"] for event, data in got if event == "metadata" and data.get("status") == "run_done"
        ]

    listening = asyncio.create_task(listen())
    marks = "SELECT 1 FROM server.listeners WHERE thread_id = %s"
    await world.until(lambda: world.ask(marks, thread), "somebody listens")
    body = {"key": name, "slow": 3, "seconds": 1.5}
    first = await back.runs.create(thread, "steps", input=body, stream_mode="updates")
    await world.until(lambda: "step 3" in world.effects(name), "step 3 begins")
    second = await back.runs.create(
        thread, "steps", input={"key": key(), "slow": 0}, multitask_strategy="enqueue"
    )
    await asyncio.sleep(1)  # longer than the other server takes to see that it waits
    await back.runs.cancel(thread, second["run_id"])
    await world.until(lambda: set(ends()) == {first["run_id"], second["run_id"]}, "both ends are told", 15)
    await back.threads.update_state(thread, {"slow": 7}, as_node="step_10")
    await world.until(lambda: got[-1][0] == "state_update", "the change is told", 15)
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    assert [next(iter(data)) for event, data in got if event == "updates"] == [
        f"step_{at}" for at in range(1, 11)
    ]
    assert len(ends()) == 2


async def test_a_listener_whose_word_was_lost_is_heard_all_the_same(
    front: LangGraphClient, back: LangGraphClient, world: World
) -> None:
    """As behind a pooler that swallows notifications: the row says so, and nobody was told."""
    thread, name = (await back.threads.create())["thread_id"], key()
    body = {"key": name, "slow": 3, "seconds": 2.0}
    run = await back.runs.create(thread, "steps", input=body, stream_mode="updates")
    await world.until(lambda: "step 3" in world.effects(name), "step 3 begins")
    world.change("UPDATE server.runs SET watched = true WHERE run_id = %s", run["run_id"])
    parts = [part async for part in front.runs.join_stream(thread, run["run_id"])]
    assert [next(iter(part.data)) for part in parts if part.event == "updates"][-1] == "step_10"


async def test_a_worker_elsewhere_stops_when_its_run_is_deleted(
    front: LangGraphClient, back: LangGraphClient, world: World
) -> None:
    thread, name = (await back.threads.create())["thread_id"], key()
    run = await back.runs.create(thread, "steps", input={"key": name, "slow": 3, "seconds": 60.0})
    await world.until(lambda: "step 3" in world.effects(name), "step 3 begins")
    join = await joined(back, thread, run["run_id"])
    await front.runs.delete(thread, run["run_id"])
    await ends(join)
