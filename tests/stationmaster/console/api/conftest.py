"""A console over HTTP on this test's own database, and a second process beside it where a test wants one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stationmaster.reviews.database import Pool, open_pool
from tests.stationmaster.console.serving import ConsoleProcess, served, settings_for


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    async with open_pool(database, max_size=5) as pool:
        yield pool


@pytest.fixture
async def console(database: str, tmp_path: Path) -> AsyncIterator[str]:
    """The URL of a console without workers."""
    async with served(settings_for(database, tmp_path)) as url:
        yield url


@pytest.fixture
async def two_consoles(database: str, tmp_path: Path) -> AsyncIterator[tuple[str, str]]:
    """The URLs of two console processes on one database."""
    both = [ConsoleProcess(database, tmp_path) for _ in range(2)]
    try:
        for process in both:
            await process.ready()
        yield both[0].url, both[1].url
    finally:
        for process in both:
            process.stop()
