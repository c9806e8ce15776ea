"""What can't start says so in one line, with the way out, and exit code 2; no page of traceback."""

import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from stationmaster.cli.__main__ import main
from stationmaster.server.policy import UnsafeBind, require_key_for
from stationmaster.settings import ApiKey, load_settings
from tests.fakes.agent_server import AgentServer, clean_environment, free_port
from tests.stationmaster.server.tiny import tiny_project

KEY = "the-key-of-the-tests"


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        yield sock.getsockname()[1]


Refused = Callable[..., str]


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refused:
    """`refused(*arguments, env=...)`: the one line of an `up` in `tmp_path` that must not start."""

    def run(*arguments: str, env: dict[str, str] | None = None) -> str:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["stationmaster", "up", *arguments])
        monkeypatch.setattr(os, "environ", clean_environment(env))
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 2
        lines = capsys.readouterr().err.strip().splitlines()
        assert len(lines) == 1, lines
        assert not (tmp_path / ".stationmaster" / "server.json").exists()
        return lines[0].removeprefix("error: ")

    return run


def test_a_port_in_use(refused: Refused, tmp_path: Path, taken_port: int) -> None:
    tiny_project(tmp_path)
    line = refused("--port", str(taken_port))
    assert f"port {taken_port} on 127.0.0.1 is in use" in line
    assert "--port" in line
    assert not (tmp_path / ".stationmaster" / "postgres").exists()


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_an_address_of_another_machine(refused: Refused, tmp_path: Path, host: str) -> None:
    tiny_project(tmp_path)
    assert "--host" in refused("--host", host, env={"STATIONMASTER_API_KEYS": f"ci:{KEY}"})


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_beyond_this_machine_without_a_configured_key(refused: Refused, tmp_path: Path, host: str) -> None:
    tiny_project(tmp_path)
    line = refused("--host", host, env={"STATIONMASTER_LOCAL_KEY": "a-local-key-is-not-enough"})
    assert f"listening on {host} without a configured key" in line
    assert "STATIONMASTER_API_KEYS" in line


def test_a_bad_line_in_the_env_file(refused: Refused, tmp_path: Path) -> None:
    tiny_project(tmp_path)
    (tmp_path / ".env").write_text("# mine\nSTATIONMASTER_PORT=many\n")
    line = refused()
    assert "STATIONMASTER_PORT" in line
    assert ".env line 2" in line


def test_a_database_that_does_not_answer(refused: Refused, tmp_path: Path) -> None:
    tiny_project(tmp_path)
    uri = f"postgresql://somebody:a-password@127.0.0.1:{free_port()}/shop"
    line = refused("--port", str(free_port()), env={"DATABASE_URI": uri})
    assert "127.0.0.1" in line
    assert "a-password" not in line


def test_data_of_the_other_runtime(refused: Refused, tmp_path: Path) -> None:
    """An upgrade takes no conversations away: somebody has to choose the runtime by name."""
    tiny_project(tmp_path)
    (tmp_path / ".stationmaster" / "server" / ".langgraph_api").mkdir(parents=True)
    said = refused("--port", str(free_port()))
    assert "was served on the runtime inmem until now" in said
    assert "`--edition inmem`" in said


def test_no_project_here(refused: Refused) -> None:
    assert "there is no langgraph.json" in refused()


@pytest.mark.parametrize(
    ("source", "line", "cause"),
    [
        pytest.param(
            "import langgraph\n\nraise RuntimeError('the model file is missing')\n",
            3,
            "RuntimeError: the model file is missing",
            marks=pytest.mark.slow,
        ),
        ("def broken(:\n    pass\n", 1, "invalid syntax"),
    ],
)
def test_a_graph_that_does_not_load(
    refused: Refused, tmp_path: Path, seeded_database: str, source: str, line: int, cause: str
) -> None:
    tiny_project(tmp_path, module="broken_graph", source=source)
    env = {"STATIONMASTER_DATABASE_URI": seeded_database}
    said = refused("--port", str(free_port()), env=env)
    assert "graph 'tiny' (broken_graph)" in said
    assert f"{tmp_path / 'broken_graph.py'}:{line}: " in said
    assert cause in said


async def test_langgraph_dev_beyond_this_machine(tmp_path: Path) -> None:
    """The address is known from LANGGRAPH_API_URL only; nothing is served, and one line says why."""
    server = AgentServer(tmp_path, host="0.0.0.0", config=tiny_project(tmp_path))
    try:
        assert server.spawn().wait(60) == 2
    finally:
        server.kill_blocking()
    assert "error: listening on 0.0.0.0 without a configured key" in server.log
    assert "Traceback" not in server.log


@pytest.mark.parametrize(
    ("host", "allowed"), [("127.0.0.1", True), ("localhost", True), ("::1", True), ("", False)]
)
def test_where_one_may_listen_without_a_key(host: str, allowed: bool) -> None:
    keyless = load_settings().model_copy(update={"api_keys": ()})
    keyed = keyless.model_copy(update={"api_keys": (ApiKey(name="ci", key=SecretStr(KEY)),)})
    require_key_for(host, keyed)
    if allowed:
        require_key_for(host, keyless)
    else:
        with pytest.raises(UnsafeBind):
            require_key_for(host, keyless)
