"""What tests of any agent may ask for: an OpenAI-compatible server that the models really talk to, the agents of this
process on a seeded shop, and one real `langgraph dev` for the served tests of all graphs.
"""

from collections.abc import AsyncIterator, Callable
from functools import partial

import pytest
import pytest_asyncio

from agents.shared import models
from stationmaster.reviews.agent_server import connect
from stationmaster.reviews.database import open_pool
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.policies import SHIPPED
from stationmaster.reviews.policies import load as load_policies
from tests.agents.reviewing import Inbox
from tests.fakes.agent_server import ROOT, AgentServer
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.shop import place_order

TEST_KEY = "test-key-that-is-never-real"


@pytest_asyncio.fixture
async def openai_server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenAIServer]:
    """Running, and named by OPENAI_BASE_URL with a key in OPENAI_API_KEY; clients are closed at the end."""
    with OpenAIServer.running() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", TEST_KEY)
        yield server
        await models.close()


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


@pytest.fixture(scope="session")
def served(support: AgentServer) -> AgentServer:
    """The one server that all graphs' `test_served_*.py` share, on the shop of `served_shop`; never killed, no key.

    `client` is a client of it, `ledger` counts what was done in its shop. tests/scheduling.py keeps those files with
    one worker.
    """
    return support


@pytest.fixture
async def inbox(database: str, served: AgentServer) -> AsyncIterator[Inbox]:
    """The review service, with the shipped policies and a database of this test's own, in front of `served`."""
    async with open_pool(database) as pool, connect(served.url) as server:
        yield Inbox(Desk(pool, server, load_policies(ROOT / SHIPPED), "test"))
