"""The two processes that `up` starts, the Agent Server and the console: what each is told, and where each is."""

import asyncio
import os
import secrets
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from stationmaster.cli.banner import database, model, traces
from stationmaster.console import process as console_process
from stationmaster.console.process import CONSOLE, Credentials, UnsafeConsole, require_defences
from stationmaster.console.record import ConsoleRecord
from stationmaster.loopback import is_loopback
from stationmaster.processes.child import Child
from stationmaster.processes.sockets import local_url
from stationmaster.reviews.access import links
from stationmaster.reviews.database import Pool, open_pool
from stationmaster.server import process as server_process
from stationmaster.server.edition import words
from stationmaster.server.record import Record
from stationmaster.server.stock import COMMUNITY, OUR_AUTH, Project, stock_environment
from stationmaster.settings import Settings

HERE = "127.0.0.1"
SIGN_IN_AGAIN = (
    f".venv/bin/stationmaster users link {links.FIRST_USER}   prints a link; others by their names"
)


@dataclass(frozen=True)
class Arrangement:
    """What the two have to know of each other. Keys and the webhook secret are new at each start unless they were
    set, and never shown. `refused`: why the console keeps to this machine although the server doesn't."""

    settings: Settings
    project: Project
    console_host: str
    uri: str = field(repr=False)
    refused: str | None = None
    server_key: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    console_key: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    new_secret: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def server_url(self) -> str:
        return local_url(self.settings.host, self.settings.port)

    @property
    def console_url(self) -> str:
        return local_url(self.console_host, self.settings.console_port)

    @property
    def webhook_secret(self) -> str:
        given = self.settings.webhook_secret
        return given.get_secret_value() if given else self.new_secret

    @property
    def webhook_url(self) -> str | None:
        """None for a langgraph.json without `webhooks`, whose server would call nobody: the sweep finds what waits."""
        if self.settings.webhook_url or not self.project.config.get("webhooks"):
            return self.settings.webhook_url
        return f"{self.console_url}{console_process.WEBHOOK_PATH}"


async def arrange(settings: Settings, project: Project, uri: str) -> Arrangement:
    """Decide where the console may listen: beyond this machine only where it knows its users."""
    given = _key_for(settings, project)
    secret = {"webhook_secret": settings.webhook_secret or "made at the start"}
    try:
        async with open_pool(uri, max_size=1) as pool:
            await require_defences(settings.host, settings.model_copy(update=secret), pool)
    except UnsafeConsole as why:
        return Arrangement(settings, project, HERE, uri, str(why), **given)
    return Arrangement(settings, project, settings.host, uri, **given)


def _key_for(settings: Settings, project: Project) -> dict[str, str]:
    """What the console calls the server with, unless a new key does: a project's own auth knows none of ours."""
    key = settings.local_key if project.auth == OUR_AUTH else settings.api_key
    return {"server_key": key.get_secret_value()} if key else {}


async def start_server(plan: Arrangement, sock: socket.socket, claim: int) -> Child:
    """The Agent Server. It runs in another directory, so that `.env` is handed on as variables."""
    settings, project = plan.settings, plan.project
    environment = server_environment(
        settings, project, url=plan.server_url, uri=plan.uri, key=plan.server_key,
        webhook_url=plan.webhook_url, webhook_secret=plan.webhook_secret,
    )  # fmt: skip
    return await Child.start(
        server_process.kind(environment), sock, claim, url=plan.server_url,
        directory=settings.data_dir / server_process.DIRECTORY, log=settings.data_dir / server_process.LOG_NAME,
        environment=environment, log_level=settings.log_level, arguments=server_arguments(settings, project),
    )  # fmt: skip


async def start_console(plan: Arrangement, sock: socket.socket, claim: int) -> Child:
    """The console, in the working directory, as every command: it reads the same `.env`, and the policies."""
    settings = plan.settings
    credentials = Credentials(plan.server_url, plan.server_key, plan.console_key, plan.webhook_secret)
    return await Child.start(
        CONSOLE, sock, claim, url=plan.console_url, directory=Path.cwd(),
        log=settings.data_dir / console_process.LOG_NAME,
        environment=console_process.environment(settings, plan.console_host, credentials),
        log_level=settings.log_level,
    )  # fmt: skip


