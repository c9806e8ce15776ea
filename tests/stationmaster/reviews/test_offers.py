"""What a server takes beyond the stock one is learned from itself alone, not from what stands before it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.reviews.agent_server import AgentServer
from stationmaster.reviews.errors import AgentServerUnavailable

OFFERS = {"x-stationmaster-offers": "conditional-resume, idempotency-key"}


@asynccontextmanager
async def answering(*answers: httpx.Response) -> AsyncIterator[AgentServer]:
    """A server that gives these one after the other, and no more."""
    left = list(answers)
    transport = httpx.MockTransport(lambda _: left.pop(0))
    async with httpx.AsyncClient(transport=transport, base_url="http://x") as http:
        yield AgentServer(LangGraphClient(http), "http://x")


@pytest.mark.parametrize(
    "away",
    [
        httpx.Response(503, text="deploying"),
        httpx.Response(502, json={"detail": "no upstream"}),
        httpx.Response(404, text="<html>default backend - 404</html>"),
        httpx.Response(404, json={"message": "no route"}),
        httpx.Response(200, text="<html>we are back soon</html>"),
        httpx.Response(401, json={"detail": "who are you?"}),
    ],
)
async def test_an_answer_that_is_not_its_own_is_not_remembered(away: httpx.Response) -> None:
    async with answering(away, httpx.Response(200, json={}, headers=OFFERS)) as server:
        with pytest.raises(AgentServerUnavailable, match=f"answered {away.status_code} to /info"):
            await server.takes_conditions()
        assert await server.takes_conditions()
        assert await server.takes_conditions()  # kept


@pytest.mark.parametrize(
    ("own", "takes"),
    [
        (httpx.Response(200, json={"version": "0.16.7"}), False),
        (httpx.Response(404, json={"detail": "Not Found"}), False),  # its langgraph.json has it switched off
        (httpx.Response(404, json={"detail": "Not Found"}, headers=OFFERS), True),
    ],
)
async def test_its_own_answer_is_kept(own: httpx.Response, takes: bool) -> None:
    async with answering(own) as server:
        assert [await server.takes_conditions() for _ in range(2)] == [takes, takes]
