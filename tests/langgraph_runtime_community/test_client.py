"""`stationmaster.client` on our runtime: streams through cut lines and the death of the server; forks; waiting."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import Command, StreamPart

from stationmaster.client import (
    Limits,
    correct,
    edit_message,
    follow,
    start,
    stream,
    wait_for_person,
)
from tests.conftest import clone
from tests.fakes.community_server import CommunityServer
from tests.fakes.graphs import ledger
from tests.fakes.line import line
from tests.langgraph_runtime_community.served.talk import WORDS
from tests.langgraph_runtime_community.world import World, key

LIMITS = Limits(away_s=60, answer_s=2, pause_s=0.3)


async def all_of(parts: AsyncIterator[StreamPart]) -> list[StreamPart]:
    return [part async for part in parts]


def steps(parts: list[StreamPart]) -> list[str]:
    return [node for part in parts if part.event == "updates" for node in part.data]


async def test_no_gap_and_no_duplicate_wherever_it_is_cut(community: CommunityServer) -> None:
    said = {"messages": [{"role": "user", "content": "hello"}]}
    async with line(community.url) as cable, get_client(url=cable.url, api_key=None) as client:
        for cuts in ([0, 900, 1_500], [300, 2_000], [1_200] * 3):
            thread = (await client.threads.create())["thread_id"]
            cable.cuts.extend(cuts)
            parts = await all_of(stream(client, thread, "talk", input=said, limits=LIMITS))
            cable.cuts.clear()
            (run, *_) = await client.runs.list(thread)
            kept = client.runs.join_stream(thread, run["run_id"], last_event_id="0-0")
            assert parts == await all_of(kept)
            assert steps(parts) == ["say"]
        assert cable.cut_off >= 3


async def test_a_fork_and_a_correction_leave_the_history_as_it_was(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    for text in ("hello", "and now?"):
        await client.runs.wait(thread, "talk", input={"messages": [{"role": "user", "content": text}]})
    before = await client.threads.get_history(thread, limit=50)
    values: Any = before[0]["values"]
    edited = await edit_message(client, thread, values["messages"][2]["id"], "and then?")
    assert edited.next == ("say",)
    await all_of(stream(client, thread, "talk", checkpoint=edited.checkpoint))
    corrected = await correct(client, thread, {"tone": "brief"}, as_node="say")
    assert corrected.next == ()
    now: Any = (await client.threads.get_state(thread))["values"]
    assert [message["content"] for message in now["messages"]] == ["hello", WORDS, "and then?", WORDS]
    assert now["tone"] == "brief"
    assert (await client.threads.get_history(thread, limit=50))[-len(before) :] == before


async def test_waiting_for_a_person(client: LangGraphClient) -> None:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "plain", input={"key": key(), "question": "Go on?"})
    asked = (await wait_for_person(client, thread, timeout_s=0.1)).standing.questions
    waiting = asyncio.create_task(wait_for_person(client, thread))
    await client.runs.wait(thread, "plain", command=Command(resume={asked[0].id: "yes"}))
    waited = await waiting
    assert waited.answered
    assert waited.standing.questions == ()


@pytest.fixture
def world(server: str) -> Iterator[World]:
    """A database that no other server works on."""
    for uri in clone(server, "template0", "streamed"):
        ledger.create(uri)
        yield World(uri)


@pytest.fixture
async def served(world: World, tmp_path: Path) -> AsyncIterator[CommunityServer]:
    """A server of this test's own, to be killed."""
    made = CommunityServer(tmp_path, database=world.uri, env={"LEDGER_URI": world.uri})
    try:
        await made.start()
        yield made
    finally:
        await asyncio.to_thread(made.kill_blocking)


async def test_a_server_that_is_killed_in_the_middle_of_a_stream(
    world: World, served: CommunityServer
) -> None:
    """The events are in the database: another attempt follows in the same stream, and no step that was saved again."""
    name = key()
    async with served.sdk() as client:
        thread = (await client.threads.create())["thread_id"]
        body = {"key": name, "slow": 7, "seconds": 2.0}
        run = await start(client, thread, "steps", input=body, stream_mode="updates", limits=LIMITS)
        following = asyncio.create_task(all_of(follow(client, run, limits=LIMITS)))
        await world.until(lambda: "step 7" in world.effects(name), "step 7 begins")
        await world.until(lambda: world.saved_step(thread) == 6, "step 6 is saved")
        await served.sigkill()
        await served.start()
        parts = await following
    assert steps(parts) == [f"step_{number}" for number in range(1, 11)]
    assert [part.data["attempt"] for part in parts if part.event == "metadata"] == [1, 2]
    # Nothing is missing; nobody can know that, for step 6 might have been saved and not told.
    assert [part.event for part in parts if part.event != "updates"] == ["metadata", "gap", "metadata"]
