"""The Agent Server as a child process: a socket of its own, started, awaited, stopped, never orphaned."""

import asyncio
import errno
import os
import socket
import sys
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx

from stationmaster.errors import StationmasterError
from stationmaster.server.launch import BAD_PROJECT, CONNECTIONS_GRACE_S

START_TIMEOUT_S = 120
# Open connections, then the run queue's 5 s, then writing the state: killed before that, it is lost.
STOP_GRACE_S = CONNECTIONS_GRACE_S + 5 + 10
LAST_LINES = 15
ERROR_MARK = "error: "


class CannotListen(StationmasterError):
    """The address or the port is not to be had."""


class StartFailed(StationmasterError):
    """The server refused to start and said why."""


class ServerDied(StationmasterError):
    """The server ended by itself."""

    exit_code = 1


def listen(host: str, port: int) -> socket.socket:
    """A listening socket on exactly this port, or CannotListen.

    Bound here and inherited by the server, so that nobody takes the port in between and whoever answers on it
    is ours; the stock server would move to another port in silence. Requests that come too early wait.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        sock = socket.socket(family, kind)
    except OSError as error:
        raise CannotListen(
            f"{host} is no address of this machine ({error.strerror}): correct --host"
        ) from None
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(2048)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            raise CannotListen(
                f"port {port} on {host} is in use: stop what listens there, or choose another with --port"
            ) from None
        raise CannotListen(
            f"can't listen on {host} port {port} ({error.strerror}): correct --host or --port"
        ) from None
    return sock


def local_url(host: str, port: int) -> str:
    """Where a server that listens on `host` is reached from this machine."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1", "localhost": "127.0.0.1"}.get(host, host)  # noqa: S104
    return f"http://{f'[{reachable}]' if ':' in reachable else reachable}:{port}"


@dataclass
class ServerProcess:
    """A started server. `lifeline` is the pipe's end whose closing, by us or by our death, ends it."""

    process: asyncio.subprocess.Process
    log: Path
    lifeline: int

    @classmethod
    async def start(
        cls,
        sock: socket.socket,
        claim: int,
        *,
        directory: Path,
        log: Path,
        environment: Mapping[str, str],
        log_level: str,
        import_paths: list[str],
    ) -> "ServerProcess":
        """Start it in `directory`, where the in-memory runtime keeps its state; output goes to `log`."""
        theirs, ours = os.pipe()
        paths = [argument for path in import_paths for argument in ("--import-path", path)]
        try:
            with _prepared(directory, log).open("ab") as output:
                process = await asyncio.create_subprocess_exec(
                    sys.executable, "-m", "stationmaster.server.launch", "--socket", str(sock.fileno()),
                    "--lifeline", str(theirs), "--claim", str(claim), "--log-level", log_level, *paths,
                    cwd=directory, env=environment, pass_fds=(sock.fileno(), theirs, claim),
                    stdin=asyncio.subprocess.DEVNULL, stdout=output, stderr=asyncio.subprocess.STDOUT,
                    start_new_session=True,  # Ctrl-C reaches `up` alone, which then stops the server in order
                )  # fmt: skip
        finally:
            os.close(theirs)
        return cls(process, log, ours)

    async def ready(self, url: str) -> None:
        """Return when `/ok` answers. StartFailed or ServerDied if the process ends first, or is too slow."""
        ended = asyncio.ensure_future(self.process.wait())
        answered = asyncio.ensure_future(_answered(url))
        try:
            await asyncio.wait(
                {ended, answered}, timeout=START_TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED
            )
            if not ended.done() and not answered.done():
                raise ServerDied(f"the server is not ready after {START_TIMEOUT_S} s; {self._last_lines()}")
            if ended.done() or isinstance(answered.exception(), httpx.TransportError):
                await ended  # a cut connection is the first sign of it
                raise self.failure()
            answered.result()
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
        if said and self.process.returncode in {BAD_PROJECT, 3}:
            return StartFailed(said[-1])
        return ServerDied(
            f"the server ended by itself, exit code {self.process.returncode}; {self._last_lines()}"
        )

    async def stop(self) -> None:
        """SIGTERM, then SIGKILL after the grace, or at once if we are cancelled again meanwhile."""
        try:
            if self.process.returncode is None:
                self.process.terminate()
                await asyncio.wait_for(self.process.wait(), STOP_GRACE_S)
        except (TimeoutError, asyncio.CancelledError):
            self.process.kill()
            await self.process.wait()
        finally:
            os.close(self.lifeline)

    def _last_lines(self) -> str:
        lines = "\n".join(_tail(self.log)[-LAST_LINES:])
        return f"its last lines (all of them: {self.log}):\n{lines}"


async def _answered(url: str) -> None:
    """The socket listens from the start, so that one request simply waits until the server serves."""
    async with httpx.AsyncClient(trust_env=False, timeout=START_TIMEOUT_S) as http:
        response = await http.get(f"{url}/ok")
    if response.status_code != httpx.codes.OK:
        raise ServerDied(f"the server answers {response.status_code} to {url}/ok: {response.text[:200]}")


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
