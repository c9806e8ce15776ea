"""The served API over real HTTP: closed paths, keys, origins, and what the server keeps of a caller."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from stationmaster.server.policy import STUDIO_ORIGIN
from tests.fakes.agent_server import AgentServer, agent_server
from tests.stationmaster.server.tiny import tiny_project

KEY = "the-key-of-the-tests"
APP_ORIGIN = "https://app.example"
EVIL = "https://evil.example"


@pytest.fixture(scope="module")
def open_server(served_shop: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    """No key; Studio and one app allowed."""
    env = {"STATIONMASTER_STUDIO": "true", "STATIONMASTER_CORS_ORIGINS": APP_ORIGIN}
    yield from _served(tmp_path_factory.mktemp("open"), served_shop, env)


@pytest.fixture(scope="module")
def keyed_server(served_shop: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    """One configured key, a local one, no origin."""
    env = {"STATIONMASTER_API_KEYS": f"ci:{KEY}", "STATIONMASTER_LOCAL_KEY": "the-local-key-of-up"}
    yield from _served(tmp_path_factory.mktemp("keyed"), served_shop, env)


def _served(directory: Path, database: str, env: dict[str, str]) -> Iterator[AgentServer]:
    env = {**env, "STATIONMASTER_DATABASE_URI": database}
    server = AgentServer(directory, env=env, config=tiny_project(directory))
    server.start_blocking()
    yield server
    server.kill_blocking()


@asynccontextmanager
async def http(server: AgentServer, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with httpx.AsyncClient(base_url=server.url, headers=named, trust_env=False) as client:
        yield client


async def raw(server: AgentServer, method: str, target: str, *headers: str) -> int:
    """The status of a request whose target is sent as it stands; httpx would tidy it up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    lines = [
        f"{method} {target} HTTP/1.1",
        f"Host: 127.0.0.1:{server.port}",
        *headers,
        "Content-Length: 0",
        "",
        "",
    ]
    writer.write("\r\n".join(lines).encode())
    status = int((await reader.readline()).split()[1])
    writer.close()
    await writer.wait_closed()
    return status


@pytest.mark.parametrize(
    "target",
    [
        "/internal/truncate",
        "/internal/truncate/",
        "//internal/truncate",
        "/internal//truncate",
        "/%69nternal/truncate",
        "/internal%2Ftruncate",
        "/%2Finternal%2Ftruncate",
        "/./internal/truncate",
        "/threads/../internal/truncate",
        "/internal/truncate?x=1",
        "/Internal/truncate",
        "/deploy",
        "/deploy/",
        "//deploy",
        "/%64eploy",
    ],
)
@pytest.mark.parametrize("method", ["POST", "GET", "OPTIONS"])
async def test_closed_paths_answer_404_and_nothing_is_wiped(
    open_server: AgentServer, method: str, target: str
) -> None:
    async with open_server.sdk() as sdk:
        thread = await sdk.threads.create()
        assert await raw(open_server, method, target) == 404
        assert (await sdk.threads.get(thread["thread_id"]))["thread_id"] == thread["thread_id"]


async def test_without_our_app_the_stock_server_wipes_everything(tmp_path: Path) -> None:
    """Would the server drop `/internal/truncate` itself, the test above could not fail."""
    config = tiny_project(tmp_path)
    config.write_text(json.dumps({"graphs": {"tiny": "tiny:graph"}, "dependencies": ["."]}))
    async with agent_server(tmp_path, config=config) as stock, stock.sdk() as sdk:
        await sdk.threads.create()
        assert await raw(stock, "POST", "/internal/truncate") == 200
        assert await sdk.threads.search() == []


@pytest.mark.parametrize("path", ["/ok", "/", "/info", "/docs", "/openapi.json", "/metrics"])
async def test_without_keys_this_machine_sees_everything(open_server: AgentServer, path: str) -> None:
    async with http(open_server) as client:
        assert (await client.get(path)).status_code == 200


@pytest.mark.parametrize(
    "path", ["/assistants/search", "/threads/search", "/runs/wait", "/store/items/search", "/mcp/"]
)
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": EVIL},
        {"Origin": "null"},
        {"X-Forwarded-For": "127.0.0.1"},
        {"X-Forwarded-For": "203.0.113.9"},
        {"Forwarded": "for=127.0.0.1"},
        {"X-Real-IP": "127.0.0.1"},
        {"x-api-key": "some-wrong-key-here"},
        {"Authorization": "Bearer some-wrong-key"},
        {"x-auth-scheme": "langsmith", "Origin": EVIL},
    ],
)
async def test_without_keys_others_get_401(
    open_server: AgentServer, path: str, headers: dict[str, str]
) -> None:
    async with http(open_server) as client:
        refused = await client.post(path, json={}, headers=headers)
        assert refused.status_code == 401
        assert refused.json()["detail"]


@pytest.mark.parametrize("path", ["/", "/info", "/docs", "/openapi.json", "/metrics"])
async def test_without_keys_a_foreign_name_sees_only_health(open_server: AgentServer, path: str) -> None:
    async with http(open_server, Host="evil.example") as client:
        assert (await client.get(path)).status_code == 401
        assert (await client.get("/ok")).status_code == 200


