"""A rate limiter that all threads and processes share: a call waits for its turn, or is told to come later.

The pace is one row in the database (GCRA): the moment at which the next call would be due if they came evenly. Taking a
turn moves it on, in one statement.
"""

import asyncio

from agents.shared.database import connection
from agents.shared.errors import PermanentError
from agents.shared.queries import load

_TAKE_TURN = load(__file__)["take_turn"]
BURST = 5
"""So many calls may come at once after a quiet time."""
LONGEST_WAIT_S = 2.0


class TooFast(PermanentError):
    """Too many calls in a short time: come back in a moment.

    Permanent, because trying again at once is just what the limit is there to prevent.
    """


async def take_turn(
    name: str, *, tenant: str, per_minute: int, burst: int = BURST, longest_wait_s: float = LONGEST_WAIT_S
) -> None:
    """Wait for this call's turn. Raises TooFast, and takes none, when that would be longer than `longest_wait_s`."""
    asked = {
        "tenant": tenant,
        "name": name,
        "interval_s": 60 / per_minute,
        "burst": burst,
        "longest_s": longest_wait_s,
    }
    async with connection() as conn:
        row = await (await conn.execute(_TAKE_TURN, asked)).fetchone()
    if row is None:
        raise TooFast
    if row["wait_s"] > 0:
        await asyncio.sleep(row["wait_s"])
