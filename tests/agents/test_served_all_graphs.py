"""What must hold for every graph of langgraph.json on a real `langgraph dev`; a new one is covered by being declared.

The server runs with blocking detection on: a graph that reads a file or imports in a node fails its first run here.
"""

import asyncio
import json
from itertools import cycle, islice
from typing import Any

import httpx
import psutil
import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.docs.pages import example, graphs
from tests.fakes.agent_server import CONFIG, ROOT, AgentServer

DECLARED: dict[str, Any] = json.loads(CONFIG.read_text())["graphs"]
NAMES = sorted(DECLARED)


async def run_example(client: LangGraphClient, name: str) -> None:
    """A run with the input that the graph's page shows; it ends, or waits for a person."""
    page = (ROOT / "docs" / "agents" / f"{name}.md").read_text(encoding="utf-8")
    thread = await client.threads.create()
    assert await client.runs.wait(thread["thread_id"], name, input=example(page))
    (run,) = await client.runs.list(thread["thread_id"])
    assert run["status"] in ("success", "interrupted"), name


async def system_assistant(client: LangGraphClient, graph: str) -> str:
    """The id of the assistant that the server makes for a graph by itself."""
    (assistant,) = await client.assistants.search(metadata={"created_by": "system"}, graph_id=graph)
    return assistant["assistant_id"]


@pytest.mark.parametrize("name", NAMES)
async def test_the_example_of_its_page_runs_without_a_key(
    client: LangGraphClient, served: AgentServer, name: str
) -> None:
    before = len(served.log)
    await run_example(client, name)
    assert "Blocking call" not in served.log[before:]


@pytest.mark.parametrize("name", NAMES)
async def test_its_schemas_are_there(client: LangGraphClient, name: str) -> None:
    schemas = dict(await client.assistants.get_schemas(await system_assistant(client, name)))
    for which in ("input_schema", "output_schema", "state_schema", "context_schema"):
        assert schemas[which], which
    form: Any = schemas["context_schema"]
    assert all(field.get("description") for field in form["properties"].values())


@pytest.mark.parametrize("name", NAMES)
async def test_it_is_drawn_with_its_subgraphs(client: LangGraphClient, name: str) -> None:
    graph = graphs(CONFIG)[name]
    assistant_id = await system_assistant(client, name)
    drawn = {
        str(node["id"]) for node in (await client.assistants.get_graph(assistant_id, xray=True))["nodes"]
    }
    assert drawn == set(graph.get_graph(xray=True).nodes)
    for subgraph, _ in graph.get_subgraphs():
        assert [node for node in drawn if node.startswith(f"{subgraph}:")], subgraph


async def test_all_are_tools_of_the_mcp_server(served: AgentServer) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {"accept": "application/json, text/event-stream"}
    async with httpx.AsyncClient(base_url=served.url, trust_env=False, timeout=20) as http:
        tools = (await http.post("/mcp", json=body, headers=headers)).json()["result"]["tools"]
    listed = {tool["name"]: tool for tool in tools}
    for name in NAMES:
        assert listed[name]["description"] == DECLARED[name]["description"]
        assert listed[name]["inputSchema"]["properties"]


@pytest.mark.slow
async def test_a_hundred_runs_of_all_graphs_at_once(client: LangGraphClient, served: AgentServer) -> None:
    """None fails, and whoever asks whether the server is well hears so before it has worked for a second on other
    things. In its own processor time: what else the machine does meanwhile is not the server's."""
    ended, slowest = asyncio.Event(), 0.0
    server = psutil.Process(served.pid)

    def worked() -> float:
        times = server.cpu_times()
        return times.user + times.system

    async def health() -> None:
        nonlocal slowest
        async with httpx.AsyncClient(base_url=served.url, trust_env=False, timeout=60) as http:
            while not ended.is_set():
                before = worked()
                assert (await http.get("/ok")).status_code == 200
                slowest = max(slowest, worked() - before)
                await asyncio.sleep(0.05)  # between two looks

    async with asyncio.TaskGroup() as group:
        group.create_task(health())
        async with asyncio.TaskGroup() as runs:
            for name in islice(cycle(NAMES), 100):
                runs.create_task(run_example(client, name))
        ended.set()
    assert 0.0 < slowest < 1.0
