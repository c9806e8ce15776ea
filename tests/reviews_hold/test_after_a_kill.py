"""Whatever ends on the way, the question is found once and its answer takes effect once."""

import asyncio
from typing import Any, Literal

import httpx
import pytest

from tests.fakes.agent_server import AgentServer
from tests.fakes.between import between
from tests.fakes.console import ConsoleProcess
from tests.fakes.graphs.script import scripted
from tests.reviews_hold.world import SECRET, World, eventually

pytestmark = pytest.mark.slow  # stops, kills and starts servers and consoles

# Where a question can stand: graph -> (what to ask with, the answer, what the graph then did).
PLACES: dict[str, tuple[Any, dict[str, Any], list[Any]]] = {
    "plain": ({"question": "Top level?"}, {"decision": "answer", "answer": 1}, [("answered", 1)]),
    "nested": ({"question": "In a subgraph?"}, {"decision": "answer", "answer": 2}, [("answered", 2)]),
    "tool_tasks": (
        None,
        {"decision": "answer", "answer": {"ok": True}},
        [("attempt", None), ("refund", 9.0)],
    ),
    "before": ({"text": "hello"}, {"decision": "continue"}, [("sent", "draft: hello")]),
}


async def place(world: World, graph: str, turn: int) -> tuple[str, dict[str, Any], str, list[Any]]:
    """A review of a question there: its id, the body of an answer, its ledger key, what the graph must then do."""
    values, answer, effects = PLACES[graph]
    key = f"{world.key}-{graph}-{turn}"
    asked = values or scripted(("refund", {"key": key, "amount_usd": 9.0}))
    thread = await world.ask(graph, **{**asked, "key": key})
    review = await world.console.review(thread)
    return review["id"], answer, key, effects


async def answer_all(world: World, places: list[Any]) -> None:
    async with world.console.client() as http:
        for review_id, answer, _, _ in places:
            response = await http.post(f"/reviews/{review_id}/decide", json={**answer, "undo_s": 0})
            assert response.status_code == 200, response.text
    for review_id, _, key, effects in places:
        await world.console.reaches(review_id, "finished")
        assert world.done(key) == effects


async def test_every_place_before_and_after_restarts(own_world: World) -> None:
    """Item 6: both are stopped and started; what was open stays one review, and is answered with the right resume."""
    world = own_world
    await asyncio.gather(world.server.start(), asyncio.to_thread(world.console.start))
    first, second, third = [[await place(world, graph, turn) for graph in PLACES] for turn in range(3)]
    await answer_all(world, first)
    await asyncio.to_thread(world.console.kill)
    await asyncio.to_thread(world.console.start)
    await answer_all(world, second)
    await world.server.sigterm()
    await world.server.start()
    await answer_all(world, third)
    reviews = [place for places in (first, second, third) for place in places]
    closed = (await world.console.get("/reviews", tab="closed", limit=200))["reviews"]
    assert sorted(review["id"] for review in closed) == sorted(place[0] for place in reviews)


async def test_a_pause_that_no_webhook_told_and_one_told_fifty_times(own_world: World) -> None:
    """Item 7: the receiver is away, the server is stopped while it tries again; and a delivery that repeats itself."""
    world = own_world
    await world.server.start()
    thread = await world.ask("plain", question="Anybody there?")
    await eventually(lambda: "webhook" in world.server.log.lower(), "tried the webhook")
    await world.server.sigterm()
    await world.server.start()
    await asyncio.to_thread(world.console.start)
    review = await world.console.review(thread)
    assert (await world.console.get("/operations/deliveries"))["deliveries"] == []
    assert (await world.console.get("/operations/drift"))["counters"]["missed"]["n"] == 1
    body = {"thread_id": thread, "run_id": review["run_id"], "status": "success"}
    async with httpx.AsyncClient(trust_env=False, timeout=30) as http:
        url, headers = f"{world.console.url}/webhooks/langgraph", {"authorization": f"Bearer {SECRET}"}
        sent = await asyncio.gather(*(http.post(url, json=body, headers=headers) for _ in range(50)))
    assert {response.status_code for response in sent} == {204}

    async def worked_on() -> bool:
        return (await world.console.get("/operations/deliveries"))["counts"] == {"done": 1}

    await eventually(worked_on, "worked on the delivery")
    reviews = [(await world.console.get("/reviews", tab=tab))["reviews"] for tab in ("needs_you", "closed")]
    assert [[each["id"] for each in found] for found in reviews] == [[review["id"]], []]


async def test_killed_when_it_was_decided(
    shared_server: AgentServer, own_console: ConsoleProcess, effects: str
) -> None:
    """Item 8: kept, and not sent yet."""
    own = World(shared_server, [own_console], effects)
    await asyncio.to_thread(own_console.start)
    review = await own_console.review(await own.ask("plain", question="Before it leaves?"))
    assert (await own.decide(review["id"], "yes", undo_s=2)).json()["state"] == "decided"
    await asyncio.to_thread(own_console.kill)
    assert own.done() == []
    await asyncio.to_thread(own_console.start)
    await own_console.reaches(review["id"], "finished")
    assert own.done() == [("answered", "yes")]


@pytest.mark.parametrize("mode", ["hold", "keep"])
async def test_killed_when_it_was_sent(
    shared_server: AgentServer, own_console: ConsoleProcess, effects: str, mode: Literal["hold", "keep"]
) -> None:
    """Item 8: the request was under way, and never arrived; or arrived, and the reply was never heard."""
    own = World(shared_server, [own_console], effects)
    async with between(shared_server.url) as line:
        own_console.api_url = line.url
        await asyncio.to_thread(own_console.start)
        review = await own_console.review(await own.ask("plain", question="On its way?"))
        line.mode = mode
        await own.decide(review["id"], "yes")
        async with asyncio.timeout(30):
            await line.held.wait()
        assert (await own_console.get(f"/reviews/{review['id']}"))["state"] == "sent"
        await asyncio.to_thread(own_console.kill)
        line.let_go()
        await asyncio.to_thread(own_console.start)
        await own_console.reaches(review["id"], "finished")
    assert own.done() == [("answered", "yes")]
