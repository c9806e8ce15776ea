"""What the commands of `stationmaster reviews` share: their options, the console that they ask, and ids by their
beginning."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from stationmaster.cli.target import find_console
from stationmaster.console.client import ConsoleClient, NoSuchReview, open_client
from stationmaster.settings import load_settings

OPEN_TABS = ("needs_you", "claimed", "waiting")
ALL_TABS = (*OPEN_TABS, "decided", "closed", "debug")
REFUSED = 3
"""Exit code of what the console refused."""

DataDir = Annotated[
    Path | None, typer.Option(file_okay=False, help="Whose console (default .stationmaster).")
]
ConsoleUrl = Annotated[
    str | None, typer.Option(help="A console elsewhere, with STATIONMASTER_CONSOLE_TOKEN.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="The review's id, or its beginning.")]

T = TypeVar("T")


async def whole_id(console: ConsoleClient, given: str) -> str:
    """The id that begins so: `list` shows the first eight characters."""
    if len(given) >= 36:
        return given
    ids = {
        review["id"]
        for tab in ALL_TABS
        for review in await console.reviews(tab, most=1000)
        if review["id"].startswith(given.lower())
    }
    if len(ids) != 1:
        why = "no review's id begins" if not ids else f"the ids of {len(ids)} reviews begin"
        raise NoSuchReview(f"{why} with {given}: `stationmaster reviews list --json` shows them whole")
    return ids.pop()


def run(work: Callable[[ConsoleClient], Awaitable[T]], console_url: str | None, data_dir: Path | None) -> T:
    target = find_console(load_settings(), console_url, data_dir)

    async def asked() -> T:
        async with open_client(target) as console:
            return await work(console)

    return asyncio.run(asked())


def end(said: str, code: int) -> None:
    typer.echo(said, err=True)
    raise typer.Exit(code)
