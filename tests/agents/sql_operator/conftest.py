"""The operator's tables on a seeded shop, and the agents of this process working on them."""

from collections.abc import AsyncIterator, Iterator

import pytest

from agents.sql_operator import access
from tests.agents.working import working_on
from tests.conftest import clone


@pytest.fixture(scope="session")
def shared_desk(server: str, seeded_template: str) -> Iterator[str]:
    """The URI of a seeded shop for this room: its tests count by their threads, and leave other rows as they were."""
    yield from clone(server, seeded_template)


@pytest.fixture
async def desk(shared_desk: str) -> AsyncIterator[str]:
    """The room's shop, on a server that is nobody else's; the agents of this process work on it."""
    async with working_on(shared_desk):
        access.configure(own_server=True)
        yield shared_desk


@pytest.fixture
def own_desk(agents_on_seeded_database: str) -> str:
    """The same, of this test's own: for what other tests may not see."""
    access.configure(own_server=True)
    return agents_on_seeded_database
