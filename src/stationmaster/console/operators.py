"""What an operator does about a stuck answer or message, from a page or the API."""

from stationmaster.console.services import Services
from stationmaster.reviews import agent_server, audit, continuing, redirecting, settling
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.database import Pool
from stationmaster.reviews.lifecycle import target
from stationmaster.reviews.model import Review
from stationmaster.reviews.outbox import queue

CONTINUE, RETRY = "continue", "retry"


async def carry_out(
    at_hand: Services, review_id: str, who: Identity, action: str, note: str = "", assistant: str = ""
) -> Review:
    """One of settling's actions, or `continue`; `retry` with another assistant if one is named.

    NotFound, Forbidden; NothingToSettle where it is not safe.
    """
    if action == RETRY and assistant.strip():
        async with agent_server.connect(*target(at_hand.settings)) as server:
            return await redirecting.send_with(at_hand.pool, server, review_id, who, assistant, note)
    if action != CONTINUE:
        return await settling.settle(at_hand.pool, review_id, who, action, note)
    async with agent_server.connect(*target(at_hand.settings)) as server:
        return await continuing.continue_thread(at_hand.pool, server, review_id, who, note)


async def replay(pool: Pool, who: Identity, message_id: str, receiver: str) -> bool:
    """A dead event or notice about a review in scope gets another day of tries; False if there is no such."""
    async with pool.connection() as conn:
        in_scope = {
            (found.message_id, found.receiver): found for found in await queue.troubled(conn, who.scope())
        }
        found = in_scope.get((message_id, receiver))
        if found is None or not await queue.replay(conn, message_id, receiver):
            return False
        detail = {"message_id": message_id, "kind": found.kind, "to": found.shown}
        await audit.record(conn, review_id=found.review_id, actor=who.name, action="replayed", detail=detail)
    return True
