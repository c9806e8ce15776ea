"""The operator's tables on a seeded shop, and the agents of this process working on them."""

from collections.abc import Iterator

import pytest

from agents.sql_operator import access


@pytest.fixture
def desk(agents_on_seeded_database: str) -> Iterator[str]:
    """The URI of a seeded shop of this test's own, on a server that is nobody else's."""
    access.configure(own_server=True)
    yield agents_on_seeded_database
    access.configure()
