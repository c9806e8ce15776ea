"""`stationmaster serve`: two servers on one port and one database, and what it refuses."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import cast

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.errors import NotFoundError

from tests.fakes.agent_server import clean_environment, free_port
from tests.stationmaster.cli.running import COMMAND, LAST_LINE, eventually, in_process
from tests.stationmaster.server.foreign import foreign_project
from tests.stationmaster.server.tiny import tiny_project

KEY = "0123456789abcdef"


@pytest.mark.slow
def test_two_servers_on_one_port_until_sigterm(tmp_path: Path, database: str) -> None:
    config = tiny_project(tmp_path)
    port = free_port()
    process = started(config, port, tmp_path / "serve.log", database, "--replicas", "2")
    try:
        assert httpx.get(f"http://127.0.0.1:{port}/ok?check_db=1", trust_env=False).json()["ok"] is True
        lasts(f"http://127.0.0.1:{port}")
        info = httpx.get(f"http://127.0.0.1:{port}/info", trust_env=False)
        assert "idempotency-key" in info.headers["x-stationmaster-offers"]
        with get_sync_client(url=f"http://127.0.0.1:{port}") as client:
            thread = client.threads.create()["thread_id"]
            client.runs.wait(thread, "tiny", input={"n": 1})
            (question,) = client.threads.get_state(thread)["interrupts"]
            client.runs.wait(thread, "tiny", command={"resume": {question["id"]: 2}})
            assert client.threads.get_state(thread)["values"] == {"n": 3}
        assert httpx.post(f"http://127.0.0.1:{port}/internal/truncate", trust_env=False).status_code == 404
        killed, _ = children_of(process.pid)
        os.kill(killed, signal.SIGKILL)
        with get_sync_client(url=f"http://127.0.0.1:{port}") as client:
            thread = client.threads.create()["thread_id"]
            client.runs.wait(thread, "tiny", input={"n": 1})
        eventually(lambda: len(set(children_of(process.pid)) - {killed}) == 2, "there are two again", 60)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(40) == 0
    finally:
        end(process)


def lasts(url: str) -> None:
    """An idle connection is still there after the five seconds for which clients keep one: none is reset."""
    with httpx.Client(trust_env=False, limits=httpx.Limits(keepalive_expiry=None)) as http:
        ports: list[int] = []
        for idle_s in (0, 6):
            time.sleep(idle_s)  # nothing happens, which is the point
            stream = http.get(f"{url}/ok").extensions["network_stream"]
            ports.append(stream.get_extra_info("client_addr")[1])
    assert ports[0] == ports[1]


@pytest.mark.parametrize("section", ["checkpointer", "store"])
def test_persistence_of_the_projects_own_is_refused(tmp_path: Path, section: str) -> None:
    config = tiny_project(tmp_path)
    config.write_text(json.dumps({**json.loads(config.read_text()), section: {"path": "mine:made"}}))
    done = in_process("serve", cwd=tmp_path)
    assert done.returncode == 2
    assert f"{section}.path" in done.stderr and "Remove it" in done.stderr


@pytest.mark.parametrize("command", ["serve", "up"])
@pytest.mark.parametrize(
    ("part", "named"),
    [
        ({"graphs": {"py": "a.b:c", "agent": "./src/agent.ts:graph"}}, "graph 'agent' is JavaScript (./src/agent.ts"),
        ({"graphs": {"agent": {"path": "./agent.mjs:make"}}}, "graph 'agent' is JavaScript (./agent.mjs:make)"),
        ({"http": {"app": "./app.cts:app"}}, "http.app is JavaScript"),
        ({"auth": {"path": "./auth.js:auth"}}, "auth.path is JavaScript"),
    ],
)  # fmt: skip
def test_what_is_javascript_is_refused_with_the_way_out(
    tmp_path: Path, command: str, part: dict[str, object], named: str
) -> None:
    config = tiny_project(tmp_path)
    config.write_text(json.dumps({**json.loads(config.read_text()), **part}))
    done = in_process(command, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{config}: {named}" in done.stderr.replace("\n", "") and "langgraph up" in done.stderr


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = in_process("serve", "--config", "other.json", cwd=tmp_path)
    assert done.returncode == 2 and "no other.json" in done.stderr and "--config" in done.stderr


def test_without_auth_nothing_is_served_beyond_this_machine(tmp_path: Path) -> None:
    config = foreign_project(tmp_path)
    config.write_text(json.dumps({**json.loads(config.read_text()), "auth": None}))
    done = in_process("serve", "--host", "0.0.0.0", cwd=tmp_path, env={"STATIONMASTER_API_KEYS": f"me:{KEY}"})
    assert done.returncode == 2 and "has no auth" in done.stderr and "127.0.0.1" in done.stderr


def test_a_project_of_somebody_elses_is_served_as_it_is(tmp_path: Path, database: str) -> None:
    """Own packages (one named as ours), graph, auth and app by file, under another name than langgraph.json."""
    project = tmp_path / "project"
    project.mkdir()
    config, port, log = foreign_project(project, "bot.json"), free_port(), tmp_path / "serve.log"
    process = started(config, port, log, database)
    try:
        url = f"http://127.0.0.1:{port}"
        assert httpx.get(f"{url}/hello", trust_env=False).text == "from the project's own app"
        assert httpx.post(f"{url}/threads", json={}, trust_env=False).status_code == 401
        with get_sync_client(url=url, headers={"x-name": "ann"}) as ann:
            thread = ann.threads.create()["thread_id"]
            ann.runs.wait(thread, "bot", input={"name": "Ann"})
            (question,) = ann.threads.get_state(thread)["interrupts"]
            os.kill(process.pid, signal.SIGTERM)
            assert process.wait(40) == 0
            process = started(config, port, log, database)
            ann.runs.wait(thread, "bot", command={"resume": {question["id"]: "yes"}})
            state = cast("dict[str, str]", ann.threads.get_state(thread)["values"])
            assert state["said"] == "Grüezi Ann, the bot, yes"
        with get_sync_client(url=url, headers={"x-name": "bob"}) as bob, pytest.raises(NotFoundError):
            bob.threads.get(thread)
    finally:
        end(process)


def children_of(pid: int) -> list[int]:
    """The process ids of the servers that a `serve` has started."""
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


def started(config: Path, port: int, log: Path, database: str, *more: str) -> subprocess.Popen[bytes]:
    """A `serve` on a project, which answers."""
    log.unlink(missing_ok=True)
    command = [*COMMAND, "serve", "--config", str(config), "--port", str(port), *more]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--data-dir", str(log.parent / "data")], stdout=output, stderr=output, cwd=log.parent,
            env=clean_environment({"STATIONMASTER_DATABASE_URI": database}),
        )  # fmt: skip
    eventually(lambda: LAST_LINE in log.read_text() or process.poll() is not None, "ready", 120)
    assert process.poll() is None, log.read_text()
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    """Whatever became of it in between."""
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
        process.wait(10)


def test_a_wrong_setting_in_the_projects_own_env_file_is_one_line(tmp_path: Path, database: str) -> None:
    """Only the server process reads that file."""
    project = tmp_path / "project"
    project.mkdir()
    config = tiny_project(project)
    (project / ".env").write_text("STATIONMASTER_NOPE=1\n")
    env = {"STATIONMASTER_DATABASE_URI": database}
    done = in_process("serve", "--config", str(config), "--port", str(free_port()), cwd=tmp_path, env=env)
    assert done.returncode == 2
    assert done.stderr.startswith("error: STATIONMASTER_NOPE (in the environment) is no setting")
    assert "Traceback" not in done.stderr and len(done.stderr.strip().splitlines()) == 1
