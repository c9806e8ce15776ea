"""The engine on a database of the test's own, and in front of a served set of graphs that ask."""

from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest

from stationmaster.reviews.agent_server import connect
from stationmaster.reviews.database import Pool, open_pool
from stationmaster.reviews.desk import Desk
from tests.conftest import clone
from tests.fakes.agent_server import AgentServer
from tests.fakes.graphs.serving import interrupting_server
from tests.stationmaster.reviews.engine import Asking, OneGroup

_numbers = count(1)


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    """The process's pool on a migrated, empty database."""
    async with open_pool(database) as pool:
        yield pool


@pytest.fixture(scope="session")
def effects(server: str, migrated_template: str) -> Iterator[str]:
    """The database in which the served graphs note what they did."""
    yield from clone(server, migrated_template, "effects")


@pytest.fixture(scope="session")
def asking_server(effects: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    """`langgraph dev` with graphs that ask, in every way: shared, never killed."""
    server = interrupting_server(tmp_path_factory.mktemp("asking"), effects)
    server.start_blocking()
    yield server
    server.stop_blocking(9)


@pytest.fixture
async def desk(pool: Pool, asking_server: AgentServer) -> AsyncIterator[Desk]:
    """The engine between this test's database and the served graphs."""
    async with connect(asking_server.url) as server:
        yield Desk(pool, server, OneGroup(), "test")


@pytest.fixture
async def asking(desk: Desk, effects: str) -> Asking:
    """Threads that ask, what the engine makes of them, and what the graphs did."""
    return Asking(desk, effects, f"key-{next(_numbers)}")
