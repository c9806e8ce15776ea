"""Where `stationmaster assistants` works: the server, and the console's database where that is the server's own."""

import asyncio
import getpass
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from stationmaster.cli.target import client, find_target, named_target
from stationmaster.errors import StationmasterError
from stationmaster.settings import Settings, load_settings

if TYPE_CHECKING:
    from stationmaster.reconcile.gateway import Gateway
    from stationmaster.reviews.database import Pool

T = TypeVar("T")
Named = Annotated[str | None, typer.Option("--target", help="A server of STATIONMASTER_TARGETS, like prod.")]
ApiUrl = Annotated[str | None, typer.Option(help="A server's URL, with STATIONMASTER_API_KEY.")]
DataDir = Annotated[Path | None, typer.Option(file_okay=False, help="Whose server (default .stationmaster).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
By = Annotated[str | None, typer.Option(help="Who does it (default: your user name).")]
Reason = Annotated[str, typer.Option(help="Why; kept with the version.")]


class NoDatabase(StationmasterError):
    """The reviews of that server are in a database that this command does not know."""


def work_at(
    work: "Callable[[Gateway, Pool | None], Awaitable[T]]",
    target_name: str | None,
    api_url: str | None,
    data_dir: Path | None,
) -> T:
    """Do the work with a server. The pool is None for a server elsewhere, unless a database is named for it."""
    settings = load_settings()
    if data_dir:
        settings = settings.model_copy(update={"data_dir": data_dir.expanduser().absolute()})
    target = named_target(settings, target_name) if target_name else find_target(settings, api_url, data_dir)
    elsewhere = bool(target_name or api_url or (settings.api_url and data_dir is None))

    async def run() -> T:
        from stationmaster.reconcile.gateway import Gateway

        async with client(target) as sdk, database(settings, elsewhere=elsewhere) as pool:
            return await work(Gateway(sdk, target.url), pool)

    return asyncio.run(run())


def who(by: str | None) -> str:
    """`--by`, else the user of this machine."""
    try:
        return by or getpass.getuser()
    except (KeyError, OSError):  # a container's user has no name
        return "operator"


def print_json(found: Any) -> None:
    typer.echo(json.dumps(found, ensure_ascii=False))


def records() -> Any:
    """What --json is made of; imported when it is asked for."""
    from stationmaster.assistants import records

    return records


def require(pool: "Pool | None") -> "Pool":
    """NoDatabase where there is none."""
    if pool is None:
        raise NoDatabase(
            "what became of runs and reviews is in the database of that server's console: "
            "set STATIONMASTER_DATABASE_URI to it"
        )
    return pool


@asynccontextmanager
async def database(settings: Settings, *, elsewhere: bool) -> "AsyncIterator[Pool | None]":
    """The database; None for a server elsewhere, unless one is named for it."""
    if elsewhere and settings.database_uri is None:
        yield None
        return
    from stationmaster.postgres import ensure
    from stationmaster.reviews.database import open_pool

    async with open_pool(await ensure(settings), max_size=2) as pool:
        yield pool
