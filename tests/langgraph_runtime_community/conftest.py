"""One stock server on our runtime for the tests that kill nothing, and the runtime in this process for the rest."""

import json
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from langgraph_sdk.client import LangGraphClient

from langgraph_runtime_community import database, migrate
from tests.conftest import clone
from tests.fakes.community_server import PROJECT, CommunityServer
from tests.fakes.graphs import ledger

HOOK_SECRET = "whsec_" + b64encode(b"a secret of sufficient length").decode()


def with_store(directory: Path) -> Path:
    """The project with an index and a time to live for its store; the embedding's path must be a whole one."""
    config = json.loads(PROJECT.read_text())
    index = {"dims": 4, "embed": f"{PROJECT.parent / 'embedding.py'}:embed", "fields": ["text"]}
    config["store"] = {"index": index, "ttl": {"default_ttl": 60, "sweep_interval_minutes": 1}}
    path = directory / "langgraph.json"
    path.write_text(json.dumps(config))
    return path


@pytest.fixture(scope="session")
def served_database(server: str) -> Iterator[str]:
    """The database behind `community`, with a ledger in it."""
    for uri in clone(server, "template0", "community"):
        ledger.create(uri)
        yield uri


@pytest.fixture(scope="session")
def community(served_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommunityServer]:
    """A server shared by all tests of this room, never killed."""
    env = {
        "LEDGER_URI": served_database,
        "LG_WEBHOOK_SECRET": HOOK_SECRET,
        "CRON_SCHEDULER_SLEEP_TIME": "1",
    }
    directory = tmp_path_factory.mktemp("community")
    served = CommunityServer(directory, database=served_database, env=env, config=with_store(directory))
    served.start_blocking()
    yield served
    served.stop_blocking(9)


@pytest.fixture
async def client(community: CommunityServer) -> AsyncIterator[LangGraphClient]:
    """An SDK client of `community`."""
    async with community.sdk() as client:
        yield client


@pytest.fixture
def stock_config(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules of the server read these when they are imported, which the runtime does when it needs them."""
    for name, value in {
        "REDIS_URI": "none",
        "MIGRATIONS_PATH": "none",
        "DATABASE_URI": "postgresql://none",
        "LANGGRAPH_WEBHOOKS": '{"url": {"require_https": false, "allowed_domains": ["127.0.0.1"]}}',
    }.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
async def runtime(stock_config: None, empty_database: str) -> AsyncIterator[str]:
    """The runtime's pool in this process, on a database of its own with its schema; the URI."""
    await migrate.prepare(empty_database)
    await database.start_pool(empty_database)
    yield empty_database
    await database.stop_pool()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A server's working directory."""
    return tmp_path / "server"
