"""One server with the keys of two tenants and of an operator."""

from collections.abc import AsyncIterator, Iterator

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.conftest import clone
from tests.fakes.agent_server import ROOT, AgentServer
from tests.fakes.community_server import CommunityServer
from tests.stationmaster.server.tenancy.place import Owned, client_of, furnish, keys, project


@pytest.fixture(scope="module", params=["dev", pytest.param("community", marks=pytest.mark.slow)])
def served(
    request: pytest.FixtureRequest,
    server: str,
    seeded_template: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[AgentServer]:
    """`langgraph dev` and, among the long proofs, the durable runtime."""
    directory = tmp_path_factory.mktemp("tenants")
    for database in clone(server, seeded_template):
        env = {
            "STATIONMASTER_API_KEYS": keys(),
            "STATIONMASTER_DATABASE_URI": database,
            "PYTHONPATH": str(ROOT),
        }
        config = project(directory)
        if request.param == "dev":
            agent_server = AgentServer(directory, env=env, config=config)
        else:
            agent_server = CommunityServer(directory, env=env, config=config, database=database)
        agent_server.start_blocking()
        yield agent_server
        agent_server.kill_blocking()


@pytest.fixture
async def ann(served: AgentServer) -> AsyncIterator[LangGraphClient]:
    """Of acme."""
    async with client_of(served, "ann") as client:
        yield client


@pytest.fixture
async def bob(served: AgentServer) -> AsyncIterator[LangGraphClient]:
    """Of globex."""
    async with client_of(served, "bob") as client:
        yield client


@pytest.fixture
async def otto(served: AgentServer) -> AsyncIterator[LangGraphClient]:
    """An operator."""
    async with client_of(served, "otto") as client:
        yield client


@pytest.fixture
async def acme(ann: LangGraphClient) -> Owned:
    """What acme has there."""
    return await furnish(ann, "acme")
