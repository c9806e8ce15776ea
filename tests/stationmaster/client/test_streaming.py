"""Streams over a line that is cut: nothing is missing, nothing comes twice, and failures are told."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError
from langgraph_sdk.schema import StreamPart

from stationmaster.client import Limits, RunGone, ServerAway, Started, follow, start, stream
from tests.agents.support.client import GRAPH, Conversation, wants_refund
from tests.fakes.line import Line
from tests.fakes.shop import lock_waiters, locked

TEXT = "I want to talk to a person."
PATH = ["intake", "classify", "assess", "draft_reply", "hand_over", "send"]
QUICK = Limits(away_s=1.0, silent_s=6.0, answer_s=1.0, pause_s=0.1, late_s=0.5)


async def all_of(parts: AsyncIterator[StreamPart]) -> list[StreamPart]:
    return [part async for part in parts]


async def played_back(client: LangGraphClient, thread_id: str) -> list[StreamPart]:
    """What the server kept of the thread's newest run, over a line that is whole."""
    (run, *_) = await client.runs.list(thread_id)
    return await all_of(client.runs.join_stream(thread_id, run["run_id"], last_event_id="-1"))


class Told:
    """What a stream tells of its connection."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._more = asyncio.Event()

    def heard(self, line: str) -> None:
        self.lines.append(line)
        self._more.set()

    async def wait_for(self, start: str) -> None:
        """Until a line was told that starts so."""
        while not any(line.startswith(start) for line in self.lines):
            self._more.clear()
            await self._more.wait()


def nodes(parts: list[StreamPart]) -> list[str]:
    return [node for part in parts if part.event == "updates" for node in part.data]


async def test_a_stream_that_is_not_cut(talk: Conversation) -> None:
    parts = await all_of(stream(talk.client, talk.thread_id, GRAPH, input=talk.input(TEXT)))
    assert parts == await played_back(talk.client, talk.thread_id)
    assert nodes(parts) == PATH
    assert {part.event for part in parts} == {"metadata", "messages", "updates", "custom"}


async def test_why_the_last_id_is_not_asked_from(talk: Conversation) -> None:
    """Two events of one millisecond share an id; the server, asked for what came after it, leaves the second out."""
    kept: list[StreamPart] = []
    while not (shared := [n for n, (part, after) in enumerate(pairwise(kept)) if part.id == after.id]):
        talk = await Conversation.open(talk.client, f"{talk.ticket_id}-again")  # a slow run may have no two
        await all_of(stream(talk.client, talk.thread_id, GRAPH, input=talk.input(TEXT)))
        kept = await played_back(talk.client, talk.thread_id)
    (run, *_) = await talk.client.runs.list(talk.thread_id)
    rest = talk.client.runs.join_stream(talk.thread_id, run["run_id"], last_event_id=kept[shared[0]].id)
    assert kept[shared[0] + 1] not in await all_of(rest)


TORN = [[0, *range(3_000, 9_000, 700)], [300, *range(4_000, 9_000, 900)], [1_700, 5_000], [4_000] * 8]
ENDED = [[0, 12_000, 15_000], [900, *[13_000] * 5]]


@pytest.mark.parametrize(("politely", "lines"), [(False, TORN), (True, ENDED)], ids=["torn", "politely"])
async def test_no_gap_and_no_duplicate_wherever_it_is_cut(
    talk: Conversation, far: LangGraphClient, cable: Line, politely: bool, lines: list[list[int]]
) -> None:
    """Ids that several events share are in there: without them the test would prove less."""
    cable.politely = politely
    told: list[str] = []
    for number, cuts in enumerate(lines):
        talk = await Conversation.open(talk.client, f"{talk.ticket_id}-{number}")
        cable.cuts.extend(cuts)
        parts = await all_of(
            stream(far, talk.thread_id, GRAPH, input=talk.input(TEXT), limits=QUICK, tell=told.append)
        )
        kept = await played_back(talk.client, talk.thread_id)
        assert parts == kept
        assert len({part.id for part in kept}) < len(kept)
        cable.cuts.clear()
    assert cable.cut_off > 2 * len(lines)
    assert politely or any("connection lost" in line for line in told)


async def test_cut_while_the_run_is_at_work(
    talk: Conversation, far: LangGraphClient, cable: Line, served_shop: str
) -> None:
    """What comes after the cut comes live."""
    connected = Told()
    parts = list[StreamPart]()
    with locked(served_shop, "lock table shop.mails in exclusive mode"):
        arriving = stream(
            far, talk.thread_id, GRAPH, input=talk.input(TEXT), limits=QUICK, tell=connected.heard
        )
        async for part in arriving:
            parts.append(part)
            if part.event == "updates" and "draft_reply" in part.data:
                break
        await lock_waiters(served_shop, like="%shop.mails%")
        cable.cut_all()
        rest = asyncio.create_task(all_of(arriving))
        await connected.wait_for("connected again")
    parts += await rest
    assert parts == await played_back(talk.client, talk.thread_id)
    assert nodes(parts) == PATH


async def test_a_run_that_another_process_started_is_followed_from_its_first_event(
    talk: Conversation, far: LangGraphClient, cable: Line
) -> None:
    modes = ["updates", "messages-tuple"]
    run = await start(talk.client, talk.thread_id, GRAPH, input=talk.input(TEXT), stream_mode=modes)
    cable.cuts.extend([2_000, 4_000])
    parts = await all_of(follow(far, run, limits=QUICK))
    assert parts == await played_back(talk.client, talk.thread_id)
    assert await all_of(follow(far, run, limits=QUICK)) == parts


async def test_a_stream_that_the_server_does_not_keep_says_that_it_has_a_gap(talk: Conversation) -> None:
    run = await start(talk.client, talk.thread_id, GRAPH, input=talk.input(TEXT), stream_resumable=False)
    await talk.join(run.run_id)
    (gap,) = await all_of(follow(talk.client, run))
    assert (gap.event, gap.data["run_id"]) == ("gap", run.run_id)


async def test_a_server_that_stays_away_is_given_up(
    talk: Conversation, far: LangGraphClient, cable: Line
) -> None:
    told: list[str] = []
    arriving = stream(
        far, talk.thread_id, GRAPH, input=talk.input(TEXT), limits=QUICK, tell=told.append
    ).__aiter__()
    assert (await arriving.__anext__()).event == "metadata"
    await cable.hang_up()
    began = time.monotonic()
    with pytest.raises(ServerAway, match=r"away for 1 s while run .* was streamed .*: the run goes on"):
        await all_of(arriving)
    assert time.monotonic() - began < 4
    assert told[0].startswith("connection lost")
    run = (await talk.client.runs.list(talk.thread_id))[0]
    await talk.join(run["run_id"])
    assert (await talk.state())["values"]["outcome"] == "human", "the run went on without us"


async def test_a_connection_that_falls_silent_is_noticed(
    talk: Conversation, far: LangGraphClient, cable: Line
) -> None:
    """Nothing breaks, and not even the server's heartbeat arrives any more."""
    told = Told()
    limits = Limits(away_s=20, silent_s=1, answer_s=1, pause_s=0.1)
    arriving = stream(
        far, talk.thread_id, GRAPH, input=talk.input(TEXT), limits=limits, tell=told.heard
    ).__aiter__()
    parts = [await arriving.__anext__()]
    cable.through.clear()
    rest = asyncio.create_task(all_of(arriving))
    await told.wait_for("connection lost")
    cable.through.set()
    parts += await rest
    assert parts == await played_back(talk.client, talk.thread_id)


