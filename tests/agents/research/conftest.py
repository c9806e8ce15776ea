"""What the research looks into: one seeded shop that these tests share, a folder, and a web search on the loopback."""

from collections.abc import AsyncIterator, Iterator
from itertools import count
from pathlib import Path

import pytest

from agents.shared.resilience import Retries
from agents.shared.retrieval.sources import folder, web
from agents.shared.retrieval.sources.web import WebSearch
from tests.agents.working import working_on
from tests.conftest import clone
from tests.fakes.search_server import KEY, SearchServer, finds

_numbers = count(1)


@pytest.fixture(scope="session")
def research_database(server: str, seeded_template: str) -> Iterator[str]:
    """The URI of the database that these tests share: a clone each would cost more than most of them."""
    yield from clone(server, seeded_template)


@pytest.fixture
async def articles(research_database: str) -> AsyncIterator[str]:
    """The agents of this process work on the shared shop; its URI."""
    async with working_on(research_database):
        yield research_database


@pytest.fixture
def tenant() -> str:
    """A tenant of this test's own: what others kept of their searches is not this one's."""
    return f"tenant-{next(_numbers)}"


@pytest.fixture
def shelf(tmp_path: Path, tenant: str) -> Iterator[Path]:
    """The tenant's own folder of documents, empty."""
    (tmp_path / tenant).mkdir()
    folder.configure(tmp_path)
    yield tmp_path / tenant
    folder.configure(None)


@pytest.fixture
def engine() -> Iterator[SearchServer]:
    """A web search that finds one page about tulips."""
    tulips = ("Tulips", "https://garden.example/tulips", "Tulips bloom in April and need much sun.")
    with SearchServer.running(finds(tulips)) as engine:
        web.configure(
            WebSearch(engine.url, KEY, timeout_s=2.0, retries=Retries(first_wait_s=0.01, jitter=0.0))
        )
        yield engine
    web.configure(None)
