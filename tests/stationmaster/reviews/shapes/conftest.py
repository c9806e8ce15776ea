"""The interrupting graphs behind `langgraph dev`, with their ledger."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.conftest import clone
from tests.fakes.agent_server import AgentServer
from tests.fakes.graphs.serving import interrupting_server
from tests.stationmaster.reviews.shapes.asked import Asked


@pytest.fixture(scope="session")
def ledger_uri(server: str) -> Iterator[str]:
    """A database of its own: tests count by keys of their own."""
    yield from clone(server, "template0", "ledger")


@pytest.fixture(scope="session")
def interrupting(ledger_uri: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    """Shared by all tests, never killed."""
    server = interrupting_server(tmp_path_factory.mktemp("interrupting"), ledger_uri)
    server.start_blocking()
    yield server
    server.stop_blocking(9)


@pytest.fixture
async def asked(interrupting: AgentServer, ledger_uri: str) -> AsyncIterator[Asked]:
    async with interrupting.sdk() as client:
        yield Asked(client, ledger_uri)
