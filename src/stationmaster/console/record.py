"""`console.json` in the data directory: where the console is, and the key with which commands here are let in."""

from dataclasses import dataclass, field
from pathlib import Path

from stationmaster.processes.records import Records


@dataclass(frozen=True)
class ConsoleRecord:
    """A running console: its address from this machine, the process id of who started it, ISO start time, the Agent
    Server that it answers to, and its key, which makes whoever can read this file the local operator."""

    url: str
    pid: int
    started_at: str
    api_url: str
    key: str = field(repr=False)


def _taken(record: ConsoleRecord | None, data_dir: Path) -> str:
    if record is None:
        return f"another console is starting or stopping in {data_dir}: wait, or take another --data-dir"
    return (
        f"a console is already running for {data_dir}: {record.url}, pid {record.pid}; "
        "use that one, or choose another --data-dir"
    )


CONSOLES = Records(ConsoleRecord, "console.json", "console.lock", "stationmaster console", _taken)
claim, is_claimed = CONSOLES.claim, CONSOLES.is_claimed
write_record, read_record, remove_record = CONSOLES.write, CONSOLES.read, CONSOLES.remove
