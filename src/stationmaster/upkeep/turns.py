"""One pass at a time, whichever process does it: a lease that is renewed with every batch, and a note of each pass."""

import os
import secrets
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from stationmaster.postgres.queries import load
from stationmaster.upkeep.database import Connection, one, rows
from stationmaster.upkeep.errors import PruneAtWork

QUERIES = load(Path(__file__).with_name("turns.sql"))
LEASE_S = 300.0
NIGHT_BEGINS_AT = 3
"""The hour, UTC, from which on a nightly pass is due."""


@dataclass
class Done:
    """What a pass has done: threads deleted, threads whose history went, threads exported first, bytes, webhooks."""

    deleted: int = 0
    trimmed: int = 0
    exported: int = 0
    bytes: int = 0
    webhooks: int = 0
    problem: str | None = None


@dataclass
class Turn:
    """The right to prune, and the note of what is done with it."""

    conn: Connection
    holder: str
    pass_id: int
    done: Done = field(default_factory=Done)

    async def progress(self, *, ended: bool = False) -> None:
        """Write down what is done, and keep the turn. PruneAtWork if it was lost to another meanwhile."""
        params = {**asdict(self.done), "pass_id": self.pass_id, "ended": ended}
        await self.conn.execute(QUERIES["progress"], params)
        if not await rows(self.conn, QUERIES["renew"], {"holder": self.holder, "lease": LEASE_S}):
            raise PruneAtWork(
                "this prune stood still so long that another began: look at `stationmaster db status`"
            )


@asynccontextmanager
async def turn(conn: Connection, days: float, *, nightly: bool = False) -> AsyncIterator[Turn | None]:
    """The turn for the length of a block; None for a nightly one that is not due or another's.

    By hand: PruneAtWork names who has it.
    """
    holder = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
    query = QUERIES["take_nightly" if nightly else "take"]
    params = {"holder": holder, "lease": LEASE_S, **({"hour": NIGHT_BEGINS_AT} if nightly else {})}
    if not await rows(conn, query, params):
        if nightly:
            yield None
            return
        raise PruneAtWork(await _explained(conn))
    finished = False
    try:
        begun = await one(conn, QUERIES["begin"], {"nightly": nightly, "holder": holder, "days": days})
        mine = Turn(conn, holder, begun["pass_id"])
        yield mine
        await mine.progress(ended=True)
        await conn.execute(QUERIES["forget"])
        finished = nightly
    finally:
        if not conn.closed and not conn.broken:
            await conn.execute(QUERIES["give_back"], {"holder": holder, "done": finished})


async def _explained(conn: Connection) -> str:
    found = await rows(conn, QUERIES["who"])
    who = found[0]["holder"].rpartition(":")[0] if found else "another process"
    return f"{who} is pruning: wait for it (`stationmaster db status` shows how far it is)"
