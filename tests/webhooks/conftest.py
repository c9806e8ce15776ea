"""A receiver with secrets, and one without."""

from collections.abc import AsyncIterator

import pytest

from tests.webhooks.receiving import Desk, desk, settings


@pytest.fixture
async def guarded(database: str) -> AsyncIterator[Desk]:
    """Three secrets: the server's own, a signing one, and the one before."""
    async with desk(database, settings()) as running:
        yield running


@pytest.fixture
async def unguarded(database: str) -> AsyncIterator[Desk]:
    """No secret: this machine alone is served."""
    async with desk(database, settings(secret=None, more=())) as running:
        yield running
