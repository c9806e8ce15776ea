"""The agents of this process on a seeded shop, and what tests of the served graph talk with."""

from collections.abc import Callable
from functools import partial

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.agents.support.client import Conversation, Waiting
from tests.fakes.shop import place_order


@pytest.fixture
def shop(seeded_database: str) -> str:
    """The URI of a seeded shop of this test's own."""
    return seeded_database


@pytest.fixture
def agents_on_shop(agents_on_seeded_database: str) -> str:
    """The agents of this process work on this test's shop; its URI."""
    return agents_on_seeded_database


@pytest.fixture
def ticket(request: pytest.FixtureRequest) -> str:
    """A ticket id that no other test uses."""
    return str(request.node.name)


@pytest.fixture(scope="session")
def order_of(served_shop: str) -> Callable[..., str]:
    """`order_of(paid_usd)` places a new order in the shop behind `support`; its number."""
    return partial(place_order, served_shop)


@pytest.fixture
async def talk(client: LangGraphClient, ticket: str, order_of: Callable[..., str]) -> Conversation:
    """A new thread, about an order of $640."""
    return await Conversation.open(client, ticket, order_id=order_of())


@pytest.fixture(scope="session")
def all_waiting(order_of: Callable[..., str]) -> Waiting:
    """See `waiting`."""
    return Waiting(order_of)


@pytest.fixture
async def waiting(client: LangGraphClient, all_waiting: Waiting) -> Conversation:
    """A conversation of this test's own that waits at the gate for $640."""
    return await all_waiting.take(client)
