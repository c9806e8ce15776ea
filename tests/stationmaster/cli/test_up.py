"""`stationmaster up` from start to end: what it prints and leaves, how it stops, and what happens if it is killed."""

import os
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from stationmaster.server.record import is_claimed
from tests.fakes.agent_server import free_port
from tests.stationmaster.cli.running import Up, alive, eventually, in_process, stationmaster
from tests.stationmaster.server.foreign import foreign_project
from tests.stationmaster.server.tiny import tiny_project

KEY = "the-key-of-the-tests"
Make = Callable[..., Up]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """`make(env=..., arguments=...)`: an `up` of the tiny project, killed at the end."""
    made: list[Up] = []

    def start(**options: object) -> Up:
        made.append(Up(tmp_path, **options))  # pyright: ignore[reportArgumentType]
        return made[-1].start()

    tiny_project(tmp_path)
    yield start
    for up in made:
        up.kill()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_newcomers_session_on_the_embedded_database(make: Make, tmp_path: Path) -> None:
    (tmp_path / "assistants").mkdir()
    (tmp_path / "assistants" / "a.yaml").write_text("name: a\ngraph: tiny\n")
    up = make()
    # What it prints.
    for text in (
        up.url,
        f"{up.url}/docs",
        f"https://smith.langchain.com/studio/?baseUrl={up.url}",
        "offline:rules",
    ):
        assert text in up.banner
    assert "STATIONMASTER_STUDIO=true" in up.banner
    assert str(up.data_dir) in up.banner
    assert "customers" in up.banner  # the shop was seeded
    assert "1 assistant, 0 crons: 1 created" in up.banner
    # What it leaves for other commands.
    record = up.data_dir / "server.json"
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert up.record["url"] == up.url
    assert int(up.record["pid"]) == up.running.pid
    assert stat.S_IMODE((up.data_dir / "server.log").stat().st_mode) == 0o600
    # It serves: anybody on this machine, and whoever has the local key; nobody with a wrong one.
    assert up.get("/ok").json()["ok"] is True
    assert up.post("/assistants/search").status_code == 200
    assert up.post("/assistants/search", key=up.record["local_key"]).status_code == 200
    assert up.post("/assistants/search", key="some-wrong-key").status_code == 401
    assert up.post("/internal/truncate").status_code == 404
    thread = up.post("/threads").json()["thread_id"]
    # Other commands find it.
    told = in_process("status", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    assert up.url in told.stdout
    assert "tiny" in told.stdout
    # A second one on the same data is refused, and says who is there.
    second = stationmaster("up", "--port", str(free_port()), cwd=tmp_path)
    assert second.returncode == 2
    assert up.url in second.stderr
    assert str(up.running.pid) in second.stderr
    # A clean stop, which a client that listens for ever does not hold up, leaves nothing behind but the data.
    child = up.child
    with httpx.stream("GET", f"{up.url}/threads/{thread}/stream", timeout=60, trust_env=False) as stream:
        assert stream.status_code == 200
        assert up.stop(signal.SIGTERM) == 0, up.rest()
    assert "Traceback" not in "".join(up.rest())
    assert not alive(child)
    assert not listens(up.port)
    assert not record.exists()
    assert not list((up.data_dir / "postgres").glob("postmaster.pid"))
    gone = in_process("status", cwd=tmp_path)
    assert gone.returncode == 2
    assert "stationmaster up" in gone.stderr
    # The next start has it again, and does not seed again.
    again = make(port=up.port)
    assert again.get(f"/threads/{thread}").status_code == 200
    assert "customers" not in again.banner
    assert again.stop(signal.SIGINT) == 0


@pytest.mark.slow
def test_whoever_of_the_two_is_killed_the_other_ends_and_says_so(
    make: Make, seeded_database: str, tmp_path: Path
) -> None:
    env = {"STATIONMASTER_DATABASE_URI": seeded_database, "STATIONMASTER_LOG_LEVEL": "info"}
    up = make(env=env)
    child = up.child
    up.running.kill()
    up.running.wait()
    eventually(lambda: not alive(child), "stopped the orphaned server")
    assert not listens(up.port)
    eventually(lambda: not is_claimed(up.data_dir), "stopped the console too")
    told = in_process("status", cwd=tmp_path)
    assert told.returncode == 2
    assert "is gone" in told.stderr
    assert f"pid {up.running.pid}" in told.stderr

    again = make(env=env, port=up.port)
    os.kill(again.child, signal.SIGKILL)
    assert again.running.wait(30) == 1
    err = again.rest()[1]
    assert "ended by itself" in err
    assert "Application startup complete" in err
    assert "Traceback" not in err
    assert not (up.data_dir / "server.json").exists()


@pytest.mark.slow
def test_a_stop_that_comes_early_is_clean(tmp_path: Path, seeded_database: str) -> None:
    tiny_project(tmp_path)
    up = Up(tmp_path, env={"STATIONMASTER_DATABASE_URI": seeded_database})
    starting = up.spawn()
    try:
        eventually(lambda: up.children != [], "started its server")
        child = up.child
        assert up.stop(signal.SIGINT) == 0
        assert not alive(child)
        assert "Traceback" not in "".join(up.rest())
    finally:
        if starting.poll() is None:
            up.kill()


@pytest.mark.slow
def test_beyond_this_machine_with_a_key_from_the_env_file(
    make: Make, seeded_database: str, tmp_path: Path
) -> None:
    """`.env` reaches the server although it runs in another directory; then loopback needs the key too."""
    (tmp_path / ".env").write_text(
        f"STATIONMASTER_API_KEYS=ci:{KEY}\nSTATIONMASTER_DATABASE_URI={seeded_database}\n"
    )
    up = make(arguments=("--host", "0.0.0.0", "--data-dir", "elsewhere"))
    assert up.get("/ok").status_code == 200
    assert up.post("/assistants/search").status_code == 401
    assert up.post("/assistants/search", key=KEY).status_code == 200
    assert "callers: ci" in up.banner
    assert KEY not in up.banner
    # The data directory's own commands have the local key.
    assert in_process("status", "--data-dir", "elsewhere", cwd=tmp_path).returncode == 0
    # What it runs on is what it was started with, whatever the settings say now.
    other = {"STATIONMASTER_DATABASE_URI": "postgresql://other.example/db", "OPENAI_API_KEY": "new"}
    told = in_process("status", "--data-dir", "elsewhere", cwd=tmp_path, env=other)
    assert "offline:rules" in told.stdout
    assert "other.example" not in told.stdout
    assert in_process("status", cwd=tmp_path).returncode == 2
    refused = in_process("status", "--api-url", up.url, cwd=tmp_path)
    assert refused.returncode == 2
    assert "STATIONMASTER_API_KEY" in refused.stderr
    named = stationmaster(
        "status", "--json", cwd=tmp_path, env={"STATIONMASTER_API_URL": up.url, "STATIONMASTER_API_KEY": KEY}
    )
    assert named.returncode == 0, named.stderr


@pytest.mark.slow
def test_a_project_of_somebody_elses_with_inbox_and_durability(tmp_path: Path, database: str) -> None:
    """Its own auth is asked by all: the console comes with STATIONMASTER_API_KEY, whatever that auth makes of it."""
    project = tmp_path / "project"
    project.mkdir()
    config = foreign_project(project)
    env = {"STATIONMASTER_DATABASE_URI": database, "STATIONMASTER_API_KEY": KEY}
    up = Up(tmp_path, env, ("--config", str(config), "--edition", "community"))
    try:
        up.start()
        assert "the project's own ./security/auth.py:auth" in up.banner and "shop" not in up.banner
        assert up.get("/hello").text == "from the project's own app"
        assert up.post("/threads").status_code == 401
        thread = up.post("/threads", key=KEY).json()["thread_id"]
        up.post(f"/threads/{thread}/runs/wait", {"assistant_id": "bot", "input": {"name": "Ann"}}, key=KEY)
        eventually(
            lambda: thread in in_process("reviews", "list", "--json", cwd=tmp_path, env=env).stdout,
            "in the inbox",
        )
    finally:
        up.kill()