async def test_a_run_that_fails_ends_its_stream_with_an_error(talk: Conversation) -> None:
    parts = await all_of(stream(talk.client, talk.thread_id, GRAPH, input=unusable(talk)))
    assert [part.event for part in parts] == ["metadata", "error"]
    assert parts[-1].data["error"] == "ValueError"


async def test_a_failure_that_fell_into_a_pause_is_told_all_the_same(
    talk: Conversation, far: LangGraphClient, cable: Line
) -> None:
    """The server does not keep its `error` event: asked again it shows a stream that just ends."""
    run = await start(talk.client, talk.thread_id, GRAPH, input=unusable(talk), stream_mode="updates")
    await talk.join(run.run_id)
    assert [part.event for part in await played_back(talk.client, talk.thread_id)] == ["metadata"]
    parts = await all_of(follow(far, run))
    assert [part.event for part in parts] == ["metadata", "error"]
    assert "ticket_id must be printable text" in parts[-1].data["message"]


def unusable(talk: Conversation) -> dict[str, Any]:
    return {**talk.input(TEXT), "ticket_id": "x" * 300}


async def test_a_run_that_is_cancelled_says_so(talk: Conversation, served_shop: str) -> None:
    with locked(served_shop, "lock table shop.mails in exclusive mode"):
        run = await start(talk.client, talk.thread_id, GRAPH, input=talk.input(TEXT))
        following = asyncio.create_task(all_of(follow(talk.client, run)))
        await lock_waiters(served_shop, like="%shop.mails%")
        await talk.client.runs.cancel(talk.thread_id, run.run_id, wait=True)
        parts = await following
    assert parts[-1].event == "error"
    assert [part.event for part in parts].count("error") == 1


async def test_a_run_that_is_not_there(talk: Conversation) -> None:
    run = Started(talk.thread_id, "01a22c47-ee1b-719c-8a95-eb85c10ed321")
    with pytest.raises(RunGone, match=f"no run {run.run_id}.*start it again"):
        await all_of(follow(talk.client, run))


async def test_what_the_server_refuses_is_raised_as_the_sdk_does(client: LangGraphClient) -> None:
    with pytest.raises(NotFoundError):
        await all_of(stream(client, "01a22c47-ee1b-719c-8a95-eb85c10ed321", GRAPH, input=None))


async def test_the_question_shows_in_the_stream(
    talk: Conversation, far: LangGraphClient, cable: Line, order_of: Callable[..., str]
) -> None:
    cable.cuts.extend([5_000, 5_000])
    parts = await all_of(
        stream(far, talk.thread_id, GRAPH, input=talk.input(wants_refund(talk.order_id)), limits=QUICK)
    )
    assert parts[-1].data == {"__interrupt__": [await talk.question()]}
