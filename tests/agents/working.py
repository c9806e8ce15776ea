"""The agents of this process at work on a database that tests share, as if nothing had failed there before."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agents.shared import database
from agents.shared.resilience.breaker import _KEEPERS  # pyright: ignore[reportPrivateUsage]
from agents.shared.resilience.in_process import ProcessKeeper


@asynccontextmanager
async def working_on(uri: str) -> AsyncIterator[None]:
    """No breaker is open, or half way to it, neither there nor in this process."""
    database.configure(uri)
    _KEEPERS.own, _KEEPERS._shared_again_at = ProcessKeeper(), 0.0  # pyright: ignore[reportPrivateUsage]
    async with database.connection() as conn:
        await conn.execute("delete from shop.breakers")
    try:
        yield
    finally:
        await database.close()
        database.configure(None)
