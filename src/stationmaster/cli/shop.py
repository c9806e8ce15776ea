"""`stationmaster shop`: fill the shop, import one, and look at its ledger."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from stationmaster.cli import shop_holds
from stationmaster.postgres import ensure
from stationmaster.settings import Settings, load_settings
from stationmaster.shop import importer, ledger
from stationmaster.shop.load import Counts
from stationmaster.shop.seed import seed as seed_shop

app = typer.Typer(
    help="The shop that the agents work for: its customers, orders and refunds.", no_args_is_help=True
)

app.add_typer(shop_holds.app, name="holds")

DataDir = Annotated[
    Path | None, typer.Option(file_okay=False, help="Where data is kept (default .stationmaster).")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def seed(data_dir: DataDir = None) -> None:
    """Fill an empty shop with customers, orders, policies and help articles; one that was filled stays as it is."""

    async def run() -> str:
        return str(await seed_shop(await ensure(_settings(data_dir))))

    typer.echo(f"shop: {asyncio.run(run())}")


@app.command("import")
def import_(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", exists=True, file_okay=False, help="Holds the three files.")
    ],
    data_dir: DataDir = None,
) -> None:
    """Load orders.json, users.json and products.json: all of it, or nothing and a list of what is wrong."""

    async def run() -> Mapping[str, Counts]:
        return await importer.import_shop(await ensure(_settings(data_dir)), directory)

    try:
        done = asyncio.run(run())
    except importer.ImportRefused as refused:
        for problem in refused.problems:
            typer.echo(str(problem), err=True)
        raise
    for table, counts in done.items():
        name = table.replace("_", " ")
        typer.echo(f"{name}: {counts.added} added, {counts.changed} changed, {counts.unchanged} as they were")
    if done["orders"].added:
        typer.echo("the files hold no dates: the days of new orders were made up from their numbers")


@app.command("ledger")
def show_ledger(
    ticket: Annotated[str, typer.Option(help="Only tickets whose id starts so.")] = "",
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show the refunds that tickets have led to, and count mails and dead letters."""

    async def run() -> tuple[ledger.Summary, list[dict[str, object]]]:
        uri = await ensure(_settings(data_dir))
        return await ledger.summary(uri, ticket), await ledger.refunds(uri, ticket)

    counts, rows = asyncio.run(run())
    if as_json:
        typer.echo(json.dumps({**counts, "rows": rows}))
        return
    console = Console()
    if rows:
        table = Table(box=None, pad_edge=False)
        for name in rows[0]:  # folded, not cut: what is shown here is looked up elsewhere
            table.add_column(name.replace("_", " "), overflow="fold")
        for row in rows:
            # Text, not str: a ticket's id may look like markup.
            cells = (f"{value:.2f}" if isinstance(value, float) else str(value) for value in row.values())
            table.add_row(*(Text(cell) for cell in cells))
        console.print(table)
    for name, value in counts.items():
        console.print(f"{name.replace('_', ' ')}: {value}", highlight=False)


def _settings(data_dir: Path | None) -> Settings:
    settings = load_settings()
    return settings.model_copy(update={"data_dir": data_dir.absolute()}) if data_dir else settings
