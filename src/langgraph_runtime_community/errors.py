"""What can go wrong below the server, in classes of our own: a node's trouble with its database is not ours.

Driver errors become these at one seam, in `database`.
"""

import psycopg
from psycopg.errors import DeadlockDetected, SerializationFailure, UniqueViolation
from psycopg_pool import PoolTimeout


class RuntimeTrouble(Exception):
    """Root of this room's errors. `driver`: the class of the driver's error that it stands for, which says more; kept
    apart from its cause, which those who raise it again may drop."""

    driver: str | None = None


class Unavailable(RuntimeTrouble):
    """The database is away; whether the statement took effect is not known."""


class Overloaded(Unavailable):
    """No connection came free in time: nothing was done. The server answers 503."""


class Conflict(RuntimeTrouble):
    """Two transactions got in each other's way and this one was undone: it may be tried again."""


class LeaseLost(RuntimeTrouble):
    """The run is another worker's by now: what this one still wants to write counts for nothing."""


class LeaseLapsed(RuntimeTrouble):
    """This process was silent for longer than its lease: the run stops here, and goes on wherever it is claimed."""


class RunInFlight(RuntimeTrouble):
    """The thread's state can't be changed from outside while a run of it is in flight."""


class ThreadMoved(RuntimeTrouble):
    """The thread's state is not the one that was looked at any more: nothing was done."""


class KeyUsed(RuntimeTrouble):
    """A run was made with this idempotency key before: nothing was done."""


class AnswerAwaited(RuntimeTrouble):
    """The thread waits for an answer, and the run brings new input: nothing was done."""


ONE_RUNNING = "runs_one_running"
OURS = {
    "SM001": LeaseLost,
    "SM002": RunInFlight,
    "SM003": ThreadMoved,
    "SM004": KeyUsed,
    "SM005": AnswerAwaited,
}


def translated(error: Exception) -> Exception:
    """The driver's error as one of ours; what is a bug of ours (a wrong statement) stays as it is."""
    ours = _ours(error)
    if ours is None:
        return error
    ours.driver = type(error).__name__
    return ours


def _ours(error: Exception) -> RuntimeTrouble | None:
    if isinstance(error, PoolTimeout):
        return Overloaded(
            "no database connection came free in time: raise the pool's size, or lower the load"
        )
    if isinstance(error, SerializationFailure | DeadlockDetected):
        return Conflict(str(error))
    if isinstance(error, UniqueViolation) and error.diag.constraint_name == ONE_RUNNING:
        return Conflict(f"another worker has just taken up a run of the same thread: {error}")
    if isinstance(error, psycopg.Error) and error.sqlstate in OURS:
        return OURS[error.sqlstate](error.diag.message_primary or str(error))
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return Unavailable(str(error))
    return None
