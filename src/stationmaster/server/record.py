"""`server.json` in the data directory: where the server is, and the credential for commands here."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from stationmaster.processes import claims
from stationmaster.processes.claims import AlreadyRunning

__all__ = ["AlreadyRunning", "Record", "claim", "is_claimed", "read_record", "remove_record", "write_record"]

RECORD_NAME = "server.json"
CLAIM_NAME = "up.lock"
MADE_BY = "stationmaster up"


@dataclass(frozen=True)
class Record:
    """A running server: its address from this machine, `up`'s process id, ISO start time, the local key, where the
    console beside it is (whose own key stands in `console.json`), and what the banner said of model and database."""

    url: str
    pid: int
    started_at: str
    local_key: str
    console_url: str | None = None
    model: str | None = None
    database: str | None = None


@contextmanager
def claim(data_dir: Path) -> Iterator[int]:
    """Hold the data directory for one `up`; yields the lock's descriptor, for its children to hold as well."""
    with claims.claim(data_dir / CLAIM_NAME, lambda: _who(data_dir)) as descriptor:
        yield descriptor


def is_claimed(data_dir: Path) -> bool:
    """Whether an `up` lives there."""
    return claims.is_claimed(data_dir / CLAIM_NAME)


def write_record(data_dir: Path, record: Record) -> None:
    claims.write_private(data_dir / RECORD_NAME, asdict(record))


def read_record(data_dir: Path) -> Record | None:
    """The record, or None if there is none; whether its server lives is for `is_claimed` to say."""
    path = data_dir / RECORD_NAME
    found = claims.read_private(path, MADE_BY)
    try:
        return found if found is None else Record(**found)
    except TypeError:
        raise claims.unreadable(path, MADE_BY) from None


def remove_record(data_dir: Path) -> None:
    (data_dir / RECORD_NAME).unlink(missing_ok=True)


def _who(data_dir: Path) -> str:
    record = read_record(data_dir)
    if record is None:
        return f"another `stationmaster up` is starting or stopping in {data_dir}: wait, or take another --data-dir"
    return (
        f"a server is already running for {data_dir}: {record.url}, pid {record.pid}; "
        "stop it first, or choose another --data-dir"
    )
