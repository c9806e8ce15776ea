"""Where the demonstration runs: on the server that is there, or on one that it starts and stops."""

import asyncio
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from stationmaster.cli.target import NoServer, Target, find_target
from stationmaster.errors import StationmasterError
from stationmaster.settings import Settings

LOOK_AGAIN_S = 0.1


class StartRefused(StationmasterError):
    """`stationmaster up` did not start; what it said comes with it."""


@asynccontextmanager
async def hosted(
    settings: Settings, api_url: str | None, data_dir: Path | None, tell: Callable[[str], None]
) -> AsyncIterator[Target]:
    """The server that the options name; without any, and with none running, one of our own on a free port, whose start
    and end are told."""
    try:
        target = find_target(settings, api_url, data_dir)
    except NoServer:
        if api_url or settings.api_url:
            raise
    else:
        yield target
        return
    tell("no server runs here: starting one for this demonstration (about 10 s)")
    async with _started(data_dir or settings.data_dir) as process:
        yield await _ready(process, settings, data_dir)
    tell("the server of this demonstration has stopped; `make up` runs one that stays")


@asynccontextmanager
async def _started(data_dir: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "stationmaster.cli", "up", "--port", str(_free_port()),
        "--console-port", str(_free_port()), "--data-dir", str(data_dir),
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()


async def _ready(process: asyncio.subprocess.Process, settings: Settings, data_dir: Path | None) -> Target:
    """Wait until `up` has written where its server is, or has ended."""
    while process.returncode is None:
        try:
            return find_target(settings, None, data_dir or settings.data_dir)
        except NoServer:
            await asyncio.sleep(LOOK_AGAIN_S)
    said = (await process.stderr.read()).decode() if process.stderr else ""
    raise StartRefused(
        said.strip().removeprefix("error: ") or f"`stationmaster up` ended with {process.returncode}"
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
