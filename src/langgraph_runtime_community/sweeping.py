"""What is done now and then: orphans back into the queue, threads and events past their time, dead workers."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import structlog

from langgraph_runtime_community import database, metrics
from langgraph_runtime_community.config import config
from langgraph_runtime_community.errors import RuntimeTrouble
from langgraph_runtime_community.ops import orphans, pruning
from langgraph_runtime_community.work import BENCH
from stationmaster.postgres.queries import load

HERE = Path(__file__).parent
FORGET_EVENTS = load(HERE / "streams" / "keeping.sql")["forget"]
FORGET_LISTENERS = load(HERE / "streams" / "keeping.sql")["forget_listeners"]
FORGET_KEYS = load(HERE / "ops" / "guards.sql")["forget_keys"]
FORGET_DEAD = load(HERE / "heartbeat.sql")["forget_dead"]
HOUSEKEEPING_S = 60.0
QUEUE_S = 10.0
logger = structlog.stdlib.get_logger(__name__)


async def recover() -> int:
    """Runs that have no worker any more; how many."""
    bench = BENCH.get()
    found = await orphans.recover(list(bench.leases) if bench else [])
    if found and bench:
        bench.wake()
    return found


async def housekeeping() -> None:
    """Remove what nobody can ask for any more."""
    await database.execute(FORGET_EVENTS, {"keep": config().events_keep_s})
    await database.execute(FORGET_KEYS, {"keep": config().keys_keep_s})
    await database.execute(FORGET_DEAD)
    await database.execute(FORGET_LISTENERS)


async def expire() -> None:
    """Threads past their time to live."""
    from langgraph_api.config import THREAD_TTL

    await pruning.sweep((THREAD_TTL or {}).get("sweep_limit") or 1000)


async def sweep() -> None:
    """Until cancelled."""
    from langgraph_api.config import THREAD_TTL

    minutes = (THREAD_TTL or {}).get("sweep_interval_minutes") or 5
    jobs: list[tuple[Callable[[], Awaitable[object]], float]] = [
        (recover, config().lease_s / 4),
        (metrics.look_at_the_queue, QUEUE_S),
        (housekeeping, HOUSEKEEPING_S),
        (expire, minutes * 60),
    ]
    await asyncio.gather(*(_repeat(job, every) for job, every in jobs))


async def _repeat(job: Callable[[], Awaitable[object]], every_s: float) -> None:
    while True:
        before = time.monotonic()
        try:
            await job()
        except RuntimeTrouble as error:
            logger.warning("housekeeping failed, comes again", job=job.__name__, error=str(error))
        except Exception as error:
            # Whatever is wrong with one of them (a missing right, a bug): the others go on, the search for orphans
            # above all, and it may be mended meanwhile.
            logger.exception("housekeeping failed, comes again", job=job.__name__, exc_info=error)
        await asyncio.sleep(max(0.1, every_s - (time.monotonic() - before)))
