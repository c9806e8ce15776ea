"""What tests of any agent may ask for: an OpenAI-compatible server that the models really talk to."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from agents.shared import models
from tests.fakes.openai_server import OpenAIServer

TEST_KEY = "test-key-that-is-never-real"


@pytest_asyncio.fixture
async def openai_server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OpenAIServer]:
    """Running, and named by OPENAI_BASE_URL with a key in OPENAI_API_KEY; clients are closed at the end."""
    with OpenAIServer.running() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", TEST_KEY)
        yield server
        await models.close()
