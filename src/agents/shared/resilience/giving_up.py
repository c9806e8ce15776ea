"""How a node ends that could not do its work: with a note in state, once its tries are used up.

Why not a node's `error_handler`: LangGraph runs that as a task of its own, which shows as a node without edges in every
drawing; and when it raises a bug on, the thread is left with nothing to run next, so that not even a mended
release can go on with it. A node that raises keeps its place.
"""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from langgraph.runtime import Runtime

from agents.shared.errors import PermanentError, in_full, told
from agents.shared.resilience.retry import RETRY
from agents.shared.resilience.transient import is_transient

_log = logging.getLogger(__name__)


@dataclass
class GivenUp:
    """What could not be done, in words for callers (`errors.told`); empty while all is well."""

    reasons: list[str] = field(default_factory=list)


@asynccontextmanager
async def giving_up(
    runtime: Runtime[Any], *, tried_enough: tuple[type[Exception], ...] = ()
) -> AsyncIterator[GivenUp]:
    """Stand around the work of a node that has `retry_policy=RETRY`.

    A transient error goes on to the retry policy while tries are left. After the last, and at once for a
    PermanentError (an open breaker, a refused payment), the reason is noted and the block ends quietly. So it
    does for what `tried_enough` names: errors whose own client has used up its tries, which another round by
    the node would multiply. A bug is raised as it is.
    """
    given_up = GivenUp()
    try:
        yield given_up
    except Exception as error:
        final = isinstance(error, (PermanentError, *tried_enough))
        if not final and (not is_transient(error) or _tries_left(runtime)):
            raise
        _log.warning("given up on thread %s: %s", _thread(runtime), in_full(error))
        given_up.reasons.append(told(error))


def _thread(runtime: Runtime[Any]) -> str:
    return (runtime.execution_info.thread_id if runtime.execution_info else None) or "-"


def _tries_left(runtime: Runtime[Any]) -> bool:
    """Whether the retry policy will run the node again; a node called by hand has no other try."""
    info = runtime.execution_info
    return info is not None and info.node_attempt < RETRY.max_attempts
