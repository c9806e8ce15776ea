"""Another try of a delivery that never worked out, because a person asks for it."""

from pathlib import Path

from stationmaster.postgres.queries import load
from stationmaster.reviews.database import Pool

RETRY = load(Path(__file__).with_name("deliveries.sql"))["retry"]


async def retry(pool: Pool, delivery_id: int) -> bool:
    """Let the worker take it again, with all its tries; False when it is not one that failed (any more)."""
    async with pool.connection() as conn:
        return await (await conn.execute(RETRY, {"delivery_id": delivery_id})).fetchone() is not None
