"""`stationmaster shop sanctions`: load the list that the treasury checks payees against."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from stationmaster.cli.data_dir import DataDir, settings_in
from stationmaster.postgres import ensure
from stationmaster.shop import treasury

app = typer.Typer(
    help="Sanctions lists, which the graph treasury checks payees against.", no_args_is_help=True
)


@app.command()
def load(
    file: Annotated[
        Path, typer.Argument(metavar="CSV", exists=True, dir_okay=False, help="entry,name,account")
    ],
    name: Annotated[str, typer.Option("--list", help="The list's name; what it held before is replaced.")],
    data_dir: DataDir = None,
) -> None:
    """Load a list, whole or not at all: a row a name, aliases too, with its entry's id and an account if known."""

    async def run() -> treasury.Loaded:
        return await treasury.load_list(await ensure(settings_in(data_dir)), file, name)

    loaded = asyncio.run(run())
    typer.echo(
        f"{name}: {loaded.names:,} names of {loaded.entries:,} entries, instead of {loaded.before:,} names"
    )
