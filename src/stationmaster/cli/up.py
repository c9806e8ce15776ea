"""`stationmaster up`: embedded Postgres, migrations, a seeded shop, the Agent Server; until a signal."""

import asyncio
import os
import secrets
import signal
import socket
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from pydantic import SecretStr
from rich.console import Console

from stationmaster.cli.banner import print_banner
from stationmaster.postgres import ensure, release
from stationmaster.server.policy import require_key_for
from stationmaster.server.process import ServerProcess, listen, local_url
from stationmaster.server.record import Record, claim, remove_record, write_record
from stationmaster.server.stock import Project, read_project, stock_environment
from stationmaster.settings import Settings, load_settings
from stationmaster.shop.seed import seed_if_empty

LOG_NAME = "server.log"
# The in-memory runtime keeps its state below its working directory.
RUN_DIRECTORY = "server"


def up(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; beyond this machine a key is needed.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port of the Agent Server (default 2024).")
    ] = None,
    console_port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port of the web console, reserved (default 2025).")
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(file_okay=False, help="Where data is kept (default .stationmaster).")
    ] = None,
) -> None:
    """Run the service until Ctrl-C or SIGTERM."""
    project = read_project(Path.cwd())
    given = {
        "host": host,
        "port": port,
        "console_port": console_port,
        "data_dir": data_dir and data_dir.absolute(),
    }
    settings = load_settings().model_copy(
        update={name: value for name, value in given.items() if value is not None}
    )
    if settings.local_key is None:
        settings = settings.model_copy(update={"local_key": SecretStr(secrets.token_urlsafe(32))})
    require_key_for(settings.host, settings)
    asyncio.run(_until_signal(settings, project))


async def _until_signal(settings: Settings, project: Project) -> None:
    """Serve until a signal comes; a second one doesn't wait for the server's clean end."""
    work = asyncio.ensure_future(_serve(settings, project))
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, work.cancel)
    try:
        await work
    except asyncio.CancelledError:
        Console(stderr=True).print("stopped")


async def _serve(settings: Settings, project: Project) -> None:
    """Everything in order, undone in the opposite one; ends when cancelled, or with the server's failure."""
    data_dir, url = settings.data_dir, local_url(settings.host, settings.port)
    with claim(data_dir) as lock:
        try:
            with listen(settings.host, settings.port) as sock:
                seeded = await seed_if_empty(await ensure(settings))
                server = await _start(settings, project, url, sock, lock)
            try:
                await server.ready(url)
                write_record(data_dir, _record(settings, url))
                print_banner(Console(), settings, project, url, log=server.log, seeded=seeded)
                await server.ended()
            finally:
                await server.stop()
                remove_record(data_dir)
        finally:
            await release(settings)


async def _start(
    settings: Settings, project: Project, url: str, sock: socket.socket, lock: int
) -> ServerProcess:
    return await ServerProcess.start(
        sock,
        lock,
        directory=settings.data_dir / RUN_DIRECTORY,
        log=settings.data_dir / LOG_NAME,
        environment=_environment(settings, project, url),
        log_level=settings.log_level,
        import_paths=project.import_paths,
    )


def _environment(settings: Settings, project: Project, url: str) -> dict[str, str]:
    """The server process's environment: ours, under it `.env`, over it what was settled here.

    The server runs in another directory, so that `.env` is handed on as variables.
    """
    ours = {name: value for name, value in os.environ.items() if value or name not in project.env()}
    settled = {
        "STATIONMASTER_DATA_DIR": str(settings.data_dir),
        "STATIONMASTER_HOST": settings.host,
        "STATIONMASTER_PORT": str(settings.port),
        "STATIONMASTER_CONSOLE_PORT": str(settings.console_port),
        "LOG_LEVEL": settings.log_level,
        "LOG_COLOR": "false",
    }
    if settings.local_key:
        settled["STATIONMASTER_LOCAL_KEY"] = settings.local_key.get_secret_value()
    if settings.database_uri:
        settled["STATIONMASTER_DATABASE_URI"] = settings.database_uri
    stock = stock_environment(project, url=url, jobs=settings.jobs, edition=settings.runtime_edition)
    return {**project.env(), **ours, **settled, **stock}


def _record(settings: Settings, url: str) -> Record:
    key = settings.local_key.get_secret_value() if settings.local_key else ""
    return Record(
        url=url, pid=os.getpid(), started_at=datetime.now(UTC).isoformat(timespec="seconds"), local_key=key
    )
