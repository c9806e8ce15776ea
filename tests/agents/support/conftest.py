"""What tests of the served support graph talk with."""

from collections.abc import Callable

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.agents.support.client import Conversation, Waiting


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
