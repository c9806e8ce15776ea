"""The shared `langgraph dev` as a place to apply to, and the durable runtime as another: empty before and after each
test, its requests counted. What is slow is done on the second one too; a test that names both is always.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.reconcile.gateway import Gateway
from tests.conftest import clone
from tests.fakes.agent_server import CONFIG, AgentServer
from tests.fakes.community_server import CommunityServer
from tests.stationmaster.reconcile.wire import Wire


@dataclass(frozen=True)
class Served:
    """The server, what goes over the wire to it, and a second way to it for everybody else."""

    gateway: Gateway
    wire: Wire
    others: LangGraphClient
    url: str


RUNTIMES = ("dev", "durable")


@pytest.fixture(scope="session")
def durable(
    server: str, seeded_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CommunityServer]:
    """The project on the durable runtime, with a database of its own."""
    for uri in clone(server, seeded_template, "durable_reconcile"):
        env = {"STATIONMASTER_DATABASE_URI": uri}
        served = CommunityServer(tmp_path_factory.mktemp("durable"), database=uri, env=env, config=CONFIG)
        served.start_blocking()
        yield served
        served.kill_blocking()


@pytest.fixture(params=["dev", pytest.param("durable", marks=pytest.mark.slow)])
def target(request: pytest.FixtureRequest) -> AgentServer:
    """Where it is applied to."""
    return request.getfixturevalue("support" if request.param == "dev" else "durable")


@pytest.fixture
async def served(target: AgentServer) -> AsyncIterator[Served]:
    wire = Wire(httpx.AsyncHTTPTransport())
    async with (
        httpx.AsyncClient(base_url=target.url, transport=wire, timeout=30) as http,
        target.sdk() as others,
    ):
        await empty(others)
        yield Served(Gateway(LangGraphClient(http), target.url), wire, others, target.url)
        await empty(others)


async def empty(client: LangGraphClient) -> None:
    """No crons, and no assistants but those of the graphs."""
    for cron in await client.crons.search(limit=1000):
        await client.crons.delete(cron["cron_id"])
    for assistant in await client.assistants.search(limit=1000):
        if (assistant["metadata"] or {}).get("created_by") != "system":
            await client.assistants.delete(assistant["assistant_id"])
