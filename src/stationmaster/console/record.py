"""`console.json` in the data directory: where the console is, and the key with which commands here are let in."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from stationmaster.processes import claims

RECORD_NAME = "console.json"
CLAIM_NAME = "console.lock"
MADE_BY = "stationmaster console"


@dataclass(frozen=True)
class ConsoleRecord:
    """A running console: its address from this machine, the process id of who started it, ISO start time, the Agent
    Server that it answers to, and its key, which makes whoever can read this file the local operator."""

    url: str
    pid: int
    started_at: str
    api_url: str
    key: str = field(repr=False)


@contextmanager
def claim(data_dir: Path) -> Iterator[int]:
    """Hold the data directory for one console; yields the lock's descriptor. AlreadyRunning says who has it."""
    with claims.claim(data_dir / CLAIM_NAME, lambda: _who(data_dir)) as descriptor:
        yield descriptor


def is_claimed(data_dir: Path) -> bool:
    """Whether a console lives there."""
    return claims.is_claimed(data_dir / CLAIM_NAME)


def write_record(data_dir: Path, record: ConsoleRecord) -> None:
    claims.write_private(data_dir / RECORD_NAME, asdict(record))


def read_record(data_dir: Path) -> ConsoleRecord | None:
    """The record, or None if there is none; whether its console lives is for `is_claimed` to say."""
    path = data_dir / RECORD_NAME
    found = claims.read_private(path, MADE_BY)
    try:
        return found if found is None else ConsoleRecord(**found)
    except TypeError:
        raise claims.unreadable(path, MADE_BY) from None


def remove_record(data_dir: Path) -> None:
    (data_dir / RECORD_NAME).unlink(missing_ok=True)


def _who(data_dir: Path) -> str:
    record = read_record(data_dir)
    if record is None:
        return f"another console is starting or stopping in {data_dir}: wait, or take another --data-dir"
    return (
        f"a console is already running for {data_dir}: {record.url}, pid {record.pid}; "
        "use that one, or choose another --data-dir"
    )
