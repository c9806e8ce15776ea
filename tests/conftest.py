"""A real Postgres for the tests: one server and one migrated template a session, one clone a test."""

import asyncio
import os
import shutil
import signal
import ssl
from collections.abc import AsyncIterator, Iterator
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from argon2 import PasswordHasher
from hypothesis import HealthCheck, settings
from langgraph_sdk.client import LangGraphClient
from psycopg.sql import SQL, Identifier

from agents.shared import database as agents_database
from stationmaster.postgres import embedded, migrate
from stationmaster.reviews.access import passwords
from stationmaster.shop.seed import seed
from tests.fakes.agent_server import AgentServer
from tests.fakes.shop import Ledger
from tests.scheduling import BySharedServer, is_served, rank

# How long an example takes, or takes to be made, is the machine's affair.
settings.register_profile("ours", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ours")
pytest_plugins = ["tests.labs.places"]  # two rooms share them, and each of them is there once
MEMORY = Path("/dev/shm")
ROOM = 4 * 1024**3
TEMPLATE = "migrated"
SEEDED_TEMPLATE = "seeded"
_numbers = count(1)
_admins: dict[str, psycopg.Connection[Any]] = {}


def pytest_configure() -> None:
    """A run in a shell's background inherits that Ctrl-C is ignored, and so would every process under test."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> BySharedServer:
    return BySharedServer(config, log)


def pytest_itemcollected(item: pytest.Item) -> None:
    if is_served(item):
        item.add_marker("served")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=rank)


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> Iterator[None]:
    """Hashing is slow on purpose; tests sign in by the hundred, and none is about its price."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield


@pytest.fixture(scope="session", autouse=True)
def authorities_read_once() -> Iterator[None]:
    """Each HTTP client reads all certificate authorities anew, 20 ms each time, and no test speaks TLS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The URI of the session's embedded server, database `postgres`."""
    with embedded.temporary(_in_memory()) as uri:
        yield uri
        for admin in _admins.values():
            admin.close()


def _in_memory() -> Path | None:
    """Where files cost no disk, if there is room: a clone then takes a third of the time."""
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM
    return MEMORY if roomy and os.access(MEMORY, os.W_OK) else None


def database_uri(server_uri: str, name: str) -> str:
    """The same server, another database."""
    return server_uri.replace("/postgres?", f"/{name}?", 1)


@pytest.fixture(scope="session")
def migrated_template(server: str) -> str:
    """The name of a database with the whole schema and nothing in it; clone it, never connect to it."""
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(SQL("CREATE DATABASE {}").format(Identifier(TEMPLATE)))
    asyncio.run(migrate(database_uri(server, TEMPLATE)))
    return TEMPLATE


def clone(server_uri: str, template: str, name: str | None = None) -> Iterator[str]:
    """A copy of the template, dropped afterwards with whatever is still connected to it."""
    name = name or f"test_{next(_numbers)}"
    copied = SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
    _admin(server_uri).execute(copied.format(Identifier(name), Identifier(template)))
    yield database_uri(server_uri, name)
    _admin(server_uri).execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


def _admin(server_uri: str) -> psycopg.Connection[Any]:
    """One connection a server, for making and dropping: to open one costs as much as a clone."""
    if server_uri not in _admins or _admins[server_uri].closed:
        _admins[server_uri] = psycopg.connect(server_uri, autocommit=True)
    return _admins[server_uri]


@pytest.fixture
def database(server: str, migrated_template: str) -> Iterator[str]:
    """The URI of a migrated, empty database of this test's own."""
    yield from clone(server, migrated_template)


@pytest.fixture(scope="session")
def seeded_template(server: str, migrated_template: str) -> str:
    """The name of a database with a seeded shop; clone it, never connect to it."""
    with psycopg.connect(server, autocommit=True) as conn:
        statement = SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy")
        conn.execute(statement.format(Identifier(SEEDED_TEMPLATE), Identifier(migrated_template)))
    asyncio.run(seed(database_uri(server, SEEDED_TEMPLATE)))
    return SEEDED_TEMPLATE


@pytest.fixture
def seeded_database(server: str, seeded_template: str) -> Iterator[str]:
    """The URI of a database of this test's own with a shop that was seeded today."""
    yield from clone(server, seeded_template)


@pytest.fixture
def empty_database(server: str) -> Iterator[str]:
    """The URI of a database of this test's own without any schema."""
    yield from clone(server, "template0")


@pytest.fixture
async def agents_on_database(database: str) -> AsyncIterator[str]:
    """`agents.shared.database` configured to this test's `database`; its URI."""
    agents_database.configure(database)
    yield database
    await agents_database.close()
    agents_database.configure(None)


@pytest.fixture
async def agents_on_seeded_database(seeded_database: str) -> AsyncIterator[str]:
    """`agents.shared.database` configured to this test's `seeded_database`; its URI."""
    agents_database.configure(seeded_database)
    yield seeded_database
    await agents_database.close()
    agents_database.configure(None)


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
