"""One `langgraph dev` for the room, on a database of its own, and for the long proofs one durable runtime; each test's
crons have names of their own.
"""

from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest

from stationmaster.crons.server import CronServer
from stationmaster.crons.worker import pooled
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import Assistant
from stationmaster.reviews.database import Connection, Pool, open_pool
from tests.conftest import clone
from tests.fakes.agent_server import AgentServer
from tests.stationmaster.crons.operator import BY, Operator
from tests.stationmaster.crons.serving import GRAPHS, Serving, cron_server, serving

_numbers = count(1)


RUNTIMES = ("dev", "durable")


@pytest.fixture(scope="session")
def on_dev(
    server: str, migrated_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Serving]:
    """`langgraph dev` with the project's auth and app."""
    for uri in clone(server, migrated_template, "crons"):
        yield from serving(cron_server(tmp_path_factory.mktemp("crons"), uri), uri)


@pytest.fixture(scope="session")
def on_durable(
    server: str, migrated_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Serving]:
    """The durable runtime with the same."""
    for uri in clone(server, migrated_template, "crons_durable"):
        directory = tmp_path_factory.mktemp("crons_durable")
        yield from serving(cron_server(directory, uri, durable=True), uri)


@pytest.fixture(params=["dev", pytest.param("durable", marks=pytest.mark.slow)])
def crons_on(request: pytest.FixtureRequest) -> Serving:
    """One of the two."""
    return request.getfixturevalue(f"on_{request.param}")


@pytest.fixture
def cron_database(crons_on: Serving) -> str:
    """Where the served crons' history is."""
    return crons_on.database


@pytest.fixture
def served_crons(crons_on: Serving) -> AgentServer:
    """The server that fires them."""
    return crons_on.server


@pytest.fixture
async def operator(served_crons: AgentServer, cron_database: str) -> AsyncIterator[Operator]:
    """What a test does with crons; those it made are deleted afterwards."""
    async with open_pool(cron_database, max_size=3) as pool, served_crons.sdk() as client:
        gateway = Gateway(client, served_crons.url)
        there = {found.name for found in await gateway.assistants() if found.owned}
        for graph in GRAPHS.keys() - there:
            await gateway.create_assistant(Assistant(graph, graph), BY)
        operator = Operator(CronServer(client, served_crons.url), pooled(pool), f"t{next(_numbers)}")
        yield operator
        for cron in await gateway.crons():
            await gateway.delete_cron(cron.cron_id)


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    """A migrated, empty database of the test's own."""
    async with open_pool(database, max_size=3) as pool:
        yield pool


@pytest.fixture
async def conn(pool: Pool) -> AsyncIterator[Connection]:
    """One transaction on it."""
    async with pool.connection() as conn:
        yield conn
