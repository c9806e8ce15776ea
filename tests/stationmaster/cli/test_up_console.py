"""The console that `up` starts: beside the server, with its own key and log, ended in order, and never an orphan."""

import os
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from stationmaster.console import local
from tests.fakes.agent_server import free_port
from tests.stationmaster.cli.running import Up, alive, eventually, in_process, stationmaster
from tests.stationmaster.server.tiny import tiny_project

Make = Callable[..., Up]


@pytest.fixture
def make(tmp_path: Path, seeded_database: str) -> Iterator[Make]:
    """`make(env=..., arguments=...)`: an `up` of the tiny project on a database of its own, killed at the end."""
    made: list[Up] = []

    def start(env: dict[str, str] | None = None, **options: Any) -> Up:
        made.append(
            Up(tmp_path, env={"STATIONMASTER_DATABASE_URI": seeded_database, **(env or {})}, **options)
        )
        return made[-1].start()

    tiny_project(tmp_path)
    yield start
    for up in made:
        up.kill()


def ask_console(up: Up, path: str, key: str | None = None, **headers: str) -> httpx.Response:
    sent = {**headers, **({"authorization": f"Bearer {key}"} if key else {})}
    return httpx.get(f"{up.console_url}{path}", headers=sent, trust_env=False, timeout=10)


