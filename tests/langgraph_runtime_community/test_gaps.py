"""Where a stream may lack events its clients are told so, once: after an attempt that was cut off, and where what was
kept is gone; whatever modes they asked for, in both protocols."""

import asyncio
import json
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from langgraph_runtime_community.streams import hub
from langgraph_runtime_community.streams.events import Event, Told
from langgraph_runtime_community.sweeping import housekeeping
from stationmaster.client import follow, start
from tests.fakes.community_server import CommunityServer
from tests.langgraph_runtime_community.conformance.test_thread_stream import command
from tests.langgraph_runtime_community.test_attempts import HAND_BACK
from tests.langgraph_runtime_community.world import World, key

AGED = """UPDATE server.runs SET updated_at = now() - interval '1 day' WHERE run_id = %s"""
ENDED = """INSERT INTO server.runs
(run_id, thread_id, assistant_id, status, kwargs, multitask_strategy, created_at, due_at, updated_at)
SELECT gen_random_uuid(), thread_id, gen_random_uuid(), 'success', '{}', 'enqueue', now(), now(),
    now() - %s * interval '1 hour' FROM server.threads RETURNING run_id"""
# Of 32 to 72 hours ago.
EVENTS = """INSERT INTO server.events (run_id, base, number, thread_id, event, data, at)
SELECT %s, 1, n, %s, 'updates', '{}', now() - interval '12 hours' - n * interval '20 hours'
FROM generate_series(1, 3) n"""
FORGOTTEN = "DELETE FROM server.events WHERE run_id = %s"


@pytest.fixture
def world(served_database: str) -> World:
    return World(served_database)


async def cut(client: LangGraphClient, world: World, mode: str = "updates") -> tuple[str, str, str]:
    """A resumable run that was taken from its worker in step 7 and went on; thread, run, and key of its effects."""
    name, thread = key(), (await client.threads.create())["thread_id"]
    body: Any = {"key": name, "slow": 7, "seconds": 0.5}
    made = await client.runs.create(thread, "steps", input=body, stream_mode=mode, stream_resumable=True)  # pyright: ignore[reportArgumentType, reportCallIssue]
    await world.until(lambda: world.saved_step(thread) == 6, "step 6 is saved")
    world.ask(HAND_BACK, made["run_id"])
    assert await world.ended(made["run_id"]) == "success"
    return thread, made["run_id"], name


async def second_protocol(served: CommunityServer, thread: str, channels: list[str]) -> list[dict[str, Any]]:
    """What it tells of a thread, up to the end of a run."""
    told: list[dict[str, Any]] = []
    async with (
        asyncio.timeout(40),
        httpx.AsyncClient(base_url=served.url, trust_env=False, timeout=60) as http,
        http.stream("POST", f"/threads/{thread}/stream/events", json={"channels": channels}) as response,
    ):
        async for line in response.aiter_lines():
            if line.startswith("data:"):
                told.append(json.loads(line.removeprefix("data:")))
                data = told[-1]["params"]["data"]
                if told[-1]["method"] == "lifecycle" and data["event"] == "completed":
                    break
    return told


@pytest.mark.parametrize("mode", ["updates", "custom"])
async def test_an_attempt_after_one_that_was_cut_off_says_so_first(
    client: LangGraphClient, world: World, mode: str
) -> None:
    """Also to clients of a mode in which nothing came."""
    thread, run, _ = await cut(client, world, mode)
    parts = [part async for part in client.runs.join_stream(thread, run, last_event_id="-")]
    [at] = [number for number, part in enumerate(parts) if part.event == "gap"]
    assert parts[at + 1].event == "metadata" and parts[at].id
    data: Any = parts[at].data
    assert data["run_id"] == run and "read the thread's state" in data["why"]
    behind = [part async for part in client.runs.join_stream(thread, run, last_event_id=parts[at].id)]
    assert "gap" not in [part.event for part in behind] and len(behind) == len(parts) - at - 1
    later = [part async for part in client.runs.join_stream(thread, run, last_event_id="-", stream_mode=mode)]  # pyright: ignore[reportArgumentType]
    assert [part.event for part in later if part.event != mode] == ["gap"]


async def test_our_own_client_hands_the_gap_on(client: LangGraphClient, world: World) -> None:
    name, thread = key(), (await client.threads.create())["thread_id"]
    body = {"key": name, "slow": 7, "seconds": 0.5}
    started = await start(client, thread, "steps", input=body, stream_mode="updates")
    await world.until(lambda: world.saved_step(thread) == 6, "step 6 is saved")
    world.ask(HAND_BACK, started.run_id)
    parts = [part.event async for part in follow(client, started)]
    assert parts.count("gap") == 1 and parts[-1] != "error"


