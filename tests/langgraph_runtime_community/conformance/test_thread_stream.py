"""Streams of a thread: the plain one, and the second protocol's commands and events."""

import asyncio
import json
from typing import Any
from uuid import uuid4

import httpx

from tests.langgraph_runtime_community.world import World


def key() -> str:
    return str(uuid4())


async def events(served: Any, thread: str, until: str) -> list[dict[str, Any]]:
    """What the second protocol tells of a thread, to the first event of a method."""
    found: list[dict[str, Any]] = []
    body = {"channels": ["values", "updates", "lifecycle", "input"]}
    async with (
        httpx.AsyncClient(base_url=served.url, trust_env=False, timeout=60) as http,
        http.stream("POST", f"/threads/{thread}/stream/events", json=body) as response,
    ):
        assert response.status_code == 200
        async for line in response.aiter_lines():
            if line.startswith("data:"):
                event = json.loads(line.removeprefix("data:"))
                found.append(event)
                if event.get("method") == until:
                    return found
    return found


async def command(served: Any, thread: str, method: str, **params: Any) -> dict[str, Any]:
    async with httpx.AsyncClient(base_url=served.url, trust_env=False, timeout=60) as http:
        body = {"id": 1, "method": method, "params": params}
        answer = (await http.post(f"/threads/{thread}/commands", json=body)).json()
    assert answer["type"] == "success", answer
    return answer["result"]


async def test_a_run_by_commands_asks_and_is_answered(served: Any, api: Any) -> None:
    thread = (await api.threads.create())["thread_id"]
    listening = asyncio.create_task(events(served, thread, "input.requested"))
    question = {"key": key(), "question": "really?"}
    started = await command(served, thread, "run.start", assistant_id="plain", input=question)
    assert started["run_id"]
    async with asyncio.timeout(40):
        told = await listening
    methods = [event["method"] for event in told]
    assert {"values", "lifecycle", "input.requested"} <= set(methods)
    asked = told[-1]["params"]["data"]
    await command(
        served, thread, "input.respond", interrupt_id=asked["interrupt_id"], namespace=[], response="yes"
    )
    await api.runs.join(thread, (await api.runs.list(thread))[0]["run_id"])
    assert (await api.threads.get_state(thread))["values"]["answer"] == "yes"


async def test_what_was_told_is_told_again_to_who_comes_later(served: Any, api: Any) -> None:
    thread = (await api.threads.create())["thread_id"]
    started = await command(
        served, thread, "run.start", assistant_id="plain", input={"key": key(), "question": "later?"}
    )
    await api.runs.join(thread, started["run_id"])
    async with asyncio.timeout(40):
        told = await events(served, thread, "input.requested")
    assert "values" in {event["method"] for event in told}


async def test_a_thread_is_joined_over_several_runs(api: Any) -> None:
    thread = (await api.threads.create())["thread_id"]
    ends: list[str] = []

    async def listen() -> None:
        async for part in await api.threads.join_stream(thread, stream_mode="lifecycle"):
            if isinstance(part.data, dict) and part.data.get("status") == "run_done":
                ends.append(part.data["run_id"])
                if len(ends) == 2:
                    return

    listening = asyncio.create_task(listen())
    await asyncio.sleep(1)  # the client gives no sign of listening
    for _ in range(2):
        await api.runs.wait(thread, "steps", input={"key": key(), "slow": 0})
    async with asyncio.timeout(30):
        await listening
    assert set(ends) == {run["run_id"] for run in await api.runs.list(thread)}


async def test_a_run_that_is_cancelled_in_the_queue_cuts_nothing_of_the_one_at_work(
    api: Any, served_database: str
) -> None:
    thread, name, world = (await api.threads.create())["thread_id"], key(), World(served_database)
    steps: list[str] = []
    ends: list[str] = []

    async def listen() -> None:
        async for part in await api.threads.join_stream(thread, stream_mode="run_modes"):
            if part.event == "updates":
                steps.extend(part.data)
            elif part.event == "metadata" and part.data.get("status") == "run_done":
                ends.append(part.data["run_id"])
                if run["run_id"] in ends:
                    return

    listening = asyncio.create_task(listen())
    await asyncio.sleep(1)  # the client gives no sign of listening
    body = {"key": name, "slow": 3, "seconds": 1.5}
    run = await api.runs.create(thread, "steps", input=body, stream_mode="updates")
    await world.until(lambda: "step 3" in world.effects(name), "step 3 begins")
    queued = await api.runs.create(
        thread, "steps", input={"key": key(), "slow": 0}, multitask_strategy="enqueue"
    )
    await api.runs.cancel(thread, queued["run_id"])
    async with asyncio.timeout(30):
        await listening
    assert steps == [f"step_{number}" for number in range(1, 11)]
