"""A run is started once, whatever becomes of the answer."""

import asyncio
import json
from typing import Any

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

    with pytest.raises(NotTaken, match="It may still come: start it again with key=") as lost:
        await all_of(stream(far, talk.thread_id, GRAPH, input=talk.input(TEXT), limits=QUICK, tell=heard))
    assert await talk.client.runs.list(talk.thread_id) == []
    asked = {"key": lost.value.key, "input": talk.input(TEXT)}
    parts = await all_of(stream(talk.client, talk.thread_id, GRAPH, **asked))
    again = await all_of(stream(talk.client, talk.thread_id, GRAPH, **asked))
    assert nodes(parts) == nodes(again) == PATH
    assert len(await talk.client.runs.list(talk.thread_id)) == 1


class Impatient:
    """A proxy that gives up on each POST, by a 5xx or by hanging up, while the server behind it makes the run later."""

    def __init__(self, answer: bytes = b"", late_s: float = 0.4) -> None:
        self.answer, self.late_s = answer, late_s
        self.runs: list[dict[str, Any]] = []
        self._making: set[asyncio.Task[None]] = set()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = next((line for line in head.splitlines() if line.startswith("content-length:")), ":0")
        body = await reader.readexactly(int(length.split(":")[1]))
        if head.startswith("post"):
            self._making.add(asyncio.create_task(self._make(json.loads(body))))
            writer.write(self.answer)
        else:
            said = json.dumps(self.runs).encode()
            writer.write(answered(b"200 OK", said))
        await writer.drain()
        writer.close()

    async def _make(self, asked: dict[str, Any]) -> None:
        await asyncio.sleep(self.late_s)
        self.runs.append({"run_id": f"run-{len(self.runs)}", "metadata": asked["metadata"]})


def answered(status: bytes, body: bytes) -> bytes:
    return b"HTTP/1.1 %s\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s" % (status, len(body), body)


BAD_GATEWAY, TIMED_OUT = answered(b"502 Bad Gateway", b"<html>"), answered(b"504 Gateway Time-out", b"")


@pytest.mark.parametrize("answer", [b"", BAD_GATEWAY, TIMED_OUT], ids=["hung up", "502", "504"])
async def test_a_run_that_comes_after_the_answer_was_lost_is_the_one(answer: bytes) -> None:
    proxy = Impatient(answer)
    server = await asyncio.start_server(proxy.connected, "127.0.0.1", 0)
    async with server, get_client(url=url_of(server), api_key=None) as client:
        limits = Limits(late_s=10.0, pause_s=0.2)
        started = await start(client, "t", "a", input={}, limits=limits)
        assert [run["run_id"] for run in proxy.runs] == [started.run_id]


async def test_a_run_that_comes_later_still_is_found_by_its_key() -> None:
    proxy = Impatient(BAD_GATEWAY, late_s=1.0)
    server = await asyncio.start_server(proxy.connected, "127.0.0.1", 0)
    async with server, get_client(url=url_of(server), api_key=None) as client:
        with pytest.raises(NotTaken, match=r"502.*may still come") as lost:
            await start(client, "t", "a", input={}, limits=Limits(late_s=0.2))
        while not proxy.runs:  # noqa: ASYNC110
            await asyncio.sleep(0.05)  # between two looks at what is waited for
        assert (await start(client, "t", "a", input={}, key=lost.value.key)).run_id == "run-0"
        assert len(proxy.runs) == 1


def url_of(server: asyncio.Server) -> str:
    return "http://{}:{}".format(*server.sockets[0].getsockname())


async def test_a_server_that_stays_away_was_sent_nothing(talk: Conversation) -> None:
    async with get_client(url="http://127.0.0.1:9", api_key=None) as nowhere:
        limits = Limits(away_s=0.3, answer_s=0.3, pause_s=0.05)
        with pytest.raises(ServerAway, match="nothing was started; try again"):
            await start(nowhere, talk.thread_id, GRAPH, input=talk.input(TEXT), limits=limits)
        with pytest.raises(ServerAway, match="nothing more was started; try again"):
            await start(nowhere, talk.thread_id, GRAPH, key="k", input=talk.input(TEXT), limits=limits)
