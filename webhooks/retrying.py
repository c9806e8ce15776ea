"""Another try of a delivery that never worked out, because a person asks for it."""

from pathlib import Path

from stationmaster.postgres.queries import load
from stationmaster.reviews import audit
from stationmaster.reviews.database import Pool

RETRY = load(Path(__file__).with_name("deliveries.sql"))["retry"]


async def retry(pool: Pool, delivery_id: int, by: str) -> bool:
    """Let the worker take it again, with all its tries; False when it is not one that failed (any more).
    The audit says that `by` wanted it."""
    async with pool.connection() as conn:
        if await (await conn.execute(RETRY, {"delivery_id": delivery_id})).fetchone() is None:
            return False
        await audit.record(
            conn, review_id=None, actor=by, action="retried", detail={"delivery_id": delivery_id}
        )
    return True
