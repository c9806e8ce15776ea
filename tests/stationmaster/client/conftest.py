"""What tests of the client share: orders of their own, and a line to the served `support` that can be cut."""

from collections.abc import AsyncIterator, Callable
from functools import partial

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from tests.agents.support.client import Conversation
from tests.fakes.agent_server import AgentServer
from tests.fakes.line import Line, line
from tests.fakes.shop import place_order


@pytest.fixture
def ticket(request: pytest.FixtureRequest) -> str:
    """A ticket id that no other test uses."""
    return f"client-{request.node.name}"


@pytest.fixture(scope="session")
def order_of(served_shop: str) -> Callable[..., str]:
    """`order_of(paid_usd)` places a new order in the shop behind `support`; its number."""
    return partial(place_order, served_shop)


@pytest.fixture
async def talk(client: LangGraphClient, ticket: str, order_of: Callable[..., str]) -> Conversation:
    """A new thread, about an order of $640."""
    return await Conversation.open(client, ticket, order_id=order_of())


@pytest.fixture
async def cable(support: AgentServer) -> AsyncIterator[Line]:
    """A line to `support`."""
    async with line(support.url) as made:
        yield made


@pytest.fixture
async def far(cable: Line) -> AsyncIterator[LangGraphClient]:
    """A client at the other end of `cable`."""
    async with get_client(url=cable.url, api_key=None) as made:
        yield made
