"""Failed sign-ins, counted per name and per address in the database, so that all processes count together.

A name is counted from each address by itself: who guesses at it locks themselves out, and not its owner elsewhere. The
higher count for the name from everywhere stops many addresses that guess together.
"""

import ipaddress
import math
from pathlib import Path

from stationmaster.postgres.queries import load
from stationmaster.reviews.access.errors import TooManyFailures
from stationmaster.reviews.database import Pool

WINDOW_S = 15 * 60
_KIND = {"here": "name", "name": "name", "address": "address"}
LIMIT = {"here": 10, "name": 200, "address": 50}
"""Within WINDOW_S: at a name from one address, at a name from everywhere, from one address at all names."""

QUERIES = load(Path(__file__).parent / "throttle.sql")
COUNT = QUERIES["count"]
FORGIVE = QUERIES["forgive"]
TIDY = QUERIES["tidy"]


async def count(pool: Pool, *, name: str | None, address: str) -> None:
    """Count an attempt as failed before it is judged; TooManyFailures over the limit.

    Counted first: twenty guesses sent at once would otherwise all be judged before the first one counts. The
    window starts with the first failure and doesn't move, so that the waiting time told is the waiting time.
    """
    async with pool.connection() as conn:
        for kind, key in _keys(name, address).items():
            parameters = {"kind": _KIND[kind], "key": key, "window": WINDOW_S}
            row = await (await conn.execute(COUNT, parameters)).fetchone()
            if row is not None and row["failures"] > LIMIT[kind]:
                wait_s = max(1, math.ceil(row["left_s"]))
                break  # what one address asks in vain is not counted against the name everywhere
        else:
            return
    raise TooManyFailures(wait_s)


async def forgive(pool: Pool, *, name: str | None, address: str) -> None:
    """The attempt was right: the name starts anew here, and it and the address get their one attempt back.

    Not all of the address's: whoever has one account could else guess at the others' for ever.
    """
    async with pool.connection() as conn:
        keys = _keys(name, address)
        await conn.execute(
            FORGIVE, {"here": keys.get("here"), "name": keys.get("name"), "address": keys["address"]}
        )
        await conn.execute(TIDY, {"window": WINDOW_S})


def _keys(name: str | None, address: str) -> dict[str, str]:
    """What an attempt counts for, by limit."""
    network = _network(address)
    if name is None:
        return {"address": network}
    known = (
        name.casefold()[:200].replace("\x00", "").replace(" ", "_")
    )  # else a name could be typed that is a `here`
    return {"here": f"{known} {network}", "address": network, "name": known}


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
