"""What deploy/ describes, started: the image's install lines, and both containers with their variables and probes."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.deploy.reading import DEPLOY, container, literals, probes
from tests.fakes.agent_server import ROOT, clean_environment, free_port
from tests.stationmaster.cli.running import eventually, in_process

KEY = "0123456789abcdef-key"


def test_the_start_script_hands_on_options_and_signals_and_shows_the_log(tmp_path: Path) -> None:
    stub = tmp_path / "stationmaster"
    stub.write_text(
        "#!/bin/sh\necho \"asked: $*\"\ntrap 'echo stopped; exit 7' TERM\n"
        "echo 'a line' >> \"$STATIONMASTER_DATA_DIR/server.log\"\nwhile :; do sleep 0.1; done\n"
    )
    stub.chmod(0o755)
    env = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "STATIONMASTER_DATA_DIR": str(tmp_path)}
    output = tmp_path / "out"
    with output.open("wb") as log:
        process = subprocess.Popen(
            [DEPLOY / "serve.sh", "--replicas", "2"],
            env=clean_environment(env),
            stdout=log,
            start_new_session=True,
        )
    try:
        eventually(lambda: "a line" in output.read_text(), "the log shows", 20)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 7
        assert output.read_text().splitlines()[0] == "asked: serve --replicas 2"
    finally:
        _end(process)


@pytest.mark.slow
def test_the_images_install_lines_give_the_command(tmp_path: Path) -> None:
    """The lines of the first stage, in a directory instead of /app: what is copied is what git has."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / name)
    text = (DEPLOY / "Dockerfile").read_text().split("\nFROM ")[1]
    lines = [line for line in re.findall(r"^RUN (.*)$", text, re.MULTILINE) if line.startswith("uv ")]
    assert len(lines) == 2
    env = clean_environment({"PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"})
    for line in lines:
        done = subprocess.run(
            line.replace("/app/", f"{tmp_path}/"), shell=True, cwd=tmp_path, env=env, capture_output=True, text=True,
            timeout=280, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    said = subprocess.run(
        [tmp_path / ".venv/bin/stationmaster", "--help"], env=clean_environment(), capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert "serve" in said.stdout and said.returncode == 0, said.stderr


def spawn(of: dict[str, Any], env: dict[str, str], output: Path) -> "subprocess.Popen[bytes]":
    """A container's command, with the variables that it asks for, in the project's directory."""
    asked = {entry["name"] for entry in of["env"]} | set(literals())
    given = {name: value for name, value in {**literals(), **env}.items() if name in asked | FROM_IMAGE}
    path = {"PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    with output.open("wb") as log:
        return subprocess.Popen(
            shlex.split(shlex.join(of["command"])), cwd=ROOT, env=clean_environment({**given, **path}), stdout=log,
            stderr=log, start_new_session=True,
        )  # fmt: skip


FROM_IMAGE = {
    "STATIONMASTER_DATA_DIR",
    "STATIONMASTER_HOST",
    "STATIONMASTER_PORT",
    "STATIONMASTER_CONSOLE_PORT",
}


@pytest.mark.slow
def test_both_containers_start_with_these_variables_and_their_probes_answer(
    tmp_path: Path, seeded_database: str
) -> None:
    port, console_port = free_port(), free_port()
    env = {
        "STATIONMASTER_DATABASE_URI": seeded_database,
        "STATIONMASTER_API_KEYS": f"console:{KEY}",
        "STATIONMASTER_API_KEY": KEY,
        "STATIONMASTER_API_URL": f"http://127.0.0.1:{port}",
        "STATIONMASTER_WEBHOOK_URL": f"http://127.0.0.1:{console_port}/webhooks/langgraph",
        "LG_WEBHOOK_SECRET": KEY,
        "STATIONMASTER_HOST": "0.0.0.0",  # as in the image
        "STATIONMASTER_PORT": str(port),
        "STATIONMASTER_CONSOLE_PORT": str(console_port),
    }
    added = in_process(
        "users",
        "add",
        "ann",
        "--no-password",
        cwd=tmp_path,
        env={"STATIONMASTER_DATABASE_URI": seeded_database},
    )
    assert added.returncode == 0, added.stderr
    processes = {
        name: spawn(
            container(name), {**env, "STATIONMASTER_DATA_DIR": str(tmp_path / name)}, tmp_path / f"{name}.out"
        )
        for name in ("server", "console")
    }
    try:
        for name, base in (("server", port), ("console", console_port)):
            log = tmp_path / f"{name}.out"
            for path in probes(container(name)):
                eventually(
                    lambda p=processes[name], u=f"http://127.0.0.1:{base}{path}": _well(p, u), path, 120
                )
            assert processes[name].poll() is None, log.read_text()
        assert httpx.post(f"http://127.0.0.1:{port}/threads", json={}, trust_env=False).status_code == 401
        shown = tmp_path / "server.out"  # behind the log by up to a second: it is followed
        eventually(lambda: "Application startup complete" in shown.read_text(), "the log in the output", 20)
        for process in processes.values():
            process.send_signal(signal.SIGTERM)
        ended = {name: process.wait(45) for name, process in processes.items()}
        assert ended == {"server": 0, "console": 0}
    finally:
        for process in processes.values():
            _end(process)


def _well(process: "subprocess.Popen[bytes]", url: str) -> bool:
    assert process.poll() is None, "it ended"
    try:
        return httpx.get(url, trust_env=False, timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def _end(process: "subprocess.Popen[bytes]") -> None:
    """With what it started: the follower of the log ends with its container."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    deadline = time.monotonic() + 10
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
