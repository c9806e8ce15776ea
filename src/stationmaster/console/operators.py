"""What an operator does about a stuck answer, from a page or the API: in the database, or with the thread itself."""

from stationmaster.console.services import Services
from stationmaster.reviews import agent_server, continuing, settling
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.lifecycle import target
from stationmaster.reviews.model import Review

CONTINUE = "continue"


async def carry_out(at_hand: Services, review_id: str, who: Identity, action: str, note: str = "") -> Review:
    """One of settling's actions, or `continue`. NotFound, Forbidden; NothingToSettle where it is not safe."""
    if action != CONTINUE:
        return await settling.settle(at_hand.pool, review_id, who, action, note)
    async with agent_server.connect(*target(at_hand.settings)) as server:
        return await continuing.continue_thread(at_hand.pool, server, review_id, who, note)
