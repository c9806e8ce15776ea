"""The shared `langgraph dev` as a place to apply to: empty before and after each test, its requests counted."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.reconcile.gateway import Gateway
from tests.fakes.agent_server import AgentServer
from tests.stationmaster.reconcile.wire import Wire


@dataclass(frozen=True)
class Served:
    """The server, what goes over the wire to it, and a second way to it for everybody else."""

    gateway: Gateway
    wire: Wire
    others: LangGraphClient
    url: str


@pytest.fixture
async def served(support: AgentServer) -> AsyncIterator[Served]:
    wire = Wire(httpx.AsyncHTTPTransport())
    async with (
        httpx.AsyncClient(base_url=support.url, transport=wire, timeout=30) as http,
        support.sdk() as others,
    ):
        await empty(others)
        yield Served(Gateway(LangGraphClient(http), support.url), wire, others, support.url)
        await empty(others)


async def empty(client: LangGraphClient) -> None:
    """No crons, and no assistants but those of the graphs."""
    for cron in await client.crons.search(limit=1000):
        await client.crons.delete(cron["cron_id"])
    for assistant in await client.assistants.search(limit=1000):
        if (assistant["metadata"] or {}).get("created_by") != "system":
            await client.assistants.delete(assistant["assistant_id"])
