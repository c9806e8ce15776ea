"""When a cron is due next, as the server's own cron loop reckons."""

import asyncio
from datetime import datetime

from starlette.exceptions import HTTPException


async def following(schedule: str, after: datetime, timezone: str | None) -> datetime:
    """The first time after a moment; HTTPException 422 for a schedule that has none."""
    from langgraph_api.utils import next_cron_date

    try:
        return await asyncio.to_thread(next_cron_date, schedule, after, timezone)
    except (ValueError, KeyError, AttributeError) as error:
        raise HTTPException(422, f"Invalid cron schedule '{schedule}': {error}") from None
