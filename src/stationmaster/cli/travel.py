"""`stationmaster travel`: load an agency's own flights, hotels and visa rules, or those of a made-up one."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from stationmaster.cli.data_dir import DataDir, settings_in
from stationmaster.cli.importing import run_import
from stationmaster.postgres import connect, ensure
from stationmaster.shop.load import Counts
from stationmaster.shop.travel import DAYS, add_travel
from stationmaster.travel.importer import import_inventory

app = typer.Typer(help="What the graph travel sells: flights, hotels and visa rules.", no_args_is_help=True)


@app.command("import")
def import_(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", exists=True, file_okay=False, help="Holds the files.")
    ],
    tenant: Annotated[str, typer.Option(help="Whose flights and hotels they are.")] = "main",
    data_dir: DataDir = None,
) -> None:
    """Load places, flights, hotels, nights and visas, each from .csv or .json: all, or nothing and what is wrong.

    docs/agents/travel.md says what stands in them.
    """

    async def run() -> Mapping[str, Counts]:
        return await import_inventory(await ensure(settings_in(data_dir)), directory, tenant)

    run_import(run())


@app.command()
def seed(data_dir: DataDir = None) -> None:
    """Add a made-up agency to the tenant main, from today on; again later, it adds the days that have come."""

    async def run() -> None:
        async with await connect(await ensure(settings_in(data_dir))) as conn:
            await add_travel(conn)

    asyncio.run(run())
    typer.echo(
        f"travel: made-up flights and rooms for the next {DAYS} days, with visa rules that are examples"
    )