async def test_an_attempt_that_failed_and_gave_the_run_back_has_told_all(
    client: LangGraphClient, world: World
) -> None:
    thread = (await client.threads.create())["thread_id"]
    body: Any = {"key": key(), "fails": True, "done": []}
    made = await client.runs.create(
        thread, "passing", input=body, stream_mode="updates", stream_resumable=True
    )
    assert await world.ended(made["run_id"]) == "success"
    assert world.run(made["run_id"])["attempt"] == 2
    parts = [part async for part in client.runs.join_stream(thread, made["run_id"], last_event_id="-")]
    steps = [name for part in parts if part.event == "updates" for name in (part.data or {})]
    assert steps == ["step_1", "step_2", "step_3"] and "gap" not in [part.event for part in parts]


async def test_events_that_are_kept_no_more_are_a_gap(client: LangGraphClient, world: World) -> None:
    thread, run, _ = await cut(client, world)
    world.change(FORGOTTEN, run)
    fresh = [part async for part in client.runs.join_stream(thread, run, last_event_id="-")]
    assert fresh == [], "its last events may be on their way"
    world.change(AGED, run)
    for last in ("-", "1-3"):
        [part] = [part async for part in client.runs.join_stream(thread, run, last_event_id=last)]
        assert part.event == "gap" and part.id is None and "kept for a while" in str(part.data)
    assert [part async for part in client.runs.join_stream(thread, run)] == []


async def test_of_a_run_all_events_are_kept_or_none(runtime: str) -> None:
    """Else the rest would look whole."""
    world, runs = World(runtime), []
    world.change("INSERT INTO server.threads (thread_id) VALUES (gen_random_uuid())")
    for hours in (1, 30):
        [row] = world.ask(ENDED, hours)
        world.change(EVENTS, row["run_id"], row["run_id"])
        runs.append(row["run_id"])
    await housekeeping()
    left = world.ask("SELECT run_id, count(*) AS kept FROM server.events GROUP BY 1")
    assert left == [{"run_id": runs[0], "kept": 3}]


async def test_the_second_protocol_carries_it_as_an_event_of_its_custom_channel(
    community: CommunityServer, client: LangGraphClient, world: World
) -> None:
    name, thread = key(), (await client.threads.create())["thread_id"]
    body = {"key": name, "slow": 7, "seconds": 0.5}
    run = (await command(community, thread, "run.start", assistant_id="steps", input=body))["run_id"]
    await world.until(lambda: world.saved_step(thread) == 6, "step 6 is saved")
    world.ask(HAND_BACK, run)
    assert await world.ended(run) == "success"
    for channels in (["custom", "lifecycle"], ["custom:gap", "updates", "lifecycle"]):
        told = await second_protocol(community, thread, channels)
        [gap] = [each["params"]["data"] for each in told if each["method"] == "custom"]
        assert gap["name"] == "gap" and gap["payload"]["run_id"] == run
    world.change(FORGOTTEN, run)
    world.change(AGED, run)
    told = await second_protocol(community, thread, ["custom", "lifecycle"])
    methods = [(each["method"], each["params"]["data"].get("event")) for each in told]
    assert methods == [("lifecycle", "running"), ("custom", None), ("lifecycle", "completed")]
    assert told[1]["params"]["data"]["payload"]["run_id"] == run


@pytest.mark.parametrize(("most_events", "most_bytes"), [(100, 10**9), (10**9, 5000)])
async def test_a_client_that_does_not_read_fills_no_memory(
    monkeypatch: pytest.MonkeyPatch, most_events: int, most_bytes: int
) -> None:
    """It is told of a gap in the place of what was forgotten; ends of runs are never forgotten."""
    monkeypatch.setattr(hub, "MOST_EVENTS", most_events)
    monkeypatch.setattr(hub, "MOST_BYTES", most_bytes)
    run, other, told = uuid4(), uuid4(), Told()
    channel = hub.Hub().listen_thread(uuid4())
    channel.put(Event((1, 1), other, "control", b"done"))
    for number in range(1, 1001):
        channel.put(Event((2, number), run, "updates", b"x" * 50))
    channel.put(Event((2, 1001), run, "control", b"done"))
    found = list[Event]()
    while channel.waits():
        found.append(await channel.next())
    assert len(found) <= 103 and [event for event in found if told.is_new(event)] == found
    assert (found[0].event, found[0].run_id) == ("gap", run) and b"read the thread's state" in found[0].data
    assert found[1].is_end and found[1].run_id == other and found[-1].is_end
    numbers = [event.id[1] for event in found if event.event == "updates"]
    assert numbers == list(range(numbers[0], 1001))
