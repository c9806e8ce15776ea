"""`stationmaster shop`: fill the shop, import one, and look at its ledger."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from stationmaster.cli import shop_documents, shop_holds, shop_sanctions, shop_transactions
from stationmaster.cli.data_dir import DataDir, settings_in
from stationmaster.cli.importing import run_import
from stationmaster.cli.terminal import harmless
from stationmaster.postgres import ensure
from stationmaster.shop import importer, ledger
from stationmaster.shop.load import Counts
from stationmaster.shop.seed import seed as seed_shop

app = typer.Typer(
    help="The shop that the agents work for: its customers, orders and refunds.", no_args_is_help=True
)

app.add_typer(shop_holds.app, name="holds")
app.add_typer(shop_documents.app, name="documents")
app.add_typer(shop_sanctions.app, name="sanctions")
app.add_typer(shop_transactions.app, name="transactions")

OWN = "ledger"
"""The provider that needs no name: the shop's own."""
COUNTED = {
    "duplicates": "duplicate_refunds", "holds": "holds", "mails": "mails", "dead letters": "dead_letters"
}  # fmt: skip

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def seed(data_dir: DataDir = None) -> None:
    """Fill an empty shop with customers, orders, policies and help articles; one that was filled stays as it is."""

    async def run() -> str:
        return str(await seed_shop(await ensure(settings_in(data_dir))))

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
        return await importer.import_shop(await ensure(settings_in(data_dir)), directory)

    done = run_import(run())
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
        uri = await ensure(settings_in(data_dir))
        return await ledger.summary(uri, ticket), await ledger.refunds(uri, ticket)

    counts, rows = asyncio.run(run())
    if as_json:
        typer.echo(json.dumps({**counts, "rows": rows}))
        return
    _print_ledger(Console(), counts, rows)


def _print_ledger(console: Console, counts: ledger.Summary, rows: Sequence[Mapping[str, Any]]) -> None:
    """A line a refund, with whole ids: they are looked up elsewhere. A provider other than the shop stands before its
    reference."""
    if rows:
        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
        for name in ("made", "ticket", "order", "amount", "reference"):
            table.add_column(
                name, overflow="fold", justify="right" if name == "amount" else "left",
                no_wrap=name != "ticket" and console.width >= 80,
            )  # fmt: skip
        for row in rows:
            made = datetime.fromisoformat(row["made_at"]).astimezone()
            reference = (
                row["reference"] if row["provider"] == OWN else f"{row['provider']} {row['reference']}"
            )
            cells = (f"{made:%d %b %H:%M}", row["ticket_id"], row["order_id"], f"${row['amount_usd']:,.2f}")
            # Text, not str: a ticket's id may look like markup.
            table.add_row(*(Text(harmless(cell)) for cell in (*cells, reference)))
        console.print(table)
    made, number = f"${counts['total_usd']:,.2f}", counts["refunds"]
    said = [f"{name} {counts[key]}" for name, key in COUNTED.items()]
    console.print(
        f"{made} in {number} {'refund' if number == 1 else 'refunds'}; {', '.join(said)}", highlight=False
    )
