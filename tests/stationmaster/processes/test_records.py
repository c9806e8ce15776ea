"""Both records in one data directory: for their owner alone, read back, refused when they are something else."""

from pathlib import Path
from typing import Any

import pytest

from stationmaster.console.record import CONSOLES, ConsoleRecord
from stationmaster.errors import StationmasterError
from stationmaster.processes.claims import AlreadyRunning
from stationmaster.processes.records import Records
from stationmaster.server.record import SERVERS, Record

SERVER = Record(
    "http://127.0.0.1:1", 7, "2026-01-02T03:04:05+00:00", "key-of-the-server", model="offline:rules"
)
CONSOLE = ConsoleRecord("http://127.0.0.1:2", 8, "2026-01-02T03:04:05+00:00", "http://127.0.0.1:1", "its-key")
both = pytest.mark.parametrize(("records", "made"), [(SERVERS, SERVER), (CONSOLES, CONSOLE)])


@both
def test_what_is_written_is_read_by_its_owner_alone(records: Records[Any], made: Any, tmp_path: Path) -> None:
    assert records.read(tmp_path) is None
    records.write(tmp_path, made)
    assert records.read(tmp_path) == made
    assert (tmp_path / records.name).stat().st_mode & 0o777 == 0o600
    records.remove(tmp_path)
    records.remove(tmp_path)
    assert records.read(tmp_path) is None


@both
def test_a_second_one_is_told_who_has_the_directory(records: Records[Any], made: Any, tmp_path: Path) -> None:
    with records.claim(tmp_path):
        with pytest.raises(AlreadyRunning, match="starting or stopping"), records.claim(tmp_path):
            pass
        records.write(tmp_path, made)
        with pytest.raises(AlreadyRunning, match=f"{made.url}, pid {made.pid}"), records.claim(tmp_path):
            pass
        assert records.is_claimed(tmp_path)
    assert not records.is_claimed(tmp_path)


def test_the_two_share_a_directory(tmp_path: Path) -> None:
    with SERVERS.claim(tmp_path), CONSOLES.claim(tmp_path):
        SERVERS.write(tmp_path, SERVER)
        CONSOLES.write(tmp_path, CONSOLE)
        assert (SERVERS.read(tmp_path), CONSOLES.read(tmp_path)) == (SERVER, CONSOLE)


@both
@pytest.mark.parametrize("text", ["{", "[]", '{"url": 5}', '{"unknown": 1}'])
def test_a_file_of_something_else_is_refused(
    records: Records[Any], made: Any, text: str, tmp_path: Path
) -> None:
    (tmp_path / records.name).write_text(text)
    with pytest.raises(StationmasterError, match=f"is not what `{records.made_by}` writes"):
        records.read(tmp_path)
