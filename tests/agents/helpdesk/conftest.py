"""One shop for all tests of the helpdesk in this process: they count by their own tickets and make their own orders."""

from collections.abc import AsyncIterator, Iterator

import pytest

from agents.shared import database
from tests.conftest import clone


@pytest.fixture(scope="session")
def helpdesk_shop(server: str, seeded_template: str) -> Iterator[str]:
    yield from clone(server, seeded_template)


@pytest.fixture
async def agents_on_shop(helpdesk_shop: str) -> AsyncIterator[str]:
    """The agents of this process work on the shared shop; its URI."""
    database.configure(helpdesk_shop)
    yield helpdesk_shop
    await database.close()
    database.configure(None)
