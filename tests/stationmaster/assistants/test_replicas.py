"""Two replicas of the durable runtime on one database: one arm a thread, one winner a version."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.assistants import canaries
from stationmaster.assistants.proposing import propose_promote
from stationmaster.assistants.routes import bucket
from stationmaster.assistants.writing import Written, carry_out
from stationmaster.reconcile.errors import Conflict
from stationmaster.reconcile.gateway import Gateway
from tests.fakes.community_server import CommunityServer
from tests.stationmaster.assistants.conftest import configured_project, made
from tests.stationmaster.assistants.serving import run
from tests.webhooks.receiving import until

pytestmark = pytest.mark.slow


@pytest.fixture
async def replicas(seeded_database: str, tmp_path: Path) -> AsyncIterator[list[LangGraphClient]]:
    env = {"STATIONMASTER_DATABASE_URI": seeded_database}
    async with AsyncExitStack() as stack:
        clients = []
        for number in (1, 2):
            directory = tmp_path / str(number)
            directory.mkdir()
            server = CommunityServer(
                directory, env=env, config=configured_project(directory, http=False), database=seeded_database
            )
            stack.callback(server.kill_blocking)
            await server.start()
            clients.append(await stack.enter_async_context(server.sdk()))
        yield clients


async def test_a_thread_has_one_arm_on_every_replica(replicas: list[LangGraphClient]) -> None:
    one, two = replicas
    live = await made(Gateway(one), "support", context={"tone": "formal"})
    other = await made(Gateway(two), "support-next", context={"tone": "brief"})
    await canaries.start(Gateway(one), "support=support-next:30%", "anna", "")
    await until(lambda: knows(two, live.assistant_id))  # a replica hears of it within server.lookups.TTL_S
    threads = [(await one.threads.create())["thread_id"] for _ in range(30)]

    async def arms(client: LangGraphClient) -> list[str]:
        rows = await asyncio.gather(*(run(client, live.assistant_id, thread) for thread in threads))
        return [row["metadata"]["canary"]["arm"] for row in rows]

    inside = [bucket(live.assistant_id, other.assistant_id, thread) < 0.3 for thread in threads]
    expected = ["canary" if each else "live" for each in inside]
    assert await arms(one) == expected
    assert await arms(two) == expected


async def knows(client: LangGraphClient, assistant_id: str) -> bool:
    return (await run(client, assistant_id))["metadata"]["canary"] is not None


async def test_of_many_promotes_over_two_replicas_one_wins(replicas: list[LangGraphClient]) -> None:
    gateways = [Gateway(client) for client in replicas]
    live = await made(gateways[0], "support")
    await made(gateways[0], "support-next", context={"tone": "brief"})
    proposal = await propose_promote(gateways[0], None, "support", "support-next")
    outcomes = await asyncio.gather(
        *(carry_out(gateways[n % 2], proposal, str(n), "") for n in range(10)), return_exceptions=True
    )
    assert sorted(type(each).__name__ for each in outcomes) == ["Conflict"] * 9 + ["Written"]
    assert len(await gateways[1].versions(live.assistant_id)) == 2
    (winner,) = [each for each in outcomes if isinstance(each, Written)]
    assert await gateways[1].assistant(live.assistant_id) == winner.after
    assert all("version 1" in str(each) for each in outcomes if isinstance(each, Conflict))
