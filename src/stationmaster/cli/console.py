"""`stationmaster console`: the console alone, for any Agent Server; until a signal."""

import asyncio
import contextlib
import os
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import httpx
import typer
from pydantic import SecretStr
from rich.console import Console

from stationmaster.cli.banner import database, print_notes, print_rows
from stationmaster.cli.children import first_sign_in
from stationmaster.cli.status import graphs_of
from stationmaster.cli.target import Target, find_target
from stationmaster.console import record
from stationmaster.console.notes import notes, policies_in
from stationmaster.console.process import WEBHOOK_PATH, require_defences
from stationmaster.console.record import ConsoleRecord
from stationmaster.console.serve import ConsoleServer, DidNotStart, console_server
from stationmaster.errors import StationmasterError
from stationmaster.postgres import ensure, release
from stationmaster.processes.sockets import listen, local_url
from stationmaster.reviews.database import open_pool
from stationmaster.settings import Settings, load_settings

HEALTH_TIMEOUT_S = 60


def console(
    api_url: Annotated[
        str | None, typer.Option(help="The Agent Server, any; its key is read from STATIONMASTER_API_KEY.")
    ] = None,
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; beyond this machine a user is needed.")
    ] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="Port (default 2025).")] = None,
    data_dir: Annotated[
        Path | None, typer.Option(file_okay=False, help="Where data is kept (default .stationmaster).")
    ] = None,
) -> None:
    """Run the console until Ctrl-C or SIGTERM; `stationmaster up` has one already.

    Without --api-url it is for the server that `up` runs, or STATIONMASTER_API_URL names. Webhooks make it quick;
    without them the sweep finds everything that waits.
    """
    settings = load_settings()
    target = find_target(settings, api_url, data_dir)
    given = {"host": host, "console_port": port, "data_dir": data_dir and data_dir.absolute()}
    made = {
        "api_url": target.url,
        "api_key": SecretStr(target.api_key) if target.api_key else None,
        "local_key": SecretStr(secrets.token_urlsafe(32)),
    }
    settings = settings.model_copy(
        update={**{name: value for name, value in given.items() if value is not None}, **made}
    )
    asyncio.run(_until_signal(settings, target))


async def _until_signal(settings: Settings, target: Target) -> None:
    """A signal ends the start at once and the service in order; a second one doesn't wait for that."""
    work = asyncio.ensure_future(_serve(settings, target))
    _on_signals(work.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await work
    sys.stderr.write("stopped\n")


def _on_signals(do: Callable[[], object]) -> None:
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, do)


async def _serve(settings: Settings, target: Target) -> None:
    url = local_url(settings.host, settings.console_port)
    async with AsyncExitStack() as undo:
        undo.enter_context(record.claim(settings.data_dir))
        sock = undo.enter_context(listen(settings.host, settings.console_port))
        undo.push_async_callback(release, settings)
        async with open_pool(await ensure(settings), max_size=1) as pool:
            await require_defences(settings.host, settings, pool)
            sign_in = await first_sign_in(pool, settings, settings.host, url)
        server = await console_server(settings)
        serving = asyncio.ensure_future(server.run_on(sock))
        async with _stopped(server, serving):
            await _healthy(url, serving)
            undo.callback(record.remove_record, settings.data_dir)
            record.write_record(settings.data_dir, _record(settings, url, target))
            _print_banner(settings, url, target, sign_in, await _known_graphs(target))
            print_notes(Console(), await notes(settings))
            _on_signals(server.stop)
            await serving


@contextlib.asynccontextmanager
async def _stopped(server: ConsoleServer, serving: asyncio.Future[None]) -> AsyncIterator[None]:
    """However the block ends, the server has ended in order before whatever it stands on is taken away."""
    try:
        yield
    finally:
        if not serving.done():
            server.stop()
        await asyncio.wait([serving])


async def _healthy(url: str, serving: asyncio.Future[None]) -> None:
    """Return once it serves; its own failure if it ends before."""
    async with httpx.AsyncClient(trust_env=False, timeout=HEALTH_TIMEOUT_S) as http:
        asking = asyncio.ensure_future(http.get(f"{url}/healthz"))
        await asyncio.wait({asking, serving}, return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
            serving.result()
        response = await asking
    if response.status_code != httpx.codes.OK:
        raise DidNotStart(f"the console is not well ({response.text[:200]}): its log, above, says why")


async def _known_graphs(target: Target) -> str:
    """What the Agent Server serves; it may come later, so that its silence stops nothing."""
    try:
        return ", ".join(await graphs_of(target))
    except StationmasterError as error:
        return f"unknown for now: {error}"


def _record(settings: Settings, url: str, target: Target) -> ConsoleRecord:
    key = settings.local_key.get_secret_value() if settings.local_key else ""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return ConsoleRecord(url=url, pid=os.getpid(), started_at=now, api_url=target.url, key=key)


def _print_banner(settings: Settings, url: str, target: Target, sign_in: str | None, graphs: str) -> None:
    has_secret = settings.webhook_secret is not None or settings.webhook_secrets
    whose = "with its secret" if has_secret else "of this machine"
    out = Console()
    out.print("[bold]The console is up[/bold]")
    rows = {
        "inbox": url,
        **({"sign in": sign_in} if sign_in else {}),
        "for": target.url,
        "graphs": graphs,
        "webhooks": f"{url}{WEBHOOK_PATH} takes those {whose}; without any the sweep finds what waits",
        "policies": str(policies_in(settings)),
        "database": database(settings),
        "data": str(settings.data_dir),
    }
    print_rows(out, rows)
    out.print("Ctrl-C stops it.")
