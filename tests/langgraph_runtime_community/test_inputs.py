"""Inputs that databases choke on: NUL, five megabytes, ten thousand messages; and what comes back is what was given."""

import asyncio
import os
from typing import Any

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from tests.fakes.community_server import CommunityServer
from tests.langgraph_runtime_community.test_hooks import Receiver
from tests.langgraph_runtime_community.world import World, key

NUL, SIGN = "a\x00b", "a\ufffdb"
STREAMS, MESSAGES = 200, 10_000
HELD = """SELECT count(*) AS n FROM pg_stat_activity
WHERE application_name = 'stationmaster server' AND state <> 'idle'"""


@pytest.fixture
def world(served_database: str) -> World:
    return World(served_database)


async def test_nul_bytes_that_a_client_sends_become_a_sign_and_break_nothing(
    client: LangGraphClient, world: World
) -> None:
    """JSON in Postgres has no NUL, and the server's own JSON writes U+FFFD for it. What a graph itself makes of NUL is
    kept (test_state_types)."""
    receiver = Receiver()
    async with receiver.listening():
        thread = (await client.threads.create())["thread_id"]
        body: Any = {"key": key(), "question": {"text": NUL, NUL: 1}}
        run = await client.runs.create(
            thread, "plain", input=body, webhook=receiver.url, stream_resumable=True, stream_mode="values"
        )
        assert await world.ended(run["run_id"]) == "success"
        (hook,) = await receiver.of(run["run_id"])
    assert hook["status"] == "success" and hook["thread_status"] == "interrupted"
    told = {"text": SIGN, SIGN: 1}
    state: Any = await client.threads.get_state(thread)
    assert state["values"]["question"] == state["interrupts"][0]["value"] == told
    parts = [part async for part in client.runs.join_stream(thread, run["run_id"], last_event_id="-")]
    assert any(SIGN in str(part.data) for part in parts)
    row: Any = await client.threads.get(thread)
    assert row["status"] == "interrupted" and row["values"]["question"] == told
    await client.runs.wait(thread, "plain", command={"resume": NUL})
    answered: Any = await client.threads.get_state(thread)
    assert answered["values"]["answer"] == SIGN


@pytest.mark.parametrize("where", ["metadata", "context", "configurable", "key", "name"])
async def test_nul_bytes_elsewhere_are_kept_or_refused_and_break_nothing(
    client: LangGraphClient, community: CommunityServer, world: World, where: str
) -> None:
    thread = (await client.threads.create())["thread_id"]
    body: dict[str, Any] = {"assistant_id": "talk", "input": {"messages": ["hi"]}}
    match where:
        case "metadata":
            body["metadata"] = {"why": NUL, NUL: 1}
        case "context":
            body["context"] = {"tone": NUL}
        case "configurable":
            body["config"] = {"configurable": {"tone": NUL}}
        case "key":
            body["config"] = {"configurable": {NUL: "x"}}
        case _:
            body["assistant_id"] = NUL
    async with httpx.AsyncClient(base_url=community.url, trust_env=False, timeout=30) as http:
        answer = await http.post(f"/threads/{thread}/runs/wait", json=body)
        assert answer.status_code in {200, 400, 404, 422}, answer.text
    again: Any = await client.runs.wait(thread, "talk", input={"messages": ["hi"]})
    assert again["messages"]
    assert not world.ask("SELECT 1 FROM server.threads WHERE thread_id = %s AND status = 'busy'", thread)


async def test_five_megabytes_go_in_out_and_on(client: LangGraphClient, world: World) -> None:
    text = "x" * 5_000_000
    thread = (await client.threads.create())["thread_id"]
    asked: Any = await client.runs.wait(thread, "plain", input={"key": key(), "question": text})
    assert asked["__interrupt__"][0]["value"] == text
    row: Any = await client.threads.get(thread)
    assert row["values"]["question"] == text
    await client.runs.wait(thread, "plain", command={"resume": text})
    state: Any = await client.threads.get_state(thread)
    assert state["values"]["answer"] == text
    copied = await client.threads.copy(thread)
    assert copied is not None
    await client.threads.delete(thread)
    left = "SELECT 1 FROM checkpoint_blobs WHERE thread_id = %s"
    assert not world.ask(left, thread)


