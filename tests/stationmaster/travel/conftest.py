"""One database with the small inventory, for imports that change nothing of it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster.travel.importer import import_inventory
from tests.conftest import clone
from tests.stationmaster.travel.inventory import Files


@pytest.fixture(scope="module")
def travel_tables(
    server: str, migrated_template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Its URI."""
    directory: Path = tmp_path_factory.mktemp("inventory")
    for uri in clone(server, migrated_template):
        asyncio.run(import_inventory(uri, Files(directory).write(), "main"))
        yield uri
