"""`stationmaster shop documents`: put documents where the review finds them, list them, read a published report."""

import asyncio
import getpass
import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from stationmaster.cli.data_dir import DataDir, settings_in
from stationmaster.cli.printing import none, table
from stationmaster.cli.terminal import harmless
from stationmaster.errors import StationmasterError
from stationmaster.postgres import ensure
from stationmaster.shop import documents

app = typer.Typer(help="Documents that the graph document_review reviews.", no_args_is_help=True)
Tenant = Annotated[str, typer.Option(help="Whose documents.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def add(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", exists=True, dir_okay=False)],
    id_: Annotated[
        str | None, typer.Option("--id", help="Its id; of one file. Unless said, the file's name.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Its title; of one file.")] = None,
    tenant: Tenant = "main",
    data_dir: DataDir = None,
) -> None:
    """Put text, Markdown or PDF files among the documents; one with the same id gets these bytes."""
    if len(files) > 1 and (id_ or title):
        raise StationmasterError("--id and --title are for one file: add them one by one")

    async def run() -> list[tuple[str, bool]]:
        uri, by = await ensure(settings_in(data_dir)), getpass.getuser()
        return [
            await documents.put(uri, path, tenant=tenant, document_id=id_, title=title, by=by)
            for path in files
        ]

    for document_id, new in asyncio.run(run()):
        typer.echo(f"{document_id}: {'added' if new else 'replaced'}")


@app.command("list")
def list_(tenant: Tenant = "main", as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List documents, newest first, with what became of the last review of each."""

    async def run() -> list[documents.Listed]:
        return await documents.listed(await ensure(settings_in(data_dir)), tenant)

    found = asyncio.run(run())
    if as_json:
        typer.echo(json.dumps([{**asdict(one), "uploaded_at": one.uploaded_at.isoformat()} for one in found]))
    elif found:
        Console().print(_table(found))
    else:
        none(Console(), "`stationmaster shop documents add FILE` puts one there")


@app.command()
def report(document_id: str, tenant: Tenant = "main", data_dir: DataDir = None) -> None:
    """Print the newest published report of a document."""

    async def run() -> str | None:
        return await documents.published(await ensure(settings_in(data_dir)), tenant, document_id)

    text = asyncio.run(run())
    if text is None:
        raise StationmasterError(
            f"no report on {document_id!r} was published: run the graph document_review, and answer its review"
        )
    typer.echo(harmless(text))


def _table(found: list[documents.Listed]) -> Table:
    made = table(
        "document", "title", "type", "bytes", "uploaded", "last review", right=("bytes",), whole=("uploaded",)
    )
    for one in found:
        uploaded, kind = f"{one.uploaded_at.astimezone():%Y-%m-%d}", one.media_type.rpartition("/")[2]
        cells = (one.document_id, one.title, kind, f"{one.bytes:,}", uploaded, one.review or "-")
        made.add_row(*(Text(harmless(cell)) for cell in cells))
    return made
