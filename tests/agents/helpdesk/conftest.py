"""One shop for all tests of the helpdesk in this process: they count by their own tickets and make their own orders."""

from collections.abc import AsyncIterator, Iterator

import pytest

from agents.shared import database
from tests.agents.working import working_on
from tests.conftest import clone


@pytest.fixture(scope="session")
def helpdesk_shop(server: str, seeded_template: str) -> Iterator[str]:
    yield from clone(server, seeded_template)


@pytest.fixture
async def agents_on_shop(helpdesk_shop: str) -> AsyncIterator[str]:
    """The agents of this process work on the shared shop, in which no pace is used up; its URI."""
    async with working_on(helpdesk_shop):
        async with database.connection() as conn:
            await conn.execute("update helpdesk.paces set due_at = now() where due_at > now()")
        yield helpdesk_shop
