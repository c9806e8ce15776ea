"""One real server for this room, with graphs whose nodes write down what they saw, and no database of reviews; the same
on the durable runtime for all that is asked of it (slow, but for what names it).
"""

import json
from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import Assistant, ServedAssistant, Signature
from tests.conftest import clone
from tests.fakes.agent_server import CONFIG, ROOT, AgentServer
from tests.fakes.community_server import CommunityServer

ANNA = Signature("anna", "test", "because")
_numbers = count(1)


def configured_project(directory: Path, *, http: bool = True) -> Path:
    """The project's langgraph.json around the graphs of tests.fakes.graphs.configured; its path.

    Without `http` only the handlers of auth are ours.
    """
    config = json.loads(CONFIG.read_text())
    names = {"configured": "graph", "other": "other", "bare": "bare"}
    config["graphs"] = {name: f"tests.fakes.graphs.configured:{value}" for name, value in names.items()}
    if not http:
        del config["http"]
    path = directory / "langgraph.json"
    path.write_text(json.dumps(config))
    return path


@pytest.fixture(scope="session")
def on_dev(served_shop: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    """`langgraph dev` with that project, shared by the room."""
    directory = tmp_path_factory.mktemp("configured")
    env = {"STATIONMASTER_DATABASE_URI": served_shop, "PYTHONPATH": str(ROOT)}
    server = AgentServer(directory, env=env, config=configured_project(directory))
    server.start_blocking()
    yield server
    server.kill_blocking()


@pytest.fixture(scope="session")
def on_durable(
    server: str, seeded_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CommunityServer]:
    """The durable runtime with the same project, on a database of its own."""
    directory = tmp_path_factory.mktemp("configured_durable")
    for uri in clone(server, seeded_template, "durable_assistants"):
        env = {"STATIONMASTER_DATABASE_URI": uri}
        served = CommunityServer(directory, database=uri, env=env, config=configured_project(directory))
        served.start_blocking()
        yield served
        served.kill_blocking()


@pytest.fixture(params=["dev", pytest.param("durable", marks=pytest.mark.slow)])
def configured(request: pytest.FixtureRequest) -> AgentServer:
    """One of the two."""
    return request.getfixturevalue(f"on_{request.param}")


@pytest.fixture
async def sdk(configured: AgentServer) -> AsyncIterator[LangGraphClient]:
    async with configured.sdk() as client:
        yield client


@pytest.fixture
def gateway(sdk: LangGraphClient, configured: AgentServer) -> Gateway:
    return Gateway(sdk, configured.url)


@pytest.fixture
def name() -> str:
    """A name that no other test uses."""
    return f"support-{next(_numbers)}"


async def made(gateway: Gateway, name: str, graph: str = "configured", **content: object) -> ServedAssistant:
    """An assistant as `apply` makes them."""
    return await gateway.create_assistant(Assistant(name, graph, **content), ANNA)  # pyright: ignore[reportArgumentType]
