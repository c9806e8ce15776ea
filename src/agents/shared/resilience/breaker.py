"""A circuit breaker for one outside service, shared by every thread and process.

Closed: calls pass; 5 transient failures in a row open it. Open: calls fail at once with BreakerOpen. After
the cooldown exactly one call is let through as a probe; its success closes the breaker, its failure starts
the cooldown anew. A failure that is not transient proves nothing about the service: it neither counts nor
closes, and a probe that ends so, or is cancelled, gives its turn back. A probe whose process died loses its
turn when `probe_s` has passed.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from agents.shared.resilience.in_process import InProcessKeeper
from agents.shared.resilience.passage import THRESHOLDS, BreakerOpen, Keeper, Thresholds
from agents.shared.resilience.transient import is_transient

__all__ = ["BreakerOpen", "Thresholds", "breaker"]

_keeper: Keeper = InProcessKeeper()


@asynccontextmanager
async def breaker(name: str, thresholds: Thresholds = THRESHOLDS) -> AsyncIterator[None]:
    """Stand before every single call to the service `name`: inside `retrying`, so that each try counts.

    Raises BreakerOpen instead of running the block while the breaker is open.
    """
    passage = await _keeper.admit(name, thresholds)
    try:
        yield
    except BaseException as exc:
        if is_transient(exc):
            await _keeper.failed(passage, thresholds)
        elif passage.probe is not None:
            await _keeper.gave_up(passage)
        raise
    await _keeper.succeeded(passage)