def records(plan: Arrangement) -> tuple[Record, ConsoleRecord]:
    """What commands on this machine read: `server.json` and `console.json`."""
    pid, now = os.getpid(), datetime.now(UTC).isoformat(timespec="seconds")
    settings = plan.settings
    return (
        Record(
            plan.server_url,
            pid,
            now,
            plan.server_key,
            plan.console_url,
            model(settings),
            database(settings),
            words(settings.runtime_edition),
            traces(settings),
        ),
        ConsoleRecord(plan.console_url, pid, now, plan.server_url, plan.console_key),
    )


async def sign_in_link(plan: Arrangement, uri: str) -> str | None:
    """A one-time link for the first user, while nobody could sign in and only this machine can open it; later the
    command that prints one."""
    async with open_pool(uri, max_size=1) as pool:
        return await first_sign_in(pool, plan.settings, plan.console_host, plan.console_url)


async def first_sign_in(pool: Pool, settings: Settings, host: str, console_url: str) -> str | None:
    """The same for a console on `host`, as the banner says it."""
    if not is_loopback(host) or settings.oidc_issuer:
        return None
    made = await links.first(pool)
    if made is None:
        return SIGN_IN_AGAIN
    return f"{links.url(settings.public_url or console_url, made)}  (works once, for {links.MINUTES} minutes)"


async def all_ready(children: Sequence[Child]) -> None:
    """Return when every one answers; the first failure is raised."""
    waits = [asyncio.ensure_future(child.ready()) for child in children]
    try:
        await asyncio.gather(*waits)
    finally:
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)


async def first_end(children: Sequence[Child]) -> None:
    """Wait until one of them ends by itself, which is an error, and raise it."""
    ends = [asyncio.ensure_future(child.ended()) for child in children]
    try:
        done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for end in done:
            end.result()
    finally:
        for end in ends:
            end.cancel()
        await asyncio.gather(*ends, return_exceptions=True)


async def stop(children: Sequence[Child]) -> None:
    """The last that was started first: no answer leaves for a server that is going."""
    at_once = False
    for child in reversed(children):
        at_once = await child.stop(at_once=at_once)


def server_arguments(settings: Settings, project: Project) -> list[str]:
    """Where a server process finds the project's code; where it works, unless it keeps its state where it works."""
    paths = [argument for path in project.import_paths for argument in ("--import-path", path)]
    return [*paths, "--directory", str(project.directory)] if settings.runtime_edition == COMMUNITY else paths


def server_environment(
    settings: Settings,
    project: Project,
    *,
    url: str,
    uri: str,
    key: str,
    webhook_url: str | None,
    webhook_secret: str | None,
) -> dict[str, str]:
    """What a server process gets: our environment, under it `.env`, over it what was settled here."""
    ours = {name: value for name, value in os.environ.items() if value or name not in project.env()}
    settled = {
        "STATIONMASTER_DATA_DIR": str(settings.data_dir),
        "STATIONMASTER_HOST": settings.host,
        "STATIONMASTER_PORT": str(settings.port),
        "STATIONMASTER_CONSOLE_PORT": str(settings.console_port),
        "STATIONMASTER_LOCAL_KEY": key,
        "STATIONMASTER_WEBHOOK_URL": webhook_url,
        "LG_WEBHOOK_SECRET": webhook_secret,
        "STATIONMASTER_DATABASE_URI": settings.database_uri,
        "STATIONMASTER_RETENTION_DAYS": f"{settings.retention_days:g}",
        "STATIONMASTER_EXPORTS": str(settings.exports_dir),
        "STATIONMASTER_RUNTIME_EDITION": settings.runtime_edition,
        "LOG_LEVEL": settings.log_level,
        "LOG_COLOR": "false",
    }
    stock = stock_environment(
        project, url=url, jobs=settings.jobs, edition=settings.runtime_edition, database_uri=uri
    )
    return {**project.env(), **ours, **{name: value for name, value in settled.items() if value}, **stock}