def test_it_stands_beside_the_server_and_knows_who_may_ask(make: Make, tmp_path: Path) -> None:
    up = make()
    assert f"  inbox     {up.console_url}\n" in up.banner
    assert ask_console(up, "/healthz").json() == {"ok": True}
    assert up.record["console_url"] == up.console_url
    path, key = up.data_dir / "console.json", up.console_record["key"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((up.data_dir / "console.log").stat().st_mode) == 0o600
    # The key makes whoever can read the file the local operator, from here and not through a page or a proxy.
    me = ask_console(up, "/api/v1/me", key)
    assert me.json()["name"] == local.NAME
    assert ask_console(up, "/api/v1/me").status_code == 401
    assert ask_console(up, "/api/v1/me", "some-other-key").status_code == 401
    assert ask_console(up, "/api/v1/me", key, origin="http://evil.example").status_code == 401
    assert ask_console(up, "/api/v1/me", key, host="evil.example").status_code == 401
    assert ask_console(up, "/api/v1/me", key, **{"x-forwarded-for": "203.0.113.9"}).status_code == 401
    # The server's process does not have it, nor does either key open the other's door.
    assert key != up.record["local_key"]
    assert ask_console(up, "/api/v1/me", up.record["local_key"]).status_code == 401
    assert up.post("/assistants/search", key=key).status_code == 401
    server, console = environment(up.child), environment(up.console)
    assert key not in server.values()
    # Both have the webhooks' secret, which nobody is shown.
    secret = server["LG_WEBHOOK_SECRET"]
    assert console["LG_WEBHOOK_SECRET"] == secret
    assert server["STATIONMASTER_WEBHOOK_URL"] == f"{up.console_url}/webhooks/langgraph"
    shown = up.banner + "".join(path.read_text() for path in up.data_dir.glob("*.json"))
    for hidden in (secret, key, up.record["local_key"]):
        assert hidden not in up.banner
    assert secret not in shown
    # Commands find it.
    told = in_process("status", cwd=tmp_path)
    assert up.console_url in told.stdout
    second = stationmaster("console", "--port", str(free_port()), cwd=tmp_path)
    assert second.returncode == 2
    assert f"a console is already running for {up.data_dir}: {up.console_url}" in second.stderr


def environment(pid: int) -> dict[str, str]:
    words = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(word.split("=", 1) for word in words if "=" in word)


@pytest.mark.slow
def test_the_first_link_signs_in_once(make: Make) -> None:
    up = make()
    (line,) = (line for line in up.banner.splitlines() if line.startswith("  sign in"))
    link = line.split()[2]
    with httpx.Client(trust_env=False, follow_redirects=False, timeout=10) as browser:
        assert browser.get(link).status_code == 200  # looking uses nothing up
        pressed = browser.post(link, headers={"origin": up.console_url})
        assert pressed.status_code == 303
        assert browser.get(f"{up.console_url}/api/v1/me").json()["name"] == "admin"
    assert httpx.post(link, headers={"origin": up.console_url}, trust_env=False).status_code >= 400
    # Somebody can sign in now: the next start prints no link, but how to get one.
    assert up.stop() == 0
    again = make(port=up.port, console_port=up.console_port).banner
    assert "/sign-in/link/" not in again
    assert "stationmaster users link admin" in again


@pytest.mark.slow
def test_all_ends_in_order_and_nothing_is_left(make: Make) -> None:
    up = make()
    children = [up.child, up.console]
    key = up.console_record["key"]
    with httpx.stream(
        "GET", f"{up.console_url}/api/v1/events", headers={"authorization": f"Bearer {key}"},
        timeout=60, trust_env=False,
    ) as events:  # fmt: skip
        assert events.status_code == 200
        assert up.stop(signal.SIGINT) == 0
    assert not any(map(alive, children))
    assert not (up.data_dir / "console.json").exists()
    assert "Traceback" not in (up.data_dir / "console.log").read_text()
    again = make(port=up.port, console_port=up.console_port)
    children = [again.child, again.console]
    again.running.kill()
    again.running.wait()
    eventually(lambda: not any(map(alive, children)), "stopped the orphans")
    # The record is still there, and its console is known to be gone.
    gone = in_process("reviews", "list", cwd=up.project)
    assert gone.returncode == 2
    assert "no console runs" in gone.stderr


@pytest.mark.slow
def test_its_death_ends_up_with_its_last_lines(make: Make) -> None:
    up = make(env={"STATIONMASTER_LOG_LEVEL": "info"})
    server = up.child
    os.kill(up.console, signal.SIGKILL)
    assert up.running.wait(40) == 1
    err = up.rest()[1]
    assert "the console ended by itself, exit code -9" in err
    assert "Application startup complete" in err
    assert not alive(server)


def test_a_taken_port_is_told_before_anything_starts(tmp_path: Path) -> None:
    tiny_project(tmp_path)
    up = Up(tmp_path)
    with socket.create_server(("127.0.0.1", up.console_port)):
        process = up.spawn()
        assert process.wait(60) == 2
    err = up.rest()[1]
    assert f"port {up.console_port} on 127.0.0.1 is in use" in err
    assert "--console-port" in err
    assert not (tmp_path / ".stationmaster" / "postgres").exists()


def test_policies_that_are_wrong_stop_the_start(tmp_path: Path, seeded_database: str) -> None:
    tiny_project(tmp_path)
    folder = tmp_path / "webhooks" / "policies"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("policies:\n  - name: x\n    reviewer: me\n")
    up = Up(tmp_path, env={"STATIONMASTER_DATABASE_URI": seeded_database})
    assert up.spawn().wait(90) == 2
    err = up.rest()[1]
    assert "mine.yaml" in err
    assert "Traceback" not in err


@pytest.mark.slow
def test_beyond_this_machine_it_wants_a_user(make: Make, tmp_path: Path, seeded_database: str) -> None:
    """The server is served beyond it, for its callers have keys; the inbox has nobody who could sign in."""
    options = {
        "env": {"STATIONMASTER_API_KEYS": "ci:the-key-of-the-tests"},
        "arguments": ("--host", "0.0.0.0"),
    }
    up = make(**options)
    assert "the inbox is for this machine only" in up.banner
    assert "stationmaster users add" in up.banner
    assert listening_on(up.console_port) == "0100007F"
    assert listening_on(up.port) == "00000000"
    assert up.stop() == 0
    env = {"STATIONMASTER_DATABASE_URI": seeded_database}
    added = in_process("users", "add", "ann", "--no-password", cwd=tmp_path, env=env)
    assert added.returncode == 0, added.stderr
    again = make(**options)
    assert "this machine only:" not in again.banner
    assert "sign in" not in again.banner
    assert listening_on(again.console_port) == "00000000"


def listening_on(port: int) -> str:
    """The address, as the kernel writes it, of the socket that listens on the port."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    (address,) = {row[1].split(":")[0] for row in rows if row[3] == "0A" and row[1].endswith(f":{port:04X}")}
    return address
