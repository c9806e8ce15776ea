"""`server.json` in the data directory: where the server is, and the credential for commands here."""

import fcntl
import json
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from stationmaster.errors import StationmasterError

RECORD_NAME = "server.json"
CLAIM_NAME = "up.lock"
CLAIM_TRIES = 25
CLAIM_PAUSE_S = 0.02


@dataclass(frozen=True)
class Record:
    """A running server: its address from this machine, `up`'s process id, ISO start time, the local key."""

    url: str
    pid: int
    started_at: str
    local_key: str


class AlreadyRunning(StationmasterError):
    """Another `up` holds the data directory."""


@contextmanager
def claim(data_dir: Path) -> Iterator[int]:
    """Hold the data directory for one `up`; the kernel lets go when the last process that holds it ends.

    Yields the lock's descriptor, for the server process to hold as well. AlreadyRunning says who has it.
    """
    data_dir.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(data_dir / CLAIM_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _lock(descriptor):
            raise AlreadyRunning(_who(data_dir))
        yield descriptor
    finally:
        os.close(descriptor)


def is_claimed(data_dir: Path) -> bool:
    """Whether an `up` lives there. A process id would not do: it may be another process's by now."""
    try:
        descriptor = os.open(data_dir / CLAIM_NAME, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def write_record(data_dir: Path, record: Record) -> None:
    """Replace the file in one step, readable by its owner alone."""
    draft = data_dir / f".{RECORD_NAME}.{secrets.token_hex(4)}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        json.dump(asdict(record), stream)
    draft.replace(data_dir / RECORD_NAME)


def read_record(data_dir: Path) -> Record | None:
    """The record, or None if there is none; whether its server lives is for `is_claimed` to say."""
    path = data_dir / RECORD_NAME
    try:
        return Record(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError):
        raise StationmasterError(
            f"{path} is not what `stationmaster up` writes: remove it and start again"
        ) from None
    except PermissionError:
        raise StationmasterError(
            f"{path} belongs to another user: run this as the user who runs `up`"
        ) from None


def remove_record(data_dir: Path) -> None:
    (data_dir / RECORD_NAME).unlink(missing_ok=True)


def _lock(descriptor: int) -> bool:
    """Take the lock; a command that looks whether it is held does so for an instant, hence several tries."""
    for _ in range(CLAIM_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(CLAIM_PAUSE_S)
        else:
            return True
    return False


def _who(data_dir: Path) -> str:
    record = read_record(data_dir)
    if record is None:
        return f"another `stationmaster up` is starting or stopping in {data_dir}: wait, or take another --data-dir"
    return (
        f"a server is already running for {data_dir}: {record.url}, pid {record.pid}; "
        "stop it first, or choose another --data-dir"
    )
