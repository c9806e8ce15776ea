"""Return policies: how long after delivery, and how much of the price, for each reason."""

from typing import Literal, cast

from typing_extensions import TypedDict

from agents.shared.database import connection
from agents.shared.errors import PermanentError
from agents.shared.queries import load

_FIND = load(__file__)["find_policy"]


class NoPolicies(PermanentError):
    """The shop has no return policies; fill it with `stationmaster shop seed`."""


class Policy(TypedDict):
    """`window_days` counts from the day of delivery; `refund_share` is of the price, 1.0 is all of it."""

    reason: Literal["damaged", "not_as_described", "late", "wrong_item", "changed_mind", "other"]
    window_days: int
    refund_share: float
    text: str


async def find_policy(reason: str) -> Policy:
    """The policy for a reason; unknown ones get that of "other". Raises NoPolicies, DatabaseUnavailable."""
    async with connection() as conn:
        row = await (await conn.execute(_FIND, {"reason": reason})).fetchone()
    if row is None:
        raise NoPolicies
    return cast("Policy", row)
