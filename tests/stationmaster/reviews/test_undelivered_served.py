"""A deploy takes from under answered questions what their threads need: a graph leaves langgraph.json, a state's schema
or a node's name changes, an assistant is deleted. Every answer is kept, says why, and arrives once after the mend."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stationmaster.reviews.agent_server import connect
from stationmaster.reviews.database import Pool
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.errors import AgentServerUnavailable
from stationmaster.reviews.model import Review, Submission
from stationmaster.reviews.redirecting import send_with
from stationmaster.reviews.settling import settle
from tests.fakes.community_server import CommunityServer
from tests.stationmaster.reviews.engine import Asking, OneGroup, answer, person, work

RELEASES = "tests.fakes.graphs.releases"
LEA = person("lea", "lead")
PAUSED = {"gone": "old", "changed": "old", "renamed": "old", "stops": "stops", "copy": "old"}
DEPLOYED = {"changed": "model_with_risk", "renamed": "renamed", "copy": "old"}
WHY = {
    "gone": "the graph gone is gone",
    "changed": "validation error for ModelWithRisk",
    "renamed": "its graph asks nothing there any more",
    "stops": "the graph stops is gone",
    "mine": "the assistant mine is gone",
}


@dataclass
class Deployment:
    """A durable server whose langgraph.json is replaced while it is down."""

    server: CommunityServer

    def write(self, graphs: Mapping[str, str]) -> None:
        named = {name: f"{RELEASES}:{graph}" for name, graph in graphs.items()}
        self.server.config.parent.mkdir(exist_ok=True)
        self.server.config.write_text(
            json.dumps({"python_version": "3.11", "dependencies": ["."], "graphs": named})
        )

    async def deploy(self, graphs: Mapping[str, str]) -> None:
        await self.server.sigterm()
        self.write(graphs)
        await self.server.start()

    @asynccontextmanager
    async def threads(self, pool: Pool, by_name: Mapping[str, str]) -> AsyncIterator[dict[str, Asking]]:
        """What `Asking` knows of each thread, with a client of the server as it is now."""
        async with connect(self.server.url) as server:
            desk = Desk(pool, server, OneGroup(), "test")
            yield {name: Asking(desk, "", "", thread_id) for name, thread_id in by_name.items()}


@pytest.fixture
async def deployment(database: str, tmp_path: Path) -> AsyncIterator[Deployment]:
    config = tmp_path / "project" / "langgraph.json"
    made = Deployment(CommunityServer(tmp_path / "server", database=database, config=config))
    made.write(PAUSED)
    try:
        await made.server.start()
        yield made
    finally:
        made.server.kill_blocking()


async def answered(deployment: Deployment, pool: Pool) -> dict[str, str]:
    """A thread of each graph, and one of an assistant that is then deleted; answered, and nothing sent yet."""
    async with deployment.threads(pool, dict.fromkeys([*PAUSED, "mine"], "")) as threads:
        client = threads["mine"].desk.server.client
        mine = await client.assistants.create("copy", name="mine")
        for name, thread in threads.items():
            thread.thread_id = (await client.threads.create())["thread_id"]
            await thread.run(mine["assistant_id"] if name == "mine" else name, input={"notes": ["a"]})
            (review,) = await thread.opened()
            go_on = Submission("continue") if review.shape == "breakpoint" else answer({"action": "yes"})
            await thread.decide(review, go_on)
        await client.assistants.delete(mine["assistant_id"])
        return {name: thread.thread_id for name, thread in threads.items() if name != "copy"}


async def notes(thread: Asking) -> list[str]:
    state: Any = await thread.desk.server.client.threads.get_state(thread.thread_id)
    return state["values"]["notes"]


async def asked_next(thread: Asking) -> list[Review]:
    await thread.look()
    return await thread.reviews()


async def kept_back(thread: Asking, name: str) -> Review:
    (review,) = await thread.reviews()
    assert review.state == "decided" and review.decided_by == "ann", (name, review)
    assert review.delivery_error and WHY[name] in review.delivery_error, (name, review.delivery_error)
    return review


async def test_answers_outlive_a_deploy_that_breaks_their_threads(deployment: Deployment, pool: Pool) -> None:
    by_name = await answered(deployment, pool)
    await deployment.deploy(DEPLOYED)
    async with deployment.threads(pool, by_name) as threads:
        await work(threads["gone"].desk)
        broken = {name: await kept_back(thread, name) for name, thread in threads.items()}
        # One of them goes to another assistant; its graph takes the thread over.
        server = threads["gone"].desk.server
        # The graph's own has that name, too.
        made = await server.client.assistants.create("copy", name="copy")
        for name in ("mine", "gone"):
            sent = await send_with(pool, server, broken[name].id, LEA, "copy")
            assert sent.send_with == made["assistant_id"]
            await threads[name].settle("open")
            first, second = await asked_next(threads[name])
            assert (first.state, second.title) == ("finished", "Is it really?")
    await deployment.deploy(PAUSED)
    async with deployment.threads(pool, by_name) as threads:
        for name in ("changed", "renamed", "stops"):
            await settle(pool, broken[name].id, LEA, "retry", "rolled back")
        for name in ("changed", "renamed"):
            await threads[name].settle("open")
            first, second = await asked_next(threads[name])
            assert (first.state, second.title, first.returned) == ("finished", "Is it really?", False)
            assert await notes(threads[name]) == ["a", "begun"]
            await threads[name].decide(second, answer({"action": "no"}))
            await threads[name].settle()
            assert await notes(threads[name]) == ["a", "begun", "yes", "no", "ended"]
        (stop,) = await threads["stops"].settle()
        assert stop.state == "finished" and await notes(threads["stops"]) == ["a", "begun", "ended"]


async def test_a_server_that_fails_at_the_resume_gets_the_answer_once(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It answered 500 to each of the first tries, and had started the run at the second of them."""
    await asking.ask("plain", question="q")
    (review,) = await asking.opened()
    await asking.decide(review, answer("ours"))
    tries = await failing_resumes(asking, monkeypatch, started_at=2)
    for _ in range(3):
        async with asking.desk.pool.connection() as conn:
            await conn.execute("update reviews.reviews set next_look_at = now(), worked_until = null")
        await work(asking.desk)
    (after,) = await asking.settle()
    assert after.state == "finished" and after.delivery_error is None
    assert asking.done() == [("answered", "ours")] and tries == [1, 2]


async def failing_resumes(asking: Asking, monkeypatch: pytest.MonkeyPatch, started_at: int) -> list[int]:
    """From now on the server's first answers to a resume are lost; the numbers of the tries."""
    real, tries = asking.desk.server.resume, list[int]()

    async def resume(*args: Any, **options: Any) -> str:
        tries.append(len(tries) + 1)
        if len(tries) == started_at:
            await real(*args, **options)
        raise AgentServerUnavailable("the Agent Server answered 500: see its log")

    monkeypatch.setattr(asking.desk.server, "resume", resume)
    return tries
