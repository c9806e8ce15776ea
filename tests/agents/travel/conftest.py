"""One database with a demo's places and visa rules for all tests of travel; each is a tenant with its own flights."""

from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest

from tests.agents.travel.agency import Agency
from tests.agents.working import working_on
from tests.conftest import clone

_numbers = count(1)


@pytest.fixture(scope="session")
def travel_database(server: str, seeded_template: str) -> Iterator[str]:
    """The URI of the database that these tests share: a clone each would cost more than most of them."""
    yield from clone(server, seeded_template)


@pytest.fixture
async def agency(travel_database: str) -> AsyncIterator[Agency]:
    """A tenant of this test's own, with nothing to sell yet; the agents of this process work on its database."""
    async with working_on(travel_database):
        yield Agency(travel_database, f"agency-{next(_numbers)}")
