"""`stationmaster serve`: two servers on one port and one database, and what it refuses."""

import json
import os
import signal
import subprocess
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_sync_client

from tests.fakes.agent_server import clean_environment, free_port
from tests.stationmaster.cli.running import COMMAND, LAST_LINE, eventually, in_process
from tests.stationmaster.server.tiny import tiny_project


@pytest.mark.slow
def test_two_servers_on_one_port_until_sigterm(tmp_path: Path, database: str) -> None:
    config = tiny_project(tmp_path)
    port, log = free_port(), tmp_path / "serve.log"
    command = [*COMMAND, "serve", "--config", str(config), "--replicas", "2", "--port", str(port)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--data-dir", str(tmp_path / "data")], stdout=output, stderr=output, cwd=tmp_path.parent,
            env=clean_environment({"STATIONMASTER_DATABASE_URI": database}),
        )  # fmt: skip
    try:
        eventually(lambda: LAST_LINE in log.read_text() or process.poll() is not None, "ready", 120)
        assert process.poll() is None, log.read_text()
        assert httpx.get(f"http://127.0.0.1:{port}/ok?check_db=1", trust_env=False).json()["ok"] is True
        info = httpx.get(f"http://127.0.0.1:{port}/info", trust_env=False)
        assert "idempotency-key" in info.headers["x-stationmaster-offers"]
        with get_sync_client(url=f"http://127.0.0.1:{port}") as client:
            thread = client.threads.create()["thread_id"]
            client.runs.wait(thread, "tiny", input={"n": 1})
            (question,) = client.threads.get_state(thread)["interrupts"]
            client.runs.wait(thread, "tiny", command={"resume": {question["id"]: 2}})
            assert client.threads.get_state(thread)["values"] == {"n": 3}
        assert httpx.post(f"http://127.0.0.1:{port}/internal/truncate", trust_env=False).status_code == 404
        process.send_signal(signal.SIGTERM)
        assert process.wait(40) == 0
    finally:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            process.wait(10)


@pytest.mark.parametrize("section", ["checkpointer", "store"])
def test_persistence_of_the_projects_own_is_refused(tmp_path: Path, section: str) -> None:
    config = tiny_project(tmp_path)
    config.write_text(json.dumps({**json.loads(config.read_text()), section: {"path": "mine:made"}}))
    done = in_process("serve", cwd=tmp_path)
    assert done.returncode == 2
    assert f"{section}.path" in done.stderr and "Remove it" in done.stderr


def test_another_file_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text("{}")
    done = in_process("serve", "--config", "other.json", cwd=tmp_path)
    assert done.returncode == 2 and "langgraph.json" in done.stderr


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
