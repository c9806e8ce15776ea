"""A child process of `up` that serves HTTP on a socket of its own: started, awaited, stopped, never orphaned."""

import asyncio
import os
import socket
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from stationmaster.errors import StationmasterError

START_TIMEOUT_S = 120
LAST_LINES = 15
ERROR_MARK = "error: "
REFUSED = frozenset({2, 3})
"""Exit codes of a child that can't start; its last line with ERROR_MARK says why."""


class StartFailed(StationmasterError):
    """The child refused to start and said why."""


class ChildDied(StationmasterError):
    """The child ended by itself."""

    exit_code = 1


@dataclass(frozen=True)
class Kind:
    """What tells one child from another. `name` stands in messages; `health` answers 200 once it is ready;
    `stop_grace_s` is what a clean end may take: killed before that, it may lose something."""

    name: str
    module: str
    health: str
    stop_grace_s: float


@dataclass
class Child:
    """A started child, reached at `url`. `lifeline` is the pipe's end whose closing, by us or by our death, ends it."""

    kind: Kind
    url: str
    process: asyncio.subprocess.Process
    log: Path
    lifeline: int

    @classmethod
    async def start(
        cls,
        kind: Kind,
        sock: socket.socket,
        claim: int,
        *,
        url: str,
        directory: Path,
        log: Path,
        environment: Mapping[str, str],
        log_level: str,
        arguments: Sequence[str] = (),
    ) -> "Child":
        """Start it in `directory`; output goes to `log`."""
        theirs, ours = os.pipe()
        try:
            with _prepared(directory, log).open("ab") as output:
                process = await asyncio.create_subprocess_exec(
                    sys.executable, "-m", kind.module, "--socket", str(sock.fileno()),
                    "--lifeline", str(theirs), "--claim", str(claim), "--log-level", log_level,
                    "--grace", str(kind.stop_grace_s), *arguments,
                    cwd=directory, env=environment, pass_fds=(sock.fileno(), theirs, claim),
                    stdin=asyncio.subprocess.DEVNULL, stdout=output, stderr=asyncio.subprocess.STDOUT,
                    start_new_session=True,  # Ctrl-C reaches `up` alone, which then stops all in order
                )  # fmt: skip
        finally:
            os.close(theirs)
        return cls(kind, url, process, log, ours)

    async def ready(self) -> None:
        """Return when it answers. StartFailed or ChildDied if the process ends first, or is too slow."""
        ended = asyncio.ensure_future(self.process.wait())
        answered = asyncio.ensure_future(_answered(f"{self.url}{self.kind.health}"))
        try:
            await asyncio.wait(
                {ended, answered}, timeout=START_TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED
            )
            if not ended.done() and not answered.done():
                raise self._died(f"is not ready after {START_TIMEOUT_S} s")
            if ended.done() or isinstance(answered.exception(), httpx.TransportError):
                await ended  # a cut connection is the first sign of it
                raise self.failure()
            response = answered.result()
            if response.status_code != httpx.codes.OK:
                said = f"answers {response.status_code} to {self.kind.health} ({response.text[:200]})"
                raise self._died(said)
        finally:
            ended.cancel()
            answered.cancel()

    async def ended(self) -> None:
        """Wait for its end by itself, which is an error."""
        await self.process.wait()
        raise self.failure()

    def failure(self) -> StationmasterError:
        """Why it ended: in its own words if it refused to start, else its last lines."""
        lines = _tail(self.log)
        said = [line.removeprefix(ERROR_MARK) for line in lines if line.startswith(ERROR_MARK)]
        if said and self.process.returncode in REFUSED:
            return StartFailed(said[-1])
        return self._died(f"ended by itself, exit code {self.process.returncode}")

    async def stop(self, *, at_once: bool = False) -> bool:
        """SIGTERM, then SIGKILL after the grace, or at once if we are cancelled again meanwhile; whether we were."""
        try:
            if self.process.returncode is None:
                self.process.kill() if at_once else self.process.terminate()
                await asyncio.wait_for(self.process.wait(), self.kind.stop_grace_s)
        except (TimeoutError, asyncio.CancelledError) as error:
            self.process.kill()
            await self.process.wait()
            return isinstance(error, asyncio.CancelledError)
        finally:
            os.close(self.lifeline)
        return at_once

    def _died(self, how: str) -> ChildDied:
        lines = "\n".join(_tail(self.log)[-LAST_LINES:])
        return ChildDied(f"the {self.kind.name} {how}; its last lines (all of them: {self.log}):\n{lines}")


async def _answered(url: str) -> httpx.Response:
    """The socket listens from the start, so that one request simply waits until the child serves."""
    async with httpx.AsyncClient(trust_env=False, timeout=START_TIMEOUT_S) as http:
        return await http.get(url)


def _prepared(directory: Path, log: Path) -> Path:
    """Each start has its own log, readable by its owner alone; the one before is kept."""
    directory.mkdir(parents=True, exist_ok=True)
    if log.exists():
        log.replace(log.with_suffix(f"{log.suffix}.before"))
    log.touch(mode=0o600)
    return log


def _tail(log: Path) -> list[str]:
    with log.open(encoding="utf-8", errors="replace") as stream:
        return [line.rstrip() for line in deque(stream, maxlen=400)]
