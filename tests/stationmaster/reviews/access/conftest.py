"""A pool on this test's own database."""

from collections.abc import AsyncIterator

import pytest

from stationmaster.reviews.database import Pool, open_pool


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    async with open_pool(database) as pool:
        yield pool
