"""The server itself is stopped, killed and started again in the middle of a stream."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.client import Limits, RunGone, standing, stream
from tests.agents.support.client import GRAPH, Conversation
from tests.fakes.agent_server import AgentServer, agent_server
from tests.fakes.shop import Ledger, lock_waiters, locked
from tests.stationmaster.client.test_streaming import PATH, TEXT, Told, all_of, nodes

LIMITS = Limits(away_s=90, answer_s=2, pause_s=0.5)


@pytest.fixture
async def own(seeded_database: str, tmp_path: Path) -> AsyncIterator[AgentServer]:
    async with agent_server(tmp_path, env={"STATIONMASTER_DATABASE_URI": seeded_database}) as server:
        yield server


@pytest.fixture
async def own_client(own: AgentServer) -> AsyncIterator[LangGraphClient]:
    async with own.sdk() as client:
        yield client


@pytest.mark.slow
async def test_a_clean_stop_and_a_kill_in_the_middle_of_a_stream(
    own: AgentServer, own_client: LangGraphClient, seeded_database: str
) -> None:
    """A clean stop loses nothing but the stream, which is told as a gap. A kill loses what was not yet saved, the run
    among it: that is told too."""
    talk = await Conversation.open(own_client, "stopped")
    told = Told()
    arriving = stream(
        own_client, talk.thread_id, GRAPH, input=talk.input(TEXT), limits=LIMITS, tell=told.heard
    )
    with locked(seeded_database, "lock table shop.mails in exclusive mode"):
        following = asyncio.create_task(all_of(arriving))
        await lock_waiters(seeded_database, like="%shop.mails%")
        stopping = asyncio.create_task(own.sigterm())
        await told.wait_for("connection lost")
    await stopping
    await own.start()
    parts = await following
    assert nodes(parts)[:4] == PATH[:4]
    assert [part.event for part in parts].count("gap") == 1
    assert (await standing(own_client, talk.thread_id)).values["outcome"] == "human"
    assert Ledger(seeded_database).mail_kinds("stopped") == ["desk"]

    talk = await Conversation.open(own_client, "killed")
    arriving = stream(own_client, talk.thread_id, GRAPH, input=talk.input(TEXT), limits=LIMITS)
    with locked(seeded_database, "lock table shop.mails in exclusive mode"):
        following = asyncio.create_task(all_of(arriving))
        await lock_waiters(seeded_database, like="%shop.mails%")
        await own.sigkill()
        await own.start()
    with pytest.raises(RunGone, match="start it again if it did nothing"):
        await following
