"""`stationmaster check --against` a deployment on our runtime: real rows, real interrupt ids, thousands of them."""

import asyncio
import time
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.checking.against.breaking import Break
from stationmaster.checking.against.comparing import Compared, compare
from stationmaster.checking.audit import Whole
from stationmaster.checking.loading import load
from stationmaster.server.stock import Project, read_project
from tests.fakes.community_server import PROJECT, CommunityServer
from tests.langgraph_runtime_community.world import key
from tests.stationmaster.checking.auditing import path_kept

MANY = 3_400
RELEASES = "tests.fakes.graphs.releases"
# What a later release has for each: a node renamed, a key that threads lack, a breakpoint's node gone.
LATER = {
    "plain": f"{RELEASES}:renamed",
    "twice": f"{RELEASES}:with_risk",
    "nested": f"{RELEASES}:nested",
    "before": f"{RELEASES}:stops",
}


async def against(community: CommunityServer, project: Project) -> Compared:
    def loaded() -> Whole:
        with path_kept():
            return Whole(project, load(project), 30)

    return await compare(await asyncio.to_thread(loaded), community.url, None)


async def paused(client: LangGraphClient, graph: str, **sent: Any) -> str:
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, graph, input={"key": key(), "question": "Is it right?", **sent})
    return thread


def of(found: Compared, thread: str) -> list[Break]:
    return [each for each in found.breaks if each.thread_id == thread]


async def test_each_kind_of_waiting_thread(community: CommunityServer, client: LangGraphClient) -> None:
    plain = await paused(client, "plain")
    second = await paused(client, "twice", then="Really?")
    asked = (await client.threads.get_state(second))["interrupts"][0]["id"]
    await client.runs.wait(second, "twice", command={"resume": {asked: "yes"}})
    inner = await paused(client, "nested")
    stopped = await paused(client, "before", text="a text")

    same = await against(community, read_project(PROJECT))
    assert [each for thread in (plain, second, inner, stopped) for each in of(same, thread)] == []

    later = await against(community, Project(PROJECT.parent, {"graphs": LATER}))
    assert [each.said for each in of(later, plain)] == ["it waits in ask, and there is no ask"]
    assert [each.reason.name for each in of(later, second)] == ["required-key"]
    assert [each.said for each in of(later, inner)] == [
        "it waits in middle/inner/ask, and there is no middle"
    ]
    assert [each.said for each in of(later, stopped)] == ["it waits in send, and there is no send"]


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_3400_paused_threads_are_compared_in_seconds(
    community: CommunityServer, client: LangGraphClient
) -> None:
    limit = asyncio.Semaphore(32)

    async def one() -> str:
        async with limit:
            return await paused(client, "plain")

    threads = set(await asyncio.gather(*(one() for _ in range(MANY))))
    began = time.monotonic()
    later = await against(
        community, Project(PROJECT.parent, {"graphs": {**LATER, "plain": f"{RELEASES}:with_risk"}})
    )
    took = time.monotonic() - began
    assert {each.thread_id for each in later.breaks} >= threads
    assert took < 20, took
    print(f"{MANY} paused threads compared in {took:.1f} s")  # noqa: T201 - the figure is what it is for
