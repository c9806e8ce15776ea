"""The console's app on a socket, until a signal: what `up`'s child and `stationmaster console` both run."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import uvicorn
from starlette.applications import Starlette

from stationmaster.console.app import create_app
from stationmaster.console.notes import policies_in
from stationmaster.errors import StationmasterError
from stationmaster.postgres import ensure
from stationmaster.processes import connections
from stationmaster.reviews import policies
from stationmaster.settings import Settings


class DidNotStart(StationmasterError):
    """The app did not come up; the log says why."""

    exit_code = 1


class ConsoleServer(uvicorn.Server):
    """Stops by `stop()`, once in order and the second time at once; signals are for whoever runs the loop."""

    def __init__(self, app: Starlette, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._app = app

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    def stop(self) -> None:
        # The server waits for open streams before the app's lifespan ends.
        self._app.state.changes.close()
        self.force_exit = self.should_exit
        self.should_exit = True

    async def run_on(self, sock: socket.socket) -> None:
        """Serve until `stop`. DidNotStart if the app can't."""
        await self.serve(sockets=[sock])
        if not self.started:
            raise DidNotStart("the console did not start: its log, above, says why")


async def console_server(settings: Settings) -> ConsoleServer:
    """The server, once database and policies are known to be usable: StationmasterError says in one line what isn't."""
    settings = settings.model_copy(update={"policies": policies_in(settings)})
    await asyncio.to_thread(policies.load, settings.policies)
    await ensure(settings)
    app = create_app(settings)
    config = uvicorn.Config(
        app, access_log=False, lifespan="on", log_config=_logging(settings.log_level.upper()),
        timeout_keep_alive=connections.KEEP_ALIVE_S, timeout_graceful_shutdown=connections.GRACE_S, server_header=False,
    )  # fmt: skip
    return ConsoleServer(app, config)


def _logging(level: str) -> dict[str, object]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
        "handlers": {
            "console": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"}
        },
        "root": {"handlers": ["console"], "level": level},
        # httpx tells of every request at "info".
        "loggers": {
            "uvicorn": {"level": level},
            "uvicorn.error": {"level": level},
            "httpx": {"level": "WARNING"},
        },
    }
