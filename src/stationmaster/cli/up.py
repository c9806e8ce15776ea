"""`stationmaster up`: embedded Postgres, a seeded shop, the Agent Server and the console; until a signal."""

import asyncio
import signal
from contextlib import AsyncExitStack, ExitStack
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from stationmaster.cli import children
from stationmaster.cli.banner import print_banner, print_notes
from stationmaster.cli.children import Arrangement
from stationmaster.cli.target import Target
from stationmaster.console import record as console_record
from stationmaster.console.notes import notes
from stationmaster.postgres import ensure, release
from stationmaster.processes.child import Child
from stationmaster.processes.sockets import listen
from stationmaster.server.edition import take
from stationmaster.server.policy import require_guarded
from stationmaster.server.record import claim, remove_record, write_record
from stationmaster.server.stock import (
    COMMUNITY,
    CONFIG_NAME,
    OUR_AUTH,
    Project,
    read_project,
    require_ours,
    require_python,
)
from stationmaster.settings import Settings, load_settings
from stationmaster.shop.seed import seed_if_empty

CONSOLE_PORT = "--console-port"


class Edition(StrEnum):
    """The runtimes that there are under the Agent Server."""

    INMEM = "inmem"
    COMMUNITY = "community"


def up(
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; beyond this machine a key is needed.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port of the Agent Server (default 2024).")
    ] = None,
    console_port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port of the web console (default 2025).")
    ] = None,
    config: Annotated[
        Path, typer.Option(dir_okay=False, help="The project's langgraph.json (default: the one here).")
    ] = Path(CONFIG_NAME),
    data_dir: Annotated[
        Path | None, typer.Option(file_okay=False, help="Where data is kept (default .stationmaster).")
    ] = None,
    edition: Annotated[
        Edition | None, typer.Option(help="Runtime: community (default), durable, or inmem, in memory.")
    ] = None,
) -> None:
    """Run the service until Ctrl-C or SIGTERM."""
    project = read_project(config)
    given = {
        "host": host,
        "port": port,
        "console_port": console_port,
        "data_dir": data_dir and data_dir.absolute(),
        "runtime_edition": edition and edition.value,
    }
    settings = load_settings().model_copy(
        update={name: value for name, value in given.items() if value is not None}
    )
    require_python(project)
    require_guarded(project, settings)
    if settings.runtime_edition == COMMUNITY:
        require_ours(project)
    asyncio.run(_until_signal(settings, project))


async def _until_signal(settings: Settings, project: Project) -> None:
    """Serve until a signal comes; a second one doesn't wait for a clean end."""
    work = asyncio.ensure_future(_serve(settings, project))
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, work.cancel)
    try:
        await work
    except asyncio.CancelledError:
        Console(stderr=True).print("stopped")


async def _serve(settings: Settings, project: Project) -> None:
    """Everything in order, undone in the opposite one; ends when cancelled, or with a child's failure."""
    data_dir, started = settings.data_dir, list[Child]()
    async with AsyncExitStack() as undo:
        locks = undo.enter_context(claim(data_dir)), undo.enter_context(console_record.claim(data_dir))
        chosen = "runtime_edition" in settings.model_fields_set
        if said := take(data_dir, settings.runtime_edition, chosen=chosen):
            Console(stderr=True).print(f"note: {said}", soft_wrap=True, markup=False, highlight=False)
        undo.push_async_callback(release, settings)
        undo.callback(remove_record, data_dir)
        undo.callback(console_record.remove_record, data_dir)
        undo.push_async_callback(children.stop, started)
        plan, seeded = await _start(settings, project, locks, started)
        from stationmaster.cli import at_start  # half a second of imports, while the children start

        await children.all_ready(started)
        ours, consoles = children.records(plan)
        console_record.write_record(data_dir, consoles)
        link = await children.sign_in_link(plan, await ensure(settings))
        logs = [child.log for child in started]
        files = await at_start.apply_files(settings, Target(plan.server_url, plan.server_key))
        write_record(data_dir, ours)  # who finds the server by it finds what the files describe as well
        print_banner(Console(), plan, sign_in=link, logs=logs, seeded=seeded, files=files)
        print_notes(Console(), await notes(settings))
        await children.first_end(started)


async def _start(
    settings: Settings, project: Project, locks: tuple[int, int], started: list[Child]
) -> tuple[Arrangement, str | None]:
    """Both processes, on ports that were bound before anything else is done; and what the shop was seeded with."""
    with ExitStack() as sockets:
        server = sockets.enter_context(listen(settings.host, settings.port))
        console = sockets.enter_context(listen(settings.host, settings.console_port, option=CONSOLE_PORT))
        uri = await ensure(settings)
        seeded = await seed_if_empty(uri) if project.auth == OUR_AUTH else None
        plan = await children.arrange(settings, project, uri)
        if plan.console_host != settings.host:
            console.close()
            console = sockets.enter_context(
                listen(plan.console_host, settings.console_port, option=CONSOLE_PORT)
            )
        started.append(await children.start_server(plan, server, locks[0]))
        started.append(await children.start_console(plan, console, locks[1]))
    return plan, seeded
