"""The server process that `up` starts: the stock Agent Server on a socket that was bound before.

`python -m stationmaster.server.launch --import-path DIR...`, with the options of every child (processes/lifeline.py)
and the stock server's environment already set.
"""

import asyncio
import os
import signal
import socket
import sys
import traceback
from pathlib import Path
from types import FrameType

import uvicorn

from stationmaster.errors import StationmasterError
from stationmaster.processes import connections, lifeline
from stationmaster.server.stock import COMMUNITY
from stationmaster.settings import Settings, load_settings
from stationmaster.tracing import starting as tracing

# The same app where the runtime is ours, with what stands round it.
WRAPPED = "langgraph_runtime_community.idempotency:create_app"
STARTUP_FAILED = 3  # uvicorn's exit code
BAD_PROJECT = 2


def main() -> None:
    """Serve until SIGTERM or the end of the lifeline. Exit codes: 0 asked to stop, 2 or 3 can't start."""
    parser = lifeline.parser("stationmaster.server.launch")
    parser.add_argument("--import-path", action="append", default=[])
    parser.add_argument("--directory", help="where the project's code finds its files; default: here")
    options = parser.parse_args()
    # uvicorn raises the signal again once it has shut down; by default that would skip `atexit`.
    signal.signal(signal.SIGTERM, _exit_quietly)
    sock = lifeline.adopt(options)
    _add_to_path(options.import_path)
    settings = _settings()
    if options.directory:
        os.chdir(options.directory)
    tracing.start(settings)  # here, for projects whose HTTP app is not ours
    durable = settings.runtime_edition == COMMUNITY
    config = uvicorn.Config(
        WRAPPED if durable else "langgraph_api.server:app",
        factory=durable,
        access_log=False,
        lifespan="on",
        log_config=_logging(options.log_level.upper()),
        timeout_keep_alive=connections.KEEP_ALIVE_S,
        timeout_graceful_shutdown=connections.GRACE_S,
    )
    try:
        Served(config, settings).run(sockets=[sock])
    except SystemExit as end:
        if end.code == STARTUP_FAILED and (reason := _graph_failure(options.import_path)):
            sys.stderr.write(f"error: {reason}\n")
            raise SystemExit(BAD_PROJECT) from None
        raise


def _add_to_path(paths: list[str]) -> None:
    """Before what is installed, whose top-level names (`agents` is one) a project may use for its own packages, and
    behind the standard library."""
    installed = (
        n for n, entry in enumerate(sys.path) if Path(entry).name in {"site-packages", "dist-packages"}
    )
    at = next(installed, len(sys.path))
    sys.path[at:at] = paths


class Served(uvicorn.Server):
    """With the nightly prune beside it, where the runtime is ours."""

    def __init__(self, config: uvicorn.Config, settings: Settings) -> None:
        super().__init__(config)
        self.settings = settings

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Until a signal."""
        nightly = asyncio.create_task(_every_night(self.settings)) if _prunes(self.settings) else None
        try:
            await super().serve(sockets)
        finally:
            if nightly is not None:
                nightly.cancel()
                await asyncio.wait([nightly])


def _settings() -> Settings:
    """The project's env file may name a setting that whoever started us never read."""
    try:
        return load_settings()
    except StationmasterError as error:
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(BAD_PROJECT) from None


def _prunes(settings: Settings) -> bool:
    return bool(settings.runtime_edition == COMMUNITY and settings.database_uri and settings.retention_days)


async def _every_night(settings: Settings) -> None:
    from stationmaster.upkeep.nightly import every_night
    from stationmaster.upkeep.pruning import Rule

    await every_night(settings.database_uri or "", Rule(settings.retention_days, settings.exports_dir))


def _exit_quietly(signum: int, frame: FrameType | None) -> None:
    raise SystemExit(0)


def _graph_failure(import_paths: list[str]) -> str | None:
    """Which graph did not load, where in the project, and why; None if that is not what stopped the start."""
    from langgraph_api.utils.errors import GraphLoadError
    from langgraph_runtime.lifespan import lifespan

    last_error = getattr(lifespan, "get_last_error", None)
    failure = last_error() if last_error else None
    if not isinstance(failure, GraphLoadError):
        return None
    cause = failure.cause
    reason = str(cause) if isinstance(cause, SyntaxError) else failure.cause_message
    return (
        f"graph {failure.spec.id!r} ({failure.location}) does not load: {_place(cause, import_paths)}{reason}"
    )


def _place(cause: BaseException, import_paths: list[str]) -> str:
    """`file:line: ` of the project's own line that failed, the innermost; empty if no such line took part."""
    if isinstance(cause, SyntaxError) and cause.filename:
        return f"{cause.filename}:{cause.lineno}: "
    own = [
        frame
        for frame in traceback.extract_tb(cause.__traceback__)
        if any(Path(frame.filename).is_relative_to(path) for path in import_paths)
        and "site-packages" not in Path(frame.filename).parts
    ]
    return f"{own[-1].filename}:{own[-1].lineno}: " if own else ""


def _logging(level: str) -> dict[str, object]:
    """Everything through the server's own formatter, to standard output."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"server": {"class": "langgraph_api.logging.Formatter"}},
        "handlers": {
            "console": {"class": "logging.StreamHandler", "formatter": "server", "stream": "ext://sys.stdout"}
        },
        "root": {"handlers": ["console"], "level": level},
        "loggers": {name: {"level": level} for name in ("uvicorn", "uvicorn.error", "langgraph_api.server")},
    }


if __name__ == "__main__":
    main()
