"""One seeded shop for all tests of the team in this process: they count by their own threads."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.agents.working import working_on
from tests.conftest import clone


@pytest.fixture(scope="session")
def team_shop(server: str, seeded_template: str) -> Iterator[str]:
    yield from clone(server, seeded_template)


@pytest.fixture
async def workshop(team_shop: str) -> AsyncIterator[str]:
    """The agents of this process work on the shared shop; its URI."""
    async with working_on(team_shop):
        yield team_shop
