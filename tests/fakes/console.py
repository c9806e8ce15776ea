"""The real thing for tests: a `stationmaster console` process, to be called, killed and started again."""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.fakes.agent_server import ROOT, clean_environment, free_port

LAST_LINE = "Ctrl-C stops it."
START_TIMEOUT_S = 90.0


@dataclass
class ConsoleProcess:
    """A console for the Agent Server at `api_url`, on a database; several may share it, each with its own directory.

    It runs where the project's policies are. `kill` is `kill -9`; `start` again keeps port and directory.
    """

    data_dir: Path
    api_url: str
    database: str
    env: Mapping[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    port: int = field(default_factory=free_port)
    cwd: Path = ROOT
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def key(self) -> str:
        """What makes a command here the local operator; new at each start."""
        return json.loads((self.data_dir / "console.json").read_text())["key"]

    @property
    def said_path(self) -> Path:
        return self.data_dir / "said.txt"

    @property
    def said(self) -> str:
        return self.said_path.read_text(errors="replace")

    def spawn(self) -> "ConsoleProcess":
        """Start it without waiting."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        environment = clean_environment({"STATIONMASTER_DATABASE_URI": self.database, **self.env})
        with self.said_path.open("wb") as said:
            self.process = subprocess.Popen(
                [
                    sys.executable, "-m", "stationmaster.cli", "console", "--api-url", self.api_url,
                    "--port", str(self.port), "--data-dir", str(self.data_dir), *self.arguments,
                ],
                cwd=self.cwd, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
            )  # fmt: skip
        return self

    def start(self) -> "ConsoleProcess":
        return self.spawn().ready()

    def ready(self) -> "ConsoleProcess":
        """Return once `/healthz` answers 200; AssertionError with all it said if that never comes."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            assert self.process is not None and self.process.poll() is None, self.said
            assert time.monotonic() < deadline, self.said
            try:
                answered = httpx.get(f"{self.url}/healthz", timeout=5, trust_env=False)
            except httpx.TransportError:
                time.sleep(0.05)  # between two looks at the state that is waited for
                continue
            assert answered.status_code == 200, answered.text + self.said
            if LAST_LINE in self.said:
                return self

    def stop(self, signum: int = 15) -> int:
        """Signal it and wait for its end; the exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signum)
        return self.process.wait(40)

    def kill(self) -> None:
        """`kill -9`, waited for; also the end of a test, whether it ran or not."""
        if self.process is not None:
            self.stop(9)

    def client(self, token: str | None = None) -> httpx.AsyncClient:
        """A client of its API, as the local operator or with the token of a user."""
        headers = {"Authorization": f"Bearer {token or self.key}"}
        return httpx.AsyncClient(base_url=f"{self.url}/api/v1", headers=headers, trust_env=False, timeout=60)

    async def get(self, path: str, **parameters: Any) -> Any:
        async with self.client() as http:
            response = await http.get(path, params=parameters)
        response.raise_for_status()
        return response.json()

    async def review(self, thread_id: str, *, besides: Collection[str] = ()) -> dict[str, Any]:
        """The thread's open review, whose id is none of `besides`, once there is one."""
        async with asyncio.timeout(30):
            while True:
                for tab in ("needs_you", "waiting"):
                    for review in (await self.get("/reviews", tab=tab, thread_id=thread_id))["reviews"]:
                        if review["id"] not in besides:
                            return review
                await asyncio.sleep(0.05)  # between two looks at the state that is waited for

    async def reaches(self, review_id: str, *states: str) -> dict[str, Any]:
        """The review, once it is in one of the states."""
        deadline = time.monotonic() + 60
        while True:
            review = await self.get(f"/reviews/{review_id}")
            if review["state"] in states:
                return review
            assert time.monotonic() < deadline, f"never {states}: {review}"
            await asyncio.sleep(0.05)  # between two looks at the state that is waited for
