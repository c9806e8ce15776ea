"""`stationmaster shop transactions`: the treasury's payments and trades; settle by hand what the bank left open."""

import asyncio
import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from stationmaster.cli.data_dir import DataDir, settings_in
from stationmaster.cli.printing import none, table
from stationmaster.cli.terminal import harmless
from stationmaster.errors import StationmasterError
from stationmaster.postgres import ensure
from stationmaster.shop import transactions

app = typer.Typer(help="Payments and trades of the graph treasury.", no_args_is_help=True)
Tenant = Annotated[str, typer.Option(help="Whose transactions.")]


@app.command("list")
def list_(
    status: Annotated[
        str, typer.Option(help="Only these: checked, cancelled, executing, executed, failed.")
    ] = "",
    tenant: Tenant = "main",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    data_dir: DataDir = None,
) -> None:
    """List them, newest first. One that stays `executing` was not answered for: ask the bank, then settle it."""

    async def run() -> list[dict[str, Any]]:
        return await transactions.listed(await ensure(settings_in(data_dir)), tenant, status)

    found = asyncio.run(run())
    if as_json:
        typer.echo(json.dumps(found, default=str))
    elif found:
        Console().print(_table(found))
    else:
        none(Console(), f"no transaction is `{status}`" if status else "no transaction was asked for")


@app.command()
def settle(
    transaction_id: Annotated[int, typer.Argument(metavar="NUMBER", help="As `list` shows it.")],
    executed: Annotated[
        str | None, typer.Option(metavar="REFERENCE", help="The bank carried it out.")
    ] = None,
    failed: Annotated[str | None, typer.Option(metavar="WHY", help="It did not, and never will.")] = None,
    tenant: Tenant = "main",
    data_dir: DataDir = None,
) -> None:
    """Say what the bank says of one that is `executing`: --executed REFERENCE, or --failed WHY."""
    if (executed is None) == (failed is None):
        raise StationmasterError("say what the bank says: either --executed REFERENCE or --failed WHY")

    async def run() -> None:
        uri = await ensure(settings_in(data_dir))
        if executed is not None:
            await transactions.settle_executed(uri, tenant, transaction_id, executed)
        elif failed is not None:
            await transactions.settle_failed(uri, tenant, transaction_id, failed)

    asyncio.run(run())
    typer.echo(f"transaction {transaction_id}: {'executed' if executed is not None else 'failed'}")


def _table(found: list[dict[str, Any]]) -> Table:
    made = table("number", "what", "USD", "reference", "asked by", "signed by", "status", right=("USD",))
    for row in found:
        signed = ", ".join(row["signed_by"])
        cells = (
            str(row["transaction_id"]), row["what"], f"{row['amount_usd']:,.2f}", row["reference"] or "",
            row["requested_by"], signed, row["status"],
        )  # fmt: skip
        made.add_row(*(Text(harmless(cell)) for cell in cells))
    return made
