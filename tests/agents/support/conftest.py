"""A seeded shop, and the support graph served by a real `langgraph dev` on it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from langgraph_sdk.client import LangGraphClient

from agents.shared import database
from stationmaster.shop.seed import seed
from tests.conftest import clone
from tests.fakes.agent_server import AgentServer
from tests.fakes.shop import Ledger


@pytest.fixture(scope="session")
def seeded_template(server: str, migrated_template: str) -> str:
    """The name of a database with the seeded shop; clone it, never connect to it."""
    name = "seeded"
    made = clone(server, migrated_template, name)
    asyncio.run(seed(next(made)))
    return name


@pytest.fixture
def shop(server: str, seeded_template: str) -> Iterator[str]:
    """The URI of a seeded shop of this test's own."""
    yield from clone(server, seeded_template)


@pytest.fixture
async def agents_on_shop(shop: str) -> AsyncIterator[str]:
    """The agents of this process work on this test's shop; its URI."""
    database.configure(shop)
    yield shop
    await database.close()
    database.configure(None)


@pytest.fixture(scope="session")
def served_shop(server: str, seeded_template: str) -> Iterator[str]:
    """The shop behind `support`: shared, so that a test counts by its own ticket ids."""
    yield from clone(server, seeded_template)


@pytest.fixture(scope="session")
def support(served_shop: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    """The project's langgraph.json behind `langgraph dev`, without a key: shared by all tests, never killed."""
    directory: Path = tmp_path_factory.mktemp("support")
    server = AgentServer(directory, env={"STATIONMASTER_DATABASE_URI": served_shop})
    server.start_blocking()
    yield server
    server.stop_blocking(9)


@pytest.fixture
async def client(support: AgentServer) -> AsyncIterator[LangGraphClient]:
    """An SDK client of `support`."""
    async with support.sdk() as client:
        yield client


@pytest.fixture
def ledger(served_shop: str) -> Ledger:
    """What the tickets of `support` left behind."""
    return Ledger(served_shop)
