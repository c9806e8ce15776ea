"""What may be tried again, for the server: its route handlers, its worker, its cron loop."""

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from langgraph_runtime_community.errors import Conflict, LeaseLapsed, LeaseLost, Overloaded, Unavailable

P = ParamSpec("P")
T = TypeVar("T")

# The worker puts a run that failed with one of these back into the queue instead of ending it.
RETRIABLE_EXCEPTIONS: tuple[type[BaseException], ...] = (Unavailable, Conflict, LeaseLost, LeaseLapsed)
OVERLOADED_EXCEPTIONS: tuple[type[BaseException], ...] = (Overloaded,)
TRIES = 3


def retry_db(handler: Callable[P, Awaitable[T]]) -> Callable[P, Awaitable[T]]:
    """Try a handler again where its transaction was undone. Never after an unknown outcome: each try of a route
    makes a run id of its own, so that a second one might make a second run."""

    @functools.wraps(handler)
    async def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        for attempt in range(1, TRIES):
            try:
                return await handler(*args, **kwargs)
            except Conflict:
                await asyncio.sleep(0.01 * attempt)
        return await handler(*args, **kwargs)

    return wrapped