async def test_a_thread_of_ten_thousand_messages_goes_on(client: LangGraphClient) -> None:
    thread = (await client.threads.create(graph_id="talk"))["thread_id"]
    said = [
        {"role": "user" if at % 2 else "assistant", "content": f"{at} said"} for at in range(MESSAGES - 1)
    ]
    await client.threads.update_state(thread, {"messages": said}, as_node="__start__")
    done: Any = await client.runs.wait(thread, "talk", input={"messages": ["the last"]})
    assert len(done["messages"]) == MESSAGES + 1 and done["messages"][-1]["content"] == "one two three four"
    state: Any = await client.threads.get_state(thread)
    assert len(state["values"]["messages"]) == MESSAGES + 1
    history = await client.threads.get_history(thread, limit=2)
    assert len(history) == 2
    found = await client.threads.search(ids=[thread])
    assert len(found[0]["values"]["messages"]) == MESSAGES + 1  # pyright: ignore[reportOptionalSubscript]


async def test_of_three_parallel_nodes_only_the_failed_one_runs_again(
    client: LangGraphClient, world: World
) -> None:
    thread, name = (await client.threads.create())["thread_id"], key()
    with pytest.raises(Exception, match="b fails"):
        await client.runs.wait(thread, "fan", input={"key": name, "fails": "b"})
    assert sorted(world.effects(name)) == ["a", "b", "c"]
    world.change("INSERT INTO ledger (key, effect, detail) VALUES (%s, 'mended', 'null')", name)
    await client.runs.wait(thread, "fan", input=None)
    assert sorted(world.effects(name)) == ["a", "b", "b", "c", "mended"]


async def test_two_hundred_idle_streams_hold_no_connection(
    client: LangGraphClient, community: CommunityServer, world: World
) -> None:
    """Each listens to a thread on which nothing happens. The pool has twenty connections."""
    threads = [(await client.threads.create())["thread_id"] for _ in range(STREAMS // 10)]
    told: list[str] = []

    async def listen(http: httpx.AsyncClient, thread: str, ready: asyncio.Event) -> None:
        async with http.stream(
            "GET", f"/threads/{thread}/stream", headers={"last-event-id": "-"}
        ) as response:
            ready.set()
            async for line in response.aiter_lines():
                if "run_done" in line:
                    told.append(thread)
                    return

    limits = httpx.Limits(max_connections=STREAMS)
    async with httpx.AsyncClient(base_url=community.url, trust_env=False, timeout=60, limits=limits) as http:
        ready = [asyncio.Event() for _ in range(STREAMS)]
        listening = [
            asyncio.create_task(listen(http, threads[at % len(threads)], ready[at])) for at in range(STREAMS)
        ]
        await asyncio.gather(*(each.wait() for each in ready))
        assert world.ask(HELD)[0]["n"] <= 2
        values: Any = await client.runs.wait(threads[0], "echo", input={"said": os.urandom(3).hex()})
        assert values is not None
        first = [task for at, task in enumerate(listening) if at % len(threads) == 0]
        await asyncio.wait(first, timeout=30)
        assert told == [threads[0]] * (STREAMS // len(threads))
        for task in listening:
            task.cancel()
        await asyncio.gather(*listening, return_exceptions=True)


async def test_what_an_operator_looks_at(
    client: LangGraphClient, community: CommunityServer, world: World
) -> None:
    """Readiness with the database by name, gauges of pool, workers and queue, and a log with run and thread."""
    thread = (await client.threads.create())["thread_id"]
    late = await client.runs.create(thread, "echo", input={"said": "x"}, after_seconds=3600)
    run = await client.runs.create(None, "fan", input={"key": key(), "fails": "a"})
    async with httpx.AsyncClient(base_url=community.url, trust_env=False, timeout=30) as http:
        assert (await http.get("/ok", params={"check_db": 1})).json()["ok"] is True

        async def gauge(name: str) -> float:
            lines = (await http.get("/metrics")).text.splitlines()
            return float(next(line.split()[1] for line in lines if line.startswith(f"stationmaster_{name} ")))

        assert await gauge("pool_size") >= 2 and await gauge("runs_active") >= 0
        async with asyncio.timeout(30):
            while not await gauge("queue_pending"):  # noqa: ASYNC110  it is looked at now and then
                await asyncio.sleep(0.5)
        assert await gauge("queue_longest_wait_seconds") >= 0
    await client.runs.delete(thread, late["run_id"])

    def lines() -> list[str]:
        return [line for line in community.log.splitlines() if run["run_id"] in line]

    await world.until(lines, "the log names the run")
    assert any(run["thread_id"] in line and "a fails" in line for line in lines())
