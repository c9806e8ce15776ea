"""Failed sign-ins, counted per name and per address in the database, so that all processes count together."""

import ipaddress
import math
from pathlib import Path

from stationmaster.postgres.queries import load
from stationmaster.reviews.access.errors import TooManyFailures
from stationmaster.reviews.database import Pool

WINDOW_S = 15 * 60
LIMIT = {"name": 10, "address": 50}

QUERIES = load(Path(__file__).parent / "throttle.sql")
COUNT = QUERIES["count"]
FORGIVE = QUERIES["forgive"]
TIDY = QUERIES["tidy"]


async def count(pool: Pool, *, name: str | None, address: str) -> None:
    """Count an attempt as failed before it is judged; TooManyFailures over the limit.

    Counted first: twenty guesses sent at once would otherwise all be judged before the first one counts. The
    window starts with the first failure and doesn't move, so that the waiting time told is the waiting time.
    """
    keys = {"address": _network(address)} | ({"name": name.casefold()[:200]} if name is not None else {})
    waits: list[float] = []
    async with pool.connection() as conn:
        for kind, key in sorted(keys.items()):
            parameters = {"kind": kind, "key": key.replace("\x00", ""), "window": WINDOW_S}
            row = await (await conn.execute(COUNT, parameters)).fetchone()
            if row is not None and row["failures"] > LIMIT[kind]:
                waits.append(row["left_s"])
    if waits:
        raise TooManyFailures(max(1, math.ceil(max(waits))))


async def forgive(pool: Pool, *, name: str | None, address: str) -> None:
    """The attempt was right: the name starts anew, the address gets its one attempt back.

    Not all of the address's: whoever has one account could else guess at the others' for ever.
    """
    async with pool.connection() as conn:
        await conn.execute(FORGIVE, {"name": name and name.casefold(), "address": _network(address)})
        await conn.execute(TIDY, {"window": WINDOW_S})


def _network(address: str) -> str:
    """One caller's address; of IPv6 the /64, which is what one caller has."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address[:200]
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
