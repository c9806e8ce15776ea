"""Which server a command finds, with which key, and what it says where there is none."""

import json
from pathlib import Path

import pytest
from pydantic import SecretStr

from stationmaster.cli.target import NoServer, Target, client, find_target
from stationmaster.errors import StationmasterError
from stationmaster.server.record import AlreadyRunning, Record, claim, is_claimed, read_record, write_record
from stationmaster.settings import Settings, load_settings

RECORD = Record(
    url="http://127.0.0.1:2999", pid=4711, started_at="2026-01-02T03:04:05+00:00", local_key="local-key"
)


def settings(data_dir: Path, api_url: str | None = None) -> Settings:
    made = load_settings().model_copy(update={"data_dir": data_dir, "api_url": api_url})
    return made.model_copy(update={"api_key": SecretStr("key-of-the-environment")})


def test_what_the_command_line_says_comes_first(tmp_path: Path) -> None:
    named = settings(tmp_path / "default", api_url="https://env.example/")
    remote = "key-of-the-environment"
    assert find_target(named, "https://cli.example/") == Target("https://cli.example", remote)
    assert find_target(named) == Target("https://env.example", remote)
    with claim(tmp_path / "mine"):
        write_record(tmp_path / "mine", RECORD)
        assert find_target(named, None, tmp_path / "mine") == Target(RECORD.url, "local-key")
    with pytest.raises(StationmasterError, match="no server's URL"):
        find_target(named, "cli.example")


def test_the_default_data_directory_is_the_last_resort(tmp_path: Path) -> None:
    with claim(tmp_path):
        write_record(tmp_path, RECORD)
        assert find_target(settings(tmp_path)) == Target(RECORD.url, "local-key")


def test_where_nothing_runs_it_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NoServer, match="`stationmaster up`"):
        find_target(settings(tmp_path / "never"))
    with claim(tmp_path / "starting"), pytest.raises(NoServer, match="starting or stopping"):
        find_target(settings(tmp_path / "starting"))
    with claim(tmp_path / "dead"):
        write_record(tmp_path / "dead", RECORD)
    with pytest.raises(NoServer, match=r"pid 4711.* is gone"):
        find_target(settings(tmp_path / "dead"))


def test_a_data_directory_has_one_up_at_a_time(tmp_path: Path) -> None:
    assert not is_claimed(tmp_path)
    with claim(tmp_path):
        assert is_claimed(tmp_path)
        with pytest.raises(AlreadyRunning, match="starting or stopping"), claim(tmp_path):
            pass
        write_record(tmp_path, RECORD)
        with pytest.raises(AlreadyRunning, match=r"http://127\.0\.0\.1:2999, pid 4711"), claim(tmp_path):
            pass
    assert not is_claimed(tmp_path)


def test_a_record_that_nobody_wrote_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    for text in ("{", "[]", json.dumps({"url": "x"}), ""):
        (tmp_path / "server.json").write_text(text)
        with pytest.raises(StationmasterError, match="remove it"):
            read_record(tmp_path)


async def test_without_a_key_the_client_sends_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGSMITH_API_KEY", "of-langsmith")
    async with client(Target("http://127.0.0.1:9")) as sdk:
        assert "x-api-key" not in sdk.http.client.headers
    async with client(Target("http://127.0.0.1:9", "mine")) as sdk:
        assert sdk.http.client.headers["x-api-key"] == "mine"
