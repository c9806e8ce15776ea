"""A run is started once, whatever becomes of the answer."""

import asyncio

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from stationmaster.assistants import routes
from stationmaster.client import Limits, NotTaken, ServerAway, find_started, start, stream
from stationmaster.client.starting import CANARY_KEY
from tests.agents.support.client import GRAPH, Conversation
from tests.fakes.line import Line
from tests.stationmaster.client.test_streaming import PATH, QUICK, TEXT, all_of, nodes, played_back


async def test_the_same_key_is_the_same_run(talk: Conversation) -> None:
    first = await start(talk.client, talk.thread_id, GRAPH, key="row-7", input=talk.input(TEXT))
    again = await start(talk.client, talk.thread_id, GRAPH, key="row-7", input=talk.input(TEXT))
    assert first == again == await find_started(talk.client, talk.thread_id, "row-7")
    assert len(await talk.client.runs.list(talk.thread_id)) == 1
    await talk.join(first.run_id)


async def test_the_key_of_a_canary_stands_in_the_run(talk: Conversation) -> None:
    """Under the name that the server looks for."""
    assert CANARY_KEY == routes.KEY
    run = await start(
        talk.client,
        talk.thread_id,
        GRAPH,
        canary_key="tenant-4",
        metadata={"mine": 1},
        input=talk.input(TEXT),
    )
    await talk.join(run.run_id)
    await all_of(stream(talk.client, talk.thread_id, GRAPH, canary_key="tenant-5", input=talk.input(TEXT)))
    found = [run["metadata"] or {} for run in await talk.client.runs.list(talk.thread_id)]
    assert sorted(metadata["canary_key"] for metadata in found) == ["tenant-4", "tenant-5"]
    assert [metadata.get("mine") for metadata in found].count(1) == 1


async def test_an_answer_that_is_lost_leaves_one_run(
    talk: Conversation, far: LangGraphClient, cable: Line
) -> None:
    """The server has taken the message, and the connection breaks before it says so."""
    cable.cuts.append(0)
    parts = await all_of(stream(far, talk.thread_id, GRAPH, input=talk.input(TEXT), limits=QUICK))
    assert cable.cut_off == 1
    assert parts == await played_back(talk.client, talk.thread_id)
    assert len(await talk.client.runs.list(talk.thread_id)) == 1


async def test_a_server_that_comes_back_gets_what_it_never_saw(
    talk: Conversation, far: LangGraphClient, cable: Line
) -> None:
    await cable.hang_up()
    told: list[str] = []
    lost = asyncio.Event()
    limits = Limits(answer_s=0.5, pause_s=0.2)

    def tell(line: str) -> None:
        told.append(line)
        lost.set()

    arriving = stream(far, talk.thread_id, GRAPH, input=talk.input(TEXT), limits=limits, tell=tell)
    waiting = asyncio.create_task(all_of(arriving))
    await lost.wait()
    await cable.pick_up()
    assert nodes(await waiting) == PATH
    assert told[-1] == "connected again"


async def test_a_message_that_was_dropped_on_the_way_is_not_taken(
    talk: Conversation, far: LangGraphClient, cable: Line
) -> None:
    """The connection was made and broke, so that it might have arrived: the server is asked, and has nothing."""
    cable.deaf = True

    def heard(_line: str) -> None:
        cable.deaf = False

    with pytest.raises(NotTaken, match="the server has no such run: start it again"):
        await all_of(stream(far, talk.thread_id, GRAPH, input=talk.input(TEXT), limits=QUICK, tell=heard))
    assert await talk.client.runs.list(talk.thread_id) == []


async def test_a_server_that_stays_away_was_sent_nothing(talk: Conversation) -> None:
    async with get_client(url="http://127.0.0.1:9", api_key=None) as nowhere:
        limits = Limits(away_s=0.3, answer_s=0.3, pause_s=0.05)
        with pytest.raises(ServerAway, match="nothing was started; try again"):
            await start(nowhere, talk.thread_id, GRAPH, input=talk.input(TEXT), limits=limits)
