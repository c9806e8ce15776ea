"""What attempts at a run failed with: noted when one is given back, told where the last of them ends it."""

import re

from langgraph_runtime_community.errors import RuntimeTrouble
from langgraph_runtime_community.lease import Lease
from langgraph_runtime_community.sealing import blobs

LONGEST = 300
# What the driver raises where the server said nothing, with address and role in it.
CONNECTION = frozenset({"OperationalError", "InterfaceError", "ConnectionTimeout"})
# Which process it was, is for who can read the row, not for who called.
PROCESS = re.compile(r" \([^()]*, pid \d+\)")
UNREACHABLE = "the database could not be reached, or the connection was lost"
# What stands in an address before its host, and in the words of a connection string.
SECRET = re.compile(r"(?<=://)[^@\s/]+(?=@)|(?<=password=)\S+", re.IGNORECASE)


def in_words(error: BaseException) -> str:
    """An error for the run's row: its class, and one line of what it says, without passwords.

    Whoever may read the thread reads it, hence no host and no role either. With encryption the class alone: the rest
    may be anybody's data.
    """
    name = (isinstance(error, RuntimeTrouble) and error.driver) or type(error).__name__
    line = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    if name in CONNECTION:
        line = UNREACHABLE
    if not line or blobs.active():
        return name
    return SECRET.sub("***", f"{name}: {line}".replace("\x00", ""))[:LONGEST]


def used_up(lease: Lease) -> RuntimeError | None:
    """The error of a run that has had its attempts, which says what they came to; None while one is left, and where
    nothing is known of the last one (the server has words of its own for that)."""
    from langgraph_api.config import BG_JOB_MAX_RETRIES

    if lease.attempt <= BG_JOB_MAX_RETRIES or not lease.trouble:
        return None
    attempt, error = lease.trouble["attempt"], PROCESS.sub("", lease.trouble["error"])
    return RuntimeError(
        f"Run {lease.run_id} exceeded max attempts ({BG_JOB_MAX_RETRIES}): attempt {attempt} was the last, and failed "
        f"with: {error}. The thread is where its last checkpoint left it: mend the cause and run it again. "
        "BG_JOB_MAX_RETRIES says how many attempts a run has."
    )


def was_told(lease: Lease) -> bool:
    """Whether clients were told all that the attempt before this one saved: it gave the run back by itself, after an
    error. One that was killed may have saved a step and told nothing of it; one that a drain cut off, too."""
    trouble = lease.trouble or {}
    return bool(trouble.get("told")) and trouble.get("epoch") == lease.epoch - 1
