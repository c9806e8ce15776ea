"""`stationmaster shop holds`: refunds that a payment provider has not confirmed; list them, release one by hand."""

import asyncio
import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from stationmaster.cli.data_dir import DataDir, settings_in
from stationmaster.cli.printing import none, table
from stationmaster.postgres import ensure
from stationmaster.shop import holds

app = typer.Typer(
    help="Refunds that a payment provider was asked for and has not confirmed.", no_args_is_help=True
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
CONFIRM = "Is it certain that the provider did not pay this? Released money can be refunded again"


@app.command("list")
def list_(
    ticket: Annotated[str, typer.Option(help="Only tickets whose id starts so.")] = "",
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List what is held, the oldest first."""

    async def run() -> list[dict[str, Any]]:
        return await holds.held(await ensure(settings_in(data_dir)), ticket)

    found = asyncio.run(run())
    if as_json:
        typer.echo(json.dumps(found))
    elif found:
        Console().print(_table(found))
    else:
        none(Console(), "every refund that was asked for was paid or refused")


@app.command()
def release(
    key: Annotated[str, typer.Argument(help="As `list` shows it, whole.")],
    yes: Annotated[
        bool, typer.Option("--yes", help="Don't ask: the provider surely did not pay it.")
    ] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Give an order the money back that is set aside for a refund which was surely not paid."""
    if not yes:
        typer.confirm(CONFIRM, abort=True, err=True)

    async def run() -> dict[str, Any]:
        return await holds.release(await ensure(settings_in(data_dir)), key)

    done = asyncio.run(run())
    if as_json:
        typer.echo(json.dumps(done))
    else:
        typer.echo(
            f"released: {done['amount_usd']:.2f} USD of order {done['order_id']}, ticket {done['ticket_id']}"
        )


def _table(rows: list[dict[str, Any]]) -> Table:
    made = table(*(name.replace("_", " ") for name in rows[0]))  # folded, not cut: a key is needed whole
    for row in rows:
        # Text, not str: a ticket's id may look like markup.
        made.add_row(
            *(Text(f"{cell:.2f}" if isinstance(cell, float) else str(cell)) for cell in row.values())
        )
    return made
