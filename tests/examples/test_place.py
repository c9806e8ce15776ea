"""Which server an example speaks to when none is named."""

from pathlib import Path

import httpx
import pytest

from examples.chat import explained
from examples.place import USUAL, Place, find_place
from stationmaster.server.record import Record, claim, write_record

RUNNING = Record("http://127.0.0.1:4710", 1, "2026-11-30", "the-local-key", "http://127.0.0.1:4711")


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STATIONMASTER_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("STATIONMASTER_API_KEY", "for-another")
    return tmp_path


def test_the_server_that_runs_here_is_the_default(directory: Path) -> None:
    with claim(directory):
        write_record(directory, RUNNING)
        assert find_place(None) == Place(RUNNING.url, "the-local-key", RUNNING.console_url)
        assert find_place("http://127.0.0.1:9/") == Place("http://127.0.0.1:9", "for-another")
    assert find_place(None) == Place(USUAL, "for-another"), "a record that a dead server left behind is none"


def test_whatever_listens_there_instead_is_named() -> None:
    said = explained(httpx.ReadError(""), USUAL)
    assert USUAL in said
    assert "--url" in said
