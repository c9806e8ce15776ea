"""What `plan`, `apply` and `adopt` share: their options, the files, and the server they speak to."""

import asyncio
import getpass
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from stationmaster.cli.target import NoServer, Target, client, find_target, listens, named_target
from stationmaster.cli.terminal import shown
from stationmaster.reconcile.errors import ServerUnavailable
from stationmaster.reconcile.files import Files, FilesWrong, read
from stationmaster.reconcile.gateway import Gateway
from stationmaster.settings import Settings

T = TypeVar("T")
NO_FILES = Files((), ())
Named = Annotated[str | None, typer.Option("--target", help="A server of STATIONMASTER_TARGETS, like prod.")]
ApiUrl = Annotated[str | None, typer.Option(help="A server's URL, with STATIONMASTER_API_KEY.")]
DataDir = Annotated[Path | None, typer.Option(file_okay=False, help="Whose server (default .stationmaster).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Prune = Annotated[bool, typer.Option("--prune", help="Delete owned things that have no file.")]
KeepDrift = Annotated[
    bool, typer.Option("--keep-drift", help="Leave what was changed on the server since it was applied.")
]


def read_files(settings: Settings) -> Files:
    """Both folders, shown by their paths from the working directory where they lie below it."""
    return read(shown(settings.assistants), shown(settings.crons))


def target_for(
    files: Files, settings: Settings, named: str | None, api_url: str | None, data_dir: Path | None
) -> Target:
    """`--target` is one of the settings; else as all commands do. Wrong files are told of before NoServer is."""
    try:
        return named_target(settings, named) if named else find_target(settings, api_url, data_dir)
    except NoServer:
        files.desired()
        raise


@contextmanager
def problems_as_json(*, asked: bool) -> Iterator[None]:
    """With `--json` what is wrong with the files is JSON too: {"problems": [{file, line, message}]}; exit code 2."""
    try:
        yield
    except FilesWrong as wrong:
        if not asked:
            raise
        typer.echo(json.dumps({"problems": [asdict(each) for each in wrong.problems]}, indent=2))
        raise typer.Exit(wrong.exit_code) from None


def run(target: Target, work: Callable[[Gateway], Awaitable[T]], files: Files) -> T:
    """Do the work with a server. Wrong files are told of before that it does not answer."""

    async def connected() -> T:
        await listens(target.url)
        async with client(target) as sdk:
            return await work(Gateway(sdk, target.url))

    try:
        return asyncio.run(connected())
    except ServerUnavailable:
        files.desired()
        raise


def author() -> str:
    """The name under which changes are recorded: the machine's user."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return f"user {os.getuid()}"
