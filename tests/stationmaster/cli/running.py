"""Runs `stationmaster` as somebody at a terminal does: a real process in a project's directory."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from stationmaster.cli.__main__ import main
from tests.fakes.agent_server import clean_environment, free_port

COMMAND = (sys.executable, "-m", "stationmaster.cli")
LAST_LINE = "Ctrl-C stops it."


def stationmaster(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """One command that is expected to end by itself."""
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        env=clean_environment(env),
        capture_output=True,
        text=True,
        timeout=150,
    )


def in_process(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The same command in this process, which has everything imported: where a second one would show no more."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(cwd)
        patch.setattr(sys, "argv", ["stationmaster", *arguments])
        patch.setattr(os, "environ", clean_environment(env))
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(bool(end.code))
        else:
            code = 0
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def eventually(true: Callable[[], bool], what: str, timeout_s: float = 30.0) -> None:
    """Wait for a state; AssertionError names the one that never came."""
    deadline = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < deadline, f"never {what}"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """Whether the process runs; one that ended but was not collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@dataclass
class Up:
    """A `stationmaster up` in `project`, with its own port."""

    project: Path
    env: Mapping[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    port: int = field(default_factory=free_port)
    console_port: int = field(default_factory=free_port)
    banner: str = ""
    process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def console_url(self) -> str:
        return f"http://127.0.0.1:{self.console_port}"

    @property
    def data_dir(self) -> Path:
        return self.project / ".stationmaster"

    @property
    def record(self) -> dict[str, str]:
        return json.loads((self.data_dir / "server.json").read_text())

    @property
    def running(self) -> subprocess.Popen[str]:
        assert self.process is not None
        return self.process

    @property
    def console_record(self) -> dict[str, str]:
        return json.loads((self.data_dir / "console.json").read_text())

    @property
    def children(self) -> list[int]:
        """The server processes that it has."""
        return self._running("stationmaster.server.launch")

    @property
    def consoles(self) -> list[int]:
        return self._running("stationmaster.console.launch")

    def _running(self, module: str) -> list[int]:
        """Its child processes that run a module."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words, stat = path.read_bytes().split(b"\0"), (path.parent / "stat").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue
            parent = int(stat.rpartition(")")[2].split()[1])
            if module.encode() in words and parent == self.running.pid:
                found.append(int(path.parent.name))
        return found

    @property
    def child(self) -> int:
        (pid,) = self.children
        return pid

    @property
    def console(self) -> int:
        (pid,) = self.consoles
        return pid

    def spawn(self) -> subprocess.Popen[str]:
        """Start it without waiting."""
        self.process = subprocess.Popen(
            [
                *COMMAND,
                "up",
                "--port",
                str(self.port),
                "--console-port",
                str(self.console_port),
                *self.arguments,
            ],
            cwd=self.project,
            env=clean_environment(self.env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return self.process

    def start(self) -> "Up":
        """Return once the banner is complete; AssertionError with everything printed if it never is."""
        process = self.spawn()
        assert process.stdout is not None
        self.banner = ""
        for line in process.stdout:
            self.banner += line
            if line.strip() == LAST_LINE:
                return self
        raise AssertionError(f"exit code {process.wait()}\n{self.banner}{self.rest()[1]}")

    def stop(self, signum: signal.Signals = signal.SIGTERM) -> int:
        os.kill(self.running.pid, signum)
        return self.running.wait(40)

    def rest(self) -> tuple[str, str]:
        """What was printed since the banner, once the process has ended."""
        out, err = self.running.communicate(timeout=40)
        return out, err

    def kill(self) -> None:
        """The end of a test, whatever became of it."""
        if self.process is not None:
            if self.process.poll() is None:
                self.process.kill()
            self.process.communicate()

    def get(self, path: str, key: str | None = None) -> httpx.Response:
        return httpx.get(
            f"{self.url}{path}", headers={"x-api-key": key} if key else {}, trust_env=False, timeout=10
        )

    def post(self, path: str, body: object = None, key: str | None = None) -> httpx.Response:
        headers = {"x-api-key": key} if key else {}
        return httpx.post(f"{self.url}{path}", json=body or {}, headers=headers, trust_env=False, timeout=10)
