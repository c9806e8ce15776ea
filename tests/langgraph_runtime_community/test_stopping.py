"""A process that was asked to stop cuts off its clients; that is not the clients' doing."""

import asyncio
import signal
from uuid import UUID, uuid4

import pytest

from langgraph_runtime_community.ops import cancelling
from langgraph_runtime_community.ops.run_stream import Stream
from langgraph_runtime_community.stopping import STOP
from langgraph_runtime_community.streams.hub import HUB
from tests.langgraph_runtime_community.world import World


async def at_work(world: World) -> tuple[UUID, UUID]:
    """The ids of a run and its thread."""
    thread, run = uuid4(), uuid4()
    world.change("INSERT INTO server.threads (thread_id, status) VALUES (%s, 'busy')", thread)
    world.change(
        "INSERT INTO server.runs (run_id, thread_id, assistant_id, status, kwargs, multitask_strategy, created_at,"
        " due_at, epoch, worker_id)"
        " VALUES (%s, %s, %s, 'running', '{}', 'enqueue', now(), now(), 1, gen_random_uuid())",
        run, thread, thread,
    )  # fmt: skip
    HUB.begins(run, thread, resumable=False)
    return thread, run


async def cut_off(thread: UUID, run: UUID) -> None:
    """A client of the run whose request is cancelled, as uvicorn does it for either reason."""
    channel = await Stream.subscribe(run)
    frames = Stream.join(run, stream_channel=channel, thread_id=thread, cancel_on_disconnect=True)
    waiting = asyncio.ensure_future(anext(frames))
    await asyncio.wait([waiting], timeout=0.2)
    waiting.cancel()
    await asyncio.wait([waiting])
    HUB.leaves(run, over=True)


@pytest.mark.parametrize("stops", [False, True])
async def test_a_run_ends_with_its_client_but_not_with_its_server(runtime: str, stops: bool) -> None:
    world = World(runtime)
    thread, run = await at_work(world)
    before = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    undo = STOP.watch()
    try:
        if stops:
            signal.raise_signal(signal.SIGTERM)
        await cut_off(thread, run)
        if stops:
            with pytest.raises(AssertionError):
                await world.until(lambda: world.run(str(run))["cancel"], "the run is cancelled", 0.3)
        else:
            await world.until(lambda: world.run(str(run))["cancel"] == "interrupt", "the run is cancelled", 5)
    finally:
        undo()
        STOP.watch()()
        signal.signal(signal.SIGTERM, before)
    assert await cancelling.cancel_all([run], "interrupt", None) == 1
