"""A lock file that says whether its holder lives, and files that only their owner reads."""

import fcntl
import json
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stationmaster.errors import StationmasterError

TRIES = 25
PAUSE_S = 0.02


class AlreadyRunning(StationmasterError):
    """Another process holds the claim."""


@contextmanager
def claim(path: Path, who: Callable[[], str]) -> Iterator[int]:
    """Hold the lock file; the kernel lets go when the last process that holds it ends.

    Yields the lock's descriptor, for child processes to hold as well. AlreadyRunning says `who()` has it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _lock(descriptor):
            raise AlreadyRunning(who())
        yield descriptor
    finally:
        os.close(descriptor)


def is_claimed(path: Path) -> bool:
    """Whether its holder lives. A process id would not do: it may be another process's by now."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def write_private(path: Path, content: Mapping[str, Any]) -> None:
    """Replace the file in one step, readable by its owner alone."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        json.dump(content, stream)
    draft.replace(path)


def read_private(path: Path, made_by: str) -> dict[str, Any] | None:
    """What `write_private` wrote; None if there is nothing. StationmasterError for what can't be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError:
        raise unreadable(path, made_by) from None
    except PermissionError:
        raise StationmasterError(
            f"{path} belongs to another user: run this as the user who runs `{made_by}`"
        ) from None
    if not isinstance(found, dict):
        raise unreadable(path, made_by)
    return found


def unreadable(path: Path, made_by: str) -> StationmasterError:
    return StationmasterError(f"{path} is not what `{made_by}` writes: remove it and start again")


def _lock(descriptor: int) -> bool:
    """Take the lock; a command that looks whether it is held does so for an instant, hence several tries."""
    for _ in range(TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(PAUSE_S)
        else:
            return True
    return False
