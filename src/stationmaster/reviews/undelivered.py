"""An answer that can't be delivered as things stand: why is kept beside it, when it is tried again, who is told of it,
and when the service stops trying by itself. The answer stays what it is, to be sent once the cause is mended."""

from pathlib import Path
from typing import Any

from stationmaster.errors import StationmasterError
from stationmaster.postgres.queries import load
from stationmaster.reviews import store
from stationmaster.reviews.agent_server import NeverArrived, ThreadMissing
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.errors import AgentServerRefused, AgentServerUnavailable
from stationmaster.reviews.plain_text import storable
from stationmaster.reviews.trail import leave

QUERIES = load(Path(__file__).with_suffix(".sql"))
PUT_OFF, TOLD = QUERIES["put_off"], QUERIES["told"]

FIRST_PAUSE_S, LONGEST_PAUSE_S = 2.0, 600.0
"""Between two tries: twice as long after each."""
AWAY_PAUSE_S = 30.0
"""The longest while nothing answers at all: every answer waits for the same, and leaves soon after it is back."""
UNCERTAIN_S = 10.0
"""After a request whose end is not known: a server that is slow may still take it."""
GIVE_UP_S = 24 * 3600.0
TELL_S = 120.0
"""Until then it may be a restart. What the server itself refuses passes by no waiting, and is told at once."""
LONGEST_ERROR = 1_000


class FailedHere(StationmasterError):
    """This service itself failed at it, as at a thread that it can't read."""

    def __init__(self, error: Exception) -> None:
        super().__init__(
            f"this service could not read what the Agent Server says of the thread ({type(error).__name__}): "
            "see the console's log"
        )


async def put_off(desk: Desk, review_id: str, error: StationmasterError) -> None:
    """Keep why this worker could not take its answer further, and put it back for a later try."""
    refused = isinstance(error, AgentServerRefused) and not isinstance(error, ThreadMissing)
    away = isinstance(error, NeverArrived)
    uncertain = isinstance(error, AgentServerUnavailable) and not away
    parameters: dict[str, Any] = {
        "id": review_id, "worker": desk.name, "error": storable(str(error), LONGEST_ERROR),
        "hold_s": UNCERTAIN_S if uncertain else 0.0, "away": away, "give_up_s": GIVE_UP_S,
        "first_s": FIRST_PAUSE_S, "longest_s": AWAY_PAUSE_S if away else LONGEST_PAUSE_S,
        "tell_s": 0.0 if refused else TELL_S,
    }  # fmt: skip
    async with desk.pool.connection() as conn:
        put = await (await conn.execute(PUT_OFF, parameters)).fetchone()
        if put is None or not (put["to_be_told"] or put["gave_up"]):
            return
        await conn.execute(TOLD, {"id": review_id})
        if review := await store.find(conn, review_id):
            action = "stopped" if put["gave_up"] else "undelivered"
            await leave(conn, review, action, {"why": review.delivery_error, "tries": review.delivery_tries})
