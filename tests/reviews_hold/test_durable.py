"""Items 2, 6, 8 and 12 on the durable runtime: server and console end by `kill -9`, and neither forgot anything.

One server for all of them, killed and started again on its port and database; each test has its own console.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Literal

import pytest

from tests.conftest import clone
from tests.fakes.agent_server import free_port
from tests.fakes.between import between
from tests.fakes.community_server import CommunityServer
from tests.fakes.graphs.script import scripted
from tests.reviews_hold.crowd import Crowd
from tests.reviews_hold.test_after_a_kill import PLACES, answer_all, place
from tests.reviews_hold.world import World, asking_server, console_for, token_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]  # kills and starts servers and consoles


@pytest.fixture(scope="module")
def durable_port() -> int:
    """Where the webhooks go: to the console of the test that runs."""
    return free_port()


@pytest.fixture(scope="module")
def durable_server(
    server: str, migrated_template: str, durable_port: int, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CommunityServer]:
    """The graphs that ask on our runtime, not started; what they did is noted beside what it keeps."""
    directory = tmp_path_factory.mktemp("durable")
    for database in clone(server, migrated_template, "hold_durable"):
        stock = asking_server(directory, database, f"http://127.0.0.1:{durable_port}/webhooks/langgraph")
        served = CommunityServer(directory, database=database, env=stock.env, config=stock.config)
        yield served
        served.kill_blocking()


@pytest.fixture
async def durable(
    durable_server: CommunityServer, durable_port: int, database: str, tmp_path: Path
) -> AsyncIterator[World]:
    """The server at work, whatever the test before left of it, and a console that is not started."""
    console = console_for(durable_server.url, database, tmp_path / "console", port=durable_port)
    if durable_server.process is None or durable_server.process.poll() is not None:
        await durable_server.start()
    yield World(durable_server, [console], durable_server.database)
    console.kill()


async def start(world: World) -> None:
    """Both at once: neither may need the other in order to come up."""
    await asyncio.gather(world.server.start(), asyncio.to_thread(world.console.start))


async def kill(world: World) -> None:
    """The console first: what it had in hand it may not finish."""
    await asyncio.to_thread(world.console.kill)
    await world.server.sigkill()


async def test_a_stale_card_touches_no_new_question_after_a_kill(durable: World) -> None:
    """Item 2: killed as soon as the second question shows; the first one's card, and its very request, come later."""
    world = durable
    await asyncio.to_thread(world.console.start)
    ann, ben = await world.token("ann"), await world.token("ben")
    thread = await world.ask("twice", question="First?", then="Second?")
    first = await world.console.review(thread)
    assert (await world.decide(first["id"], "one", ann, idempotency_key="the-first")).status_code == 200
    second = await world.console.review(thread, besides={first["id"]})
    await world.server.sigkill()
    assert (await world.decide(first["id"], "while it is away", ben)).status_code == 409
    await world.server.start()
    for _ in range(2):
        stale = await world.decide(first["id"], "again", ann)
        assert (stale.status_code, stale.json()["by"]) == (409, "ann")
        assert (await world.decide(first["id"], "again", ben)).status_code == 409
        replayed = await world.decide(first["id"], "one", ann, idempotency_key="the-first")
        assert (replayed.status_code, replayed.json()["answer"]) == (200, "one")
        now = await world.console.review(thread, besides={first["id"]})
        assert (now["id"], now["state"], now["payload"]) == (second["id"], "open", "Second?")
        assert world.done() == []
        await kill(world)
        await start(world)
    assert (await world.decide(second["id"], "two", ann)).status_code == 200
    await world.console.reaches(second["id"], "finished")
    assert world.done() == [("answered", ["one", "two"])]
    async with world.server.sdk() as client:
        assert len(await client.runs.list(thread)) == 3  # the one that asked, and one resume an answer


async def test_every_place_before_and_after_kills(durable: World) -> None:
    """Item 6: the console is killed, the server, then both; what was open stays one review, with the right resume."""
    world = durable
    await asyncio.to_thread(world.console.start)
    turns = [[await place(world, graph, turn) for graph in PLACES] for turn in range(4)]
    await answer_all(world, turns[0])
    await asyncio.to_thread(world.console.kill)
    await asyncio.to_thread(world.console.start)
    await answer_all(world, turns[1])
    await world.server.sigkill()
    await world.server.start()
    await answer_all(world, turns[2])
    await kill(world)
    await start(world)
    await answer_all(world, turns[3])
    closed = (await world.console.get("/reviews", tab="closed", limit=200))["reviews"]
    assert sorted(review["id"] for review in closed) == sorted(each[0] for turn in turns for each in turn)


async def test_both_killed_when_it_was_decided(durable: World) -> None:
    """Item 8: kept, and not sent yet."""
    world = durable
    await asyncio.to_thread(world.console.start)
    review = await world.console.review(await world.ask("plain", question="Before it leaves?"))
    assert (await world.decide(review["id"], "yes", undo_s=2)).json()["state"] == "decided"
    await kill(world)
    assert world.done() == []
    await start(world)
    await world.console.reaches(review["id"], "finished")
    assert world.done() == [("answered", "yes")]


@pytest.mark.parametrize("mode", ["hold", "keep"])
async def test_both_killed_when_it_was_sent(durable: World, mode: Literal["hold", "keep"]) -> None:
    """Item 8: the request never arrived; or it did, nobody heard the reply, and its run died at work.

    A node that dies between its effect and its checkpoint runs again: the effect is single by its key.
    """
    world = durable
    async with between(world.server.url) as line:
        world.console.api_url = line.url
        await asyncio.to_thread(world.console.start)
        thread = await world.ask("tool_tasks", **scripted(("refund", {"key": world.key, "amount_usd": 9.0})))
        review = await world.console.review(thread)
        line.mode = mode
        assert (await world.decide(review["id"], {"ok": True})).status_code == 200
        async with asyncio.timeout(30):
            await line.held.wait()
        await kill(world)
        line.let_go()
        await start(world)
        await world.console.reaches(review["id"], "finished")
    effects = world.done()
    assert [effect for effect in effects if effect[0] == "refund"] == [("refund", 9.0)]
    assert 1 <= effects.count(("attempt", None)) <= (1 if mode == "hold" else 2)
    async with world.server.sdk() as client:
        assert len(await client.runs.list(thread)) == 2  # the one that asked, and one resume


async def test_many_answers_take_effect_once(durable: World) -> None:
    """Item 12, at a fifth of its size: the console is killed three times, the server with it the second time."""
    world = durable
    await asyncio.to_thread(world.console.start)
    crowd = Crowd(world, await token_of(world.console.database, "crowd"), 240)
    kills = 0

    async def kill_and_start() -> None:
        nonlocal kills
        kills += 1
        if kills == 2:
            await kill(world)
            await start(world)
        else:
            await asyncio.to_thread(world.console.kill)
            await asyncio.to_thread(world.console.start)

    await crowd.ask_all()
    await crowd.answer_while(crowd.killing(3, kill_and_start))
    await crowd.require_each_once()
