"""`stationmaster serve`: the durable Agent Server alone, as one process or several, on any project's langgraph.json."""

import asyncio
import os
import secrets
import signal
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from stationmaster.cli import children
from stationmaster.cli.banner import database, keys, model, print_rows, traces
from stationmaster.cli.replicas import Replicas
from stationmaster.postgres import ensure, release
from stationmaster.processes.child import Child
from stationmaster.processes.sockets import listen, local_url
from stationmaster.server import process as server_process
from stationmaster.server.policy import require_guarded
from stationmaster.server.record import Record, claim, remove_record, write_record
from stationmaster.server.stock import (
    COMMUNITY,
    CONFIG_NAME,
    Project,
    read_project,
    require_ours,
    require_python,
)
from stationmaster.settings import Settings, load_settings


def serve(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; beyond this machine a key is needed.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port of the Agent Server (default 2024).")
    ] = None,
    config: Annotated[
        Path, typer.Option(dir_okay=False, help="The project's langgraph.json (default: the one here).")
    ] = Path(CONFIG_NAME),
    replicas: Annotated[int, typer.Option(min=1, max=64, help="Server processes on this port.")] = 1,
    data_dir: Annotated[
        Path | None, typer.Option(file_okay=False, help="Where logs are kept (default .stationmaster).")
    ] = None,
) -> None:
    """Serve a project durably on Postgres until Ctrl-C or SIGTERM; any number of hosts may share one DATABASE_URI."""
    project = read_project(config)
    given = {"host": host, "port": port, "data_dir": data_dir and data_dir.absolute()}
    settings = load_settings().model_copy(
        update={
            "runtime_edition": COMMUNITY, **{name: value for name, value in given.items() if value is not None}
        }
    )  # fmt: skip
    require_python(project)
    require_guarded(project, settings)
    require_ours(project)
    asyncio.run(_until_signal(settings, project, replicas))


async def _until_signal(settings: Settings, project: Project, replicas: int) -> None:
    """Serve until a signal comes; a second one doesn't wait for a clean end."""
    work = asyncio.ensure_future(_serve(settings, project, replicas))
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, work.cancel)
    try:
        await work
    except asyncio.CancelledError:
        Console(stderr=True).print("stopped")


async def _serve(settings: Settings, project: Project, replicas: int) -> None:
    """Everything in order, undone in the opposite one; ends when cancelled, or when no server is left."""
    async with AsyncExitStack() as undo:
        lock = undo.enter_context(claim(settings.data_dir))
        undo.push_async_callback(release, settings)
        undo.callback(remove_record, settings.data_dir)
        sock = undo.enter_context(listen(settings.host, settings.port))
        key = settings.local_key.get_secret_value() if settings.local_key else secrets.token_urlsafe(32)
        environment = children.server_environment(
            settings, project, url=local_url(settings.host, settings.port), uri=await ensure(settings), key=key,
            webhook_url=settings.webhook_url,
            webhook_secret=settings.webhook_secret.get_secret_value() if settings.webhook_secret else None,
        )  # fmt: skip

        async def begin(number: int) -> Child:
            log = settings.data_dir / (server_process.LOG_NAME if number == 1 else f"server-{number}.log")
            return await Child.start(
                server_process.kind(environment), sock, lock, url=local_url(settings.host, settings.port),
                directory=settings.data_dir / server_process.DIRECTORY, log=log, environment=environment,
                log_level=settings.log_level, arguments=children.server_arguments(settings, project),
            )  # fmt: skip

        servers = Replicas(begin, partial(Console(stderr=True).print, soft_wrap=True, markup=False))
        undo.push_async_callback(servers.stop)
        started = await servers.start(replicas)
        await children.all_ready(started)
        write_record(settings.data_dir, _record(settings, key))
        _print_banner(settings, project, started)
        await servers.keep()


def _record(settings: Settings, key: str) -> Record:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    url = local_url(settings.host, settings.port)
    return Record(
        url, os.getpid(), now, key, None, model(settings), database(settings), traces=traces(settings)
    )


def _print_banner(settings: Settings, project: Project, started: list[Child]) -> None:
    console = Console()
    console.print("[bold]Stationmaster serves[/bold]")
    rows = {
        "API": local_url(settings.host, settings.port),
        "graphs": ", ".join(project.graphs),
        "servers": len(started),
        "keys": keys(settings, project),
        **({"traces": to} if (to := traces(settings)) else {}),
        "database": database(settings),
        "logs": ", ".join(str(child.log) for child in started),
    }
    print_rows(console, rows)
    console.print("Ctrl-C stops it.")
