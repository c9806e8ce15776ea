"""What Studio calls, as it calls it: raw HTTP, in its order."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.langgraph_runtime_community.world import key


@pytest.fixture
async def http(served: Any) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=served.url, trust_env=False, timeout=60) as client:
        yield client


async def answered(http: httpx.AsyncClient, method: str, path: str, **given: Any) -> Any:
    """The answer, which must be a good one."""
    answer = await http.request(method, path, **given)
    assert answer.status_code in {200, 202, 204}, f"{method} {path}: {answer.status_code} {answer.text}"
    return answer.json() if answer.content else None


async def streamed(http: httpx.AsyncClient, path: str, body: dict[str, Any]) -> list[tuple[str, Any]]:
    """The events of a run."""
    found: list[tuple[str, Any]] = []
    async with http.stream("POST", path, json=body) as response:
        assert response.status_code == 200, await response.aread()
        event = ""
        async for line in response.aiter_lines():
            if line.startswith("event:"):
                event = line.removeprefix("event:").strip()
            elif line.startswith("data:"):
                found.append((event, json.loads(line.removeprefix("data:"))))
    return found


async def test_what_it_shows_of_a_graph(http: httpx.AsyncClient) -> None:
    assert "version" in await answered(http, "GET", "/info")
    system = json.dumps({"metadata": {"created_by": "system"}, "limit": 100})
    kinds = ({"content-type": "application/json"}, {"content-type": "text/plain;charset=UTF-8"})
    found: list[Any] = []
    for headers in kinds:
        found = await answered(http, "POST", "/assistants/search", content=system, headers=headers)
        assert {"plain", "steps", "nested"} <= {each["graph_id"] for each in found}
    assistant = next(each["assistant_id"] for each in found if each["graph_id"] == "nested")
    whole = await answered(http, "GET", f"/assistants/{assistant}/graph", params={"xray": "true"})
    plain = await answered(http, "GET", f"/assistants/{assistant}/graph")
    assert len(whole["nodes"]) > len(plain["nodes"])
    assert "input_schema" in await answered(http, "GET", f"/assistants/{assistant}/schemas")
    assert await answered(http, "GET", f"/assistants/{assistant}/subgraphs", params={"recurse": "true"})
    made = await answered(http, "POST", "/assistants", json={"graph_id": "plain", "name": key()})
    own = f"/assistants/{made['assistant_id']}"
    await answered(http, "PATCH", own, json={"name": "second"})
    versions = await answered(http, "POST", f"{own}/versions", json={})
    assert [each["version"] for each in versions] == [2, 1]
    assert (await answered(http, "POST", f"{own}/latest", json={"version": 1}))["version"] == 1


async def test_a_breakpoint_a_fork_and_a_cancel(http: httpx.AsyncClient) -> None:
    thread = (await answered(http, "POST", "/threads", json={}))["thread_id"]
    at, name = f"/threads/{thread}", key()
    body = {"assistant_id": "steps", "input": {"key": name, "slow": 0}, "stream_mode": ["values", "debug"]}
    await streamed(http, f"{at}/runs/stream", {**body, "interrupt_before": ["step_3"]})
    history = await answered(http, "POST", f"{at}/history", json={"limit": 10})
    assert history[0]["next"] == ["step_3"] and [task["name"] for task in history[0]["tasks"]] == ["step_3"]
    stopped = history[0]["checkpoint"]["checkpoint_id"]
    seen = await answered(http, "GET", f"{at}/state/{stopped}")
    assert seen["next"] == ["step_3"]
    same = await answered(http, "POST", f"{at}/state/checkpoint", json={"checkpoint": seen["checkpoint"]})
    assert same["values"] == seen["values"]
    goes_on = {"assistant_id": "steps", "input": None, "stream_mode": ["values"]}
    told = await streamed(
        http, f"{at}/runs/stream", {**goes_on, "checkpoint_id": stopped, "interrupt_after": ["step_4"]}
    )
    assert told[-1][1]["done"] == [1, 2, 3, 4]
    forked = await answered(
        http,
        "POST",
        f"{at}/state",
        json={"values": {"done": [99]}, "as_node": "step_2", "checkpoint": seen["checkpoint"]},
    )
    done = await streamed(
        http, f"{at}/runs/stream", {**goes_on, "checkpoint_id": forked["checkpoint"]["checkpoint_id"]}
    )
    assert done[-1][1]["done"] == [1, 2, 99, *range(3, 11)]
    found = await answered(http, "POST", "/threads/search", json={"ids": [thread], "limit": 10})
    assert [each["thread_id"] for each in found] == [thread]
    slow = {"assistant_id": "steps", "input": {"key": name, "slow": 1, "seconds": 60.0}}
    run = (await answered(http, "POST", f"{at}/runs", json=slow))["run_id"]
    await answered(http, "POST", f"{at}/runs/{run}/cancel", params={"wait": "true", "action": "interrupt"})
    assert (await answered(http, "GET", f"{at}/runs/{run}"))["status"] == "interrupted"


async def test_the_store(http: httpx.AsyncClient) -> None:
    space = ["studio", key()]
    item = {"namespace": space, "key": "one", "value": {"text": "here"}}
    await answered(http, "PUT", "/store/items", json=item)
    found = await answered(http, "POST", "/store/items/search", json={"namespace_prefix": space})
    assert [each["key"] for each in found["items"]] == ["one"]
    spaces = await answered(http, "POST", "/store/namespaces", json={"prefix": space})
    assert spaces["namespaces"] == [space]
    await answered(http, "DELETE", "/store/items", json={"namespace": space, "key": "one"})
