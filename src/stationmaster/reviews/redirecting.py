"""An answer that can't be delivered with the assistant that asked: an operator has it sent with another one, as when
an assistant was deleted, or a graph was renamed in langgraph.json."""

import asyncio
from collections.abc import Mapping
from typing import Any

from stationmaster.reviews import store
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.agent_server import AgentServer
from stationmaster.reviews.database import Pool
from stationmaster.reviews.errors import AgentServerUnavailable, AnswerRefused, Forbidden
from stationmaster.reviews.model import Review
from stationmaster.reviews.settling import QUERIES, NothingToSettle, action_of
from stationmaster.reviews.trail import leave

SEND_WITH = QUERIES["send_with"]
HANDING_OVER_S = 5.0
"""The row is locked meanwhile, and with it the renewal of a worker's leases: far less than those last."""


async def send_with(
    pool: Pool, server: AgentServer, review_id: str, who: Identity, assistant: str, note: str = ""
) -> Review:
    """Try it again with the assistant of this id or name. One of another graph takes the thread over: its state is read
    by that graph from then on.

    NotFound, Forbidden; NothingToSettle for what has left already, or waits for nothing; AnswerRefused where there is
    no such assistant, or several.
    """
    async with pool.connection() as conn:
        review = await store.get(conn, review_id, who)
    if not who.has("lead"):
        raise Forbidden("this takes the role lead or admin: ask one of them")
    if review.state != "decided" or action_of(review) != "retry":
        raise NothingToSettle("only an answer that was never sent goes to another assistant: look again")
    found = await server.assistant_named(assistant.strip())
    if not found:
        raise AnswerRefused(
            {"assistant": "must be the id of an assistant of the server, or the name of just one"}
        )
    async with pool.connection() as conn:
        # The row first: from here on no worker marks it as sent, and of two operators the second comes after the first.
        parameters = {"id": review.id, "assistant_id": found["assistant_id"]}
        if await (await conn.execute(SEND_WITH, parameters)).fetchone() is None:
            raise NothingToSettle("this has changed meanwhile: look at the list again")
        if found["graph_id"] != review.graph:
            await _hand_over(server, review.thread_id, found)
        after = await store.get(conn, review.id, who)
        told = {
            "action": "retry", "assistant_id": found["assistant_id"], "assistant": found["name"], "why": note or None,
        }  # fmt: skip
        await leave(conn, after, "settled", told, who.name)
    return after


async def _hand_over(server: AgentServer, thread_id: str, assistant: Mapping[str, Any]) -> None:
    try:
        async with asyncio.timeout(HANDING_OVER_S):
            await server.give_thread_to(thread_id, assistant)
    except TimeoutError:
        raise AgentServerUnavailable(
            "the Agent Server is too slow to hand the thread over: nothing was changed here; try again"
        ) from None
