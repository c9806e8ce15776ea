"""A thread that is not there: deleted, or behind a proxy, or on another server. Answers are not thrown away lightly."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.reviews.agent_server import AgentServer, ThreadMissing
from stationmaster.reviews.database import Pool
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.errors import AgentServerUnavailable
from stationmaster.reviews.model import Gone
from stationmaster.reviews.observe import observe
from stationmaster.reviews.vanishing import LATE_S, SEVERAL, SOON_S, Vanishing
from tests.stationmaster.reviews.engine import Asking, OneGroup, all_reviews, answer
from tests.stationmaster.reviews.rows import insert


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Front:
    """What answers at the server's URL: `there` are the threads it knows, `reply` is what it says of others."""

    there: set[str] = field(default_factory=set)
    reply: Any = field(default_factory=lambda: httpx.Response(404, json={"detail": "Not Found"}))

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/info":
            return self.reply
        _, _, thread_id, *rest = request.url.path.split("/")
        if thread_id not in self.there:
            return self.reply
        body: Any = {"runs": [], "state": {"values": {}, "next": [], "tasks": []}}
        return httpx.Response(200, json=body[rest[0]] if rest else {"thread_id": thread_id, "status": "idle"})


@asynccontextmanager
async def served(pool: Pool, front: Front, clock: Clock) -> AsyncIterator[Desk]:
    async with httpx.AsyncClient(transport=httpx.MockTransport(front), base_url="http://x") as http:
        server = AgentServer(LangGraphClient(http), "http://x", vanishing=Vanishing(clock))
        yield Desk(pool, server, OneGroup(), "test")


async def threads(pool: Pool, number: int) -> list[str]:
    """With an open review each."""
    async with pool.connection() as conn:
        return [(await insert(conn)).thread_id for _ in range(number)]


async def state(pool: Pool, thread_id: str) -> str:
    (review,) = await all_reviews(pool, thread_id)
    return review.state


@pytest.mark.parametrize(
    "reply",
    [
        httpx.Response(404, text="<html>default backend - 404</html>"),
        httpx.Response(404),
        httpx.Response(404, json={"message": "no route"}),
        httpx.Response(404, json=["detail"]),
    ],
)
async def test_a_404_of_something_else_is_a_server_that_is_away(pool: Pool, reply: httpx.Response) -> None:
    (thread,) = await threads(pool, 1)
    clock = Clock()
    async with served(pool, Front(reply=reply), clock) as desk:
        for clock.now in (0.0, SOON_S, LATE_S * 2):
            with pytest.raises(AgentServerUnavailable, match="not the Agent Server's own"):
                await observe(desk, thread, "sweep")
    assert await state(pool, thread) == "open"


async def test_one_alone_is_deleted_when_it_stays_away(pool: Pool) -> None:
    (thread,) = await threads(pool, 1)
    clock = Clock()
    async with served(pool, Front(), clock) as desk:
        for clock.now in (0.0, SOON_S - 1):
            with pytest.raises(ThreadMissing):
                await observe(desk, thread, "sweep")
        clock.now = SOON_S
        assert isinstance((await observe(desk, thread, "sweep")).seen, Gone)
    assert await state(pool, thread) == "withdrawn"


async def test_one_beside_others_that_are_still_there_is_deleted_at_once(pool: Pool) -> None:
    first, second = await threads(pool, 2)
    front = Front({first, second})
    async with served(pool, front, Clock()) as desk:
        for thread in (first, second):
            await desk.server.read(thread)
        front.there.remove(first)
        await observe(desk, first, "sweep")
    assert await state(pool, first) == "withdrawn"


async def test_several_at_once_are_a_server_that_knows_nothing(pool: Pool) -> None:
    """A console pointed at an empty server: nothing is withdrawn, until an hour later nobody has mended it."""
    ids = await threads(pool, SEVERAL + 1)
    front, clock = Front(set(ids)), Clock()
    async with served(pool, front, clock) as desk:
        for thread in ids:
            await desk.server.read(thread)
        front.there.clear()
        for clock.now in (0.0, SOON_S * 2, LATE_S - 1):
            for thread in ids:
                with pytest.raises(ThreadMissing):
                    await observe(desk, thread, "sweep")
        front.there.update(ids[:-1])
        for thread in ids[:-1]:
            await desk.server.read(thread)
        await observe(desk, ids[-1], "sweep")
    assert [await state(pool, thread) for thread in ids[-1:]] == ["withdrawn"]


async def test_nothing_known_needs_no_proof(pool: Pool) -> None:
    async with served(pool, Front(), Clock()) as desk:
        assert isinstance((await observe(desk, "t", "hook")).seen, Gone)


async def test_an_answer_survives_a_proxy_that_answers_for_its_server(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole of a delivery meets the proxy's 404; the answer goes out when the server is back."""
    await asking.ask("plain", question="q")
    (review,) = await asking.opened()
    await asking.decide(review, answer(1))
    front = Front(reply=httpx.Response(404, text="<html>404</html>"))
    real = asking.desk.server.client
    async with httpx.AsyncClient(transport=httpx.MockTransport(front), base_url="http://x") as http:
        monkeypatch.setattr(asking.desk.server, "client", LangGraphClient(http))
        for pause in ("UNCERTAIN_S", "FIRST_PAUSE_S"):
            monkeypatch.setattr(f"stationmaster.reviews.undelivered.{pause}", 0.0)
        await asking.settle("decided")
        assert (await asking.review()).answer == 1
    monkeypatch.setattr(asking.desk.server, "client", real)
    (done,) = await asking.settle()
    assert done.state == "finished" and asking.done() == [("answered", 1)]
