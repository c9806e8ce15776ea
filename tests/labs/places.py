"""Fixtures of labs and incidents: a database with the saver's tables and a ledger, hosts, and one durable server."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from tests.conftest import clone
from tests.fakes.agent_server import ROOT, AgentServer
from tests.fakes.community_server import CommunityServer
from tests.fakes.graphs import ledger
from tests.labs.hosts import SERVED, Host
from tests.labs.processes import Child
from tests.labs.servers import Served

HostOf = Callable[[str], Host]
JOBS = 40  # more than conversations are in flight
_numbers = count(1)


@pytest.fixture(scope="session")
def lab_database(server: str) -> Iterator[str]:
    """The URI of a database with the library's checkpoint tables and a ledger."""
    for uri in clone(server, "template0", "labs"):
        ledger.create(uri)
        with PostgresSaver.from_conn_string(uri) as saver:
            saver.setup()
        yield uri


@pytest.fixture
def lab_effects(lab_database: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same database: graphs of this process write to its ledger too."""
    monkeypatch.setenv(ledger.VARIABLE, lab_database)
    return lab_database


@pytest.fixture
async def lab_saver(lab_database: str) -> AsyncIterator[AsyncPostgresSaver]:
    """The saver of graphs in this process."""
    async with AsyncPostgresSaver.from_conn_string(lab_database) as saver:
        yield saver


@pytest.fixture(scope="session")
def lab_durable_database(server: str) -> Iterator[str]:
    """What all durable servers of a session share, one after the other or at once."""
    yield from clone(server, "template0", "labs_durable")


@pytest.fixture(scope="session")
def lab_server(
    lab_database: str, server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CommunityServer]:
    """One for all tests that kill nothing."""
    for uri in clone(server, "template0", "labs_shared"):
        served = _durable(tmp_path_factory.mktemp("durable"), uri, lab_database)
        served.start_blocking()
        yield served
        served.kill_blocking()


@pytest.fixture
async def lab_host(lab_database: str, lab_durable_database: str, tmp_path: Path) -> AsyncIterator[HostOf]:
    """Makes hosts by kind, not started: "memory" and "saver" are child processes, "dev" and "durable" are servers.

    What a "memory" or a "dev" knows ends with its process or its container; the others have a database.
    """
    made: list[Host] = []

    def make(kind: str) -> Host:
        directory = tmp_path / f"{kind}-{next(_numbers)}"
        env = {ledger.VARIABLE: lab_database, "PYTHONPATH": str(ROOT)}
        if kind in ("memory", "saver"):
            made.append(Child("memory" if kind == "memory" else lab_database, env))
        elif kind == "dev":
            made.append(Served(AgentServer(directory / "first", env, JOBS, SERVED), fresh=True))
        else:
            made.append(Served(_durable(directory, lab_durable_database, lab_database)))
        return made[-1]

    yield make
    await asyncio.gather(*(each.kill() for each in made))


def _durable(directory: Path, uri: str, effects: str) -> CommunityServer:
    return CommunityServer(directory, database=uri, env={ledger.VARIABLE: effects}, jobs=JOBS, config=SERVED)
