"""The agents of this process on a database of the test's own, in which nothing happened yet."""

import pytest

from tests.agents.digest.world import World


@pytest.fixture
def world(agents_on_database: str) -> World:
    return World(agents_on_database)


@pytest.fixture
def shop_world(agents_on_seeded_database: str) -> World:
    """With a shop's orders, for refunds."""
    return World(agents_on_seeded_database)
