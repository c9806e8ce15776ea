"""`server.json` in the data directory: where the server is, and the credential for commands here."""

from dataclasses import dataclass
from pathlib import Path

from stationmaster.processes.claims import AlreadyRunning
from stationmaster.processes.records import Records

__all__ = ["AlreadyRunning", "Record", "claim", "is_claimed", "read_record", "remove_record", "write_record"]


@dataclass(frozen=True)
class Record:
    """A running server: its address from this machine, `up`'s process id, ISO start time, the local key, where the
    console beside it is (whose own key stands in `console.json`), and what the banner said of model, database,
    runtime and traces."""

    url: str
    pid: int
    started_at: str
    local_key: str
    console_url: str | None = None
    model: str | None = None
    database: str | None = None
    runtime: str | None = None
    traces: str | None = None


def _taken(record: Record | None, data_dir: Path) -> str:
    if record is None:
        return f"another `stationmaster up` is starting or stopping in {data_dir}: wait, or take another --data-dir"
    return (
        f"a server is already running for {data_dir}: {record.url}, pid {record.pid}; "
        "stop it first, or choose another --data-dir"
    )


SERVERS = Records(Record, "server.json", "up.lock", "stationmaster up", _taken)
claim, is_claimed = SERVERS.claim, SERVERS.is_claimed
write_record, read_record, remove_record = SERVERS.write, SERVERS.read, SERVERS.remove
