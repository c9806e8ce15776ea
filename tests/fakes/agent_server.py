"""The real thing for tests: `langgraph dev` with the project's langgraph.json, to be called, killed, restarted.

Each server has its own working directory (the in-memory runtime keeps its state there) and sees none of the
developer's keys or settings. Blocking calls inside async code raise, as `langgraph dev` does for anybody.
"""

import asyncio
import itertools
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "langgraph.json"
HURRIED = Path(__file__).with_name("hurried.py")
START_TIMEOUT_S = 90.0
STOP_TIMEOUT_S = 30.0
# What would let a test reach a provider, or inherit this machine's set-up.
FOREIGN = (
    "STATIONMASTER_",
    "OPENAI_",
    "LANGSMITH_",
    "LANGCHAIN_",
    "LANGGRAPH_",
    "PAYMENTS_",
    "DATABASE_",
    "LG_",
    "OTEL_",
)

_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_first = 12_000 + 1_000 * (_worker % 16) + os.getpid() % 500  # by process too: two runs may go side by side
_ports = itertools.count(_first)


def clean_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without keys and settings, without telemetry, plus `extra`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    quiet = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "true", "LOG_COLOR": "false"}
    return {**kept, **quiet, "LANGSMITH_TRACING": "false", **(extra or {})}


def free_port() -> int:
    """A port that nobody else is given: each worker of the test run counts up in a range of its own, below the
    ports that the kernel hands out to whoever connects.
    """
    while True:
        with socket.socket() as probe:
            port = next(_ports)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


class ServerDied(RuntimeError):
    """The server ended before it was ready; the message holds its log."""


@dataclass
class AgentServer:
    """One `langgraph dev` process. `restart` keeps port and directory, and so what the server had saved.

    Tests have it `hurried`; what is measured outside of them is as it was shipped.
    """

    directory: Path
    env: dict[str, str] = field(default_factory=dict)
    jobs: int = 10
    config: Path = CONFIG
    host: str = "127.0.0.1"
    port: int = field(default_factory=free_port)
    hurried: bool = field(default_factory=lambda: "PYTEST_VERSION" in os.environ)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        if self.process is None:
            raise RuntimeError("the server was not started")
        return self.process.pid

    @property
    def log_path(self) -> Path:
        return self.directory / "server.log"

    @property
    def log(self) -> str:
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def sdk(self, api_key: str | None = None, headers: Mapping[str, str] | None = None) -> LangGraphClient:
        """A client to be used in `async with`: one that is left open is a warning, hence an error."""
        return get_client(url=self.url, api_key=api_key, headers=headers)

    async def start(self) -> None:
        await asyncio.to_thread(self.start_blocking)

    async def sigterm(self) -> int:
        """A clean stop, waited for: the server saves its state. Returns the exit code."""
        return await asyncio.to_thread(self.stop_blocking, signal.SIGTERM)

    async def sigkill(self) -> int:
        """`kill -9`, waited for: what was not yet saved (up to 10 s) is lost."""
        return await asyncio.to_thread(self.stop_blocking, signal.SIGKILL)

    async def restart(self) -> None:
        """Start again after a stop or a kill; a server that still runs is stopped cleanly first."""
        if self.process is not None and self.process.poll() is None:
            await self.sigterm()
        await self.start()

    def spawn(self) -> subprocess.Popen[bytes]:
        """Start the process without waiting for it to be ready."""
        self.directory.mkdir(parents=True, exist_ok=True)
        program = ("-P", str(HURRIED)) if self.hurried else ("-m", "langgraph_cli")
        command = [
            sys.executable, *program, "dev", "--config", str(self.config), "--no-browser",
            "--no-reload", "--host", self.host, "--port", str(self.port), "--server-log-level", "info",
            "--n-jobs-per-worker", str(self.jobs),
        ]  # fmt: skip
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                command,
                cwd=self.directory,
                env=clean_environment({"STATIONMASTER_DATA_DIR": str(self.directory / "data"), **self.env}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        return self.process

    def start_blocking(self) -> None:
        """Start and wait until `/ok` answers; ServerDied with the log if that never comes."""
        process = self.spawn()
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self._answers():
            if process.poll() is not None:
                raise ServerDied(f"exit code {process.returncode}\n{self.log}")
            if time.monotonic() > deadline:
                self.stop_blocking(signal.SIGKILL)
                raise ServerDied(f"not ready after {START_TIMEOUT_S:.0f} s\n{self.log}")
            time.sleep(0.05)  # between two looks at the state that is waited for
        # The stock server takes another port in silence; then a stranger answered on ours.
        if "is already in use" in self.log:
            self.stop_blocking(signal.SIGKILL)
            raise ServerDied(f"port {self.port} was taken\n{self.log}")

    def stop_blocking(self, signum: int) -> int:
        """Signal the process, if it still runs, and wait for its end."""
        if self.process is None:
            raise RuntimeError("the server was not started")
        if self.process.poll() is None:
            self.process.send_signal(signum)
        try:
            return self.process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise

    def kill_blocking(self) -> None:
        """The end of a test: gone, whether it ran or not."""
        if self.process is not None:
            self.stop_blocking(signal.SIGKILL)

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/ok", timeout=2.0, trust_env=False).status_code == 200
        except httpx.TransportError:
            return False


@asynccontextmanager
async def agent_server(
    directory: Path,
    *,
    env: Mapping[str, str] | None = None,
    jobs: int = 10,
    config: Path = CONFIG,
) -> AsyncIterator[AgentServer]:
    """A running server in `directory`; killed at the end, whatever became of it in between.

    `env` overrides, for example STATIONMASTER_DATABASE_URI (else an embedded database below `directory`).
    """
    server = AgentServer(directory, env=dict(env or {}), jobs=jobs, config=config)
    try:
        await server.start()
        yield server
    finally:
        await asyncio.to_thread(server.kill_blocking)