@pytest.mark.parametrize("header", ["x-api-key", "Authorization"])
async def test_with_keys_only_a_key_opens(keyed_server: AgentServer, header: str) -> None:
    async with http(keyed_server) as client:
        for key in (KEY, "the-local-key-of-up"):
            value = key if header == "x-api-key" else f"Bearer {key}"
            found = await client.post("/assistants/search", json={}, headers={header: value})
            assert found.status_code == 200
        for headers in ({}, {header: "wrong"}, {header: ""}, {"x-auth-scheme": "langsmith"}):
            refused = await client.post("/assistants/search", json={}, headers=headers)
            assert refused.status_code == 401


async def test_with_keys_health_and_the_docs_page_stay_open(keyed_server: AgentServer) -> None:
    async with http(keyed_server) as client:
        found = {
            path: (await client.get(path)).status_code
            for path in ("/ok", "/docs", "/openapi.json", "/info", "/metrics")
        }
    assert found == {"/ok": 200, "/docs": 200, "/openapi.json": 200, "/info": 401, "/metrics": 401}


async def test_a_socket_from_a_foreign_page_is_refused(
    open_server: AgentServer, keyed_server: AgentServer
) -> None:
    upgrade = (
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {'A' * 22}==",
    )
    async with open_server.sdk() as sdk:
        thread = (await sdk.threads.create())["thread_id"]
    target = f"/threads/{thread}/stream/events"
    assert await raw(open_server, "GET", target, *upgrade) == 101
    assert await raw(open_server, "GET", target, *upgrade, f"Origin: {EVIL}") == 403
    assert await raw(keyed_server, "GET", target, *upgrade) == 403


async def test_what_is_kept_of_a_caller_holds_no_secret(keyed_server: AgentServer) -> None:
    """The run's config is what webhooks and Studio show of the caller."""
    headers = {"Authorization": f"Bearer {KEY}"}
    async with keyed_server.sdk(api_key=KEY, headers=headers) as sdk:
        thread = await sdk.threads.create()
        run = await sdk.runs.create(thread["thread_id"], "tiny", input={"n": 1})
        await sdk.runs.join(thread["thread_id"], run["run_id"])
        run = await sdk.runs.get(thread["thread_id"], run["run_id"])
        state = await sdk.threads.get_state(thread["thread_id"])
    kept: dict[str, Any] = run["kwargs"]  # pyright: ignore[reportGeneralTypeIssues]
    assert kept["config"]["configurable"]["langgraph_auth_user_id"] == "ci"
    assert KEY not in json.dumps(run) + json.dumps(state)


@pytest.mark.parametrize("origin", [STUDIO_ORIGIN, APP_ORIGIN])
async def test_allowed_origins_may_ask_and_read(open_server: AgentServer, origin: str) -> None:
    preflight = {
        "Origin": origin,
        "Access-Control-Request-Method": "PATCH",
        "Access-Control-Request-Headers": "content-type,x-api-key,x-auth-scheme",
        "Access-Control-Request-Private-Network": "true",
    }
    async with http(open_server) as client:
        leave = await client.options("/assistants/search", headers=preflight)
        assert leave.status_code == 200
        assert leave.headers["access-control-allow-origin"] == origin
        assert leave.headers["access-control-allow-private-network"] == "true"
        assert leave.headers["access-control-allow-credentials"] == "true"
        assert "PATCH" in leave.headers["access-control-allow-methods"]
        assert "x-auth-scheme" in leave.headers["access-control-allow-headers"]
        answer = await client.post("/assistants/search", json={}, headers={"Origin": origin})
        assert answer.status_code == 200
        assert answer.headers.get_list("access-control-allow-origin") == [origin]
        assert "x-pagination-total" in answer.headers["access-control-expose-headers"].lower()
        # Studio also posts text/plain and names its own auth scheme.
        studio = {"Origin": origin, "x-auth-scheme": "langsmith", "Authorization": "Bearer of-langsmith"}
        plain = await client.post(
            "/assistants/search", content="{}", headers={**studio, "Content-Type": "text/plain"}
        )
        assert plain.status_code == 200


async def test_other_origins_may_neither_ask_nor_read(
    open_server: AgentServer, keyed_server: AgentServer
) -> None:
    preflight = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Private-Network": "true"}
    for server, origin in ((open_server, EVIL), (open_server, "null"), (keyed_server, STUDIO_ORIGIN)):
        async with http(server, Origin=origin) as client:
            refused = await client.options("/assistants/search", headers=preflight)
            assert refused.status_code == 400
            assert "access-control-allow-origin" not in refused.headers
            answer = await client.post("/assistants/search", json={}, headers={"x-api-key": KEY})
            assert "access-control-allow-origin" not in answer.headers


async def test_a_refused_page_that_is_allowed_to_read_can_read_why(open_server: AgentServer) -> None:
    async with http(open_server, Origin=APP_ORIGIN, x_api_key="wrong-key-of-the-app") as client:
        refused = await client.post("/assistants/search", json={})
    assert refused.status_code == 401
    assert refused.headers["access-control-allow-origin"] == APP_ORIGIN


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("http://127.0.0.1:9/hook", 200),
        ("http://localhost:9/hook", 422),
        ("http://10.0.0.1/hook", 422),
        ("http://169.254.169.254/latest/meta-data", 422),
        ("https://hooks.example/x", 422),
        ("/internal/truncate", 422),
    ],
)
async def test_webhooks_go_to_this_host_only(open_server: AgentServer, url: str, status: int) -> None:
    async with http(open_server) as client:
        thread = (await client.post("/threads", json={})).json()["thread_id"]
        body = {"assistant_id": "tiny", "input": {"n": 1}, "webhook": url}
        assert (await client.post(f"/threads/{thread}/runs", json=body)).status_code == status
