"""A receiver with secrets, and one without."""

from collections.abc import AsyncIterator

import pytest

from tests.webhooks.receiving import Reception, reception, settings


@pytest.fixture
async def guarded(database: str) -> AsyncIterator[Reception]:
    """Three secrets: the server's own, a signing one, and the one before."""
    async with reception(database, settings()) as running:
        yield running


@pytest.fixture
async def unguarded(database: str) -> AsyncIterator[Reception]:
    """No secret: this machine alone is served."""
    async with reception(database, settings(secret=None, more=())) as running:
        yield running
