"""Events and notifications that their receivers did not accept (yet)."""

from dataclasses import asdict
from typing import Any

from stationmaster.console.api.asking import AtHand, Lead, declared
from stationmaster.console.api.bodies import Replaying
from stationmaster.console.json import JSONResponse
from stationmaster.console.operators import replay
from stationmaster.reviews.errors import Conflict
from stationmaster.reviews.outbox import queue


class NothingToReplay(Conflict):
    """A message that was accepted, is still tried, or is none of one's own."""

    code = "nothing_to_replay"


@declared(response_model=list[Any])
async def list_messages(who: Lead, at_hand: AtHand) -> JSONResponse:
    """Messages about reviews in scope that failed: `waiting` are tried again at `next_try_at`, `dead` are not."""
    async with at_hand.pool.connection() as conn:
        return JSONResponse([asdict(found) for found in await queue.troubled(conn, who.scope())])


@declared(response_model=dict[str, Any])
async def replay_message(body: Replaying, who: Lead, at_hand: AtHand) -> JSONResponse:
    """Have a dead message tried for another day, under the id that it had. 409 for one that is not dead."""
    if not await replay(at_hand.pool, who, body.message_id, body.receiver):
        raise NothingToReplay("no such message was given up: look at the list of messages again")
    return JSONResponse({"message_id": body.message_id, "receiver": body.receiver, "state": "waiting"})
