"""What works in the background as long as the process lives: begun again when it fails, for nobody else would do it."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
logger = structlog.stdlib.get_logger(__name__)


async def kept_up(name: str, work: Callable[[], Awaitable[None]]) -> None:
    """Until cancelled: do the work, which has no end of its own; after a failure again, each time a little later."""
    loop, pause = asyncio.get_running_loop(), FIRST_PAUSE_S
    while True:
        began = loop.time()
        try:
            await work()
        except Exception as error:
            logger.exception("background work failed, begins again", work=name, exc_info=error)
        if loop.time() - began > LONGEST_PAUSE_S:
            pause = FIRST_PAUSE_S
        await asyncio.sleep(pause)
        pause = min(LONGEST_PAUSE_S, 2 * pause)
