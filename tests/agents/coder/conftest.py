"""The agents of this process on a database of the test's own."""

import pytest


@pytest.fixture
def workshop(agents_on_database: str) -> str:
    """The URI of a migrated, empty database of this test's own."""
    return agents_on_database
