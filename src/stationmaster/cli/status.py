"""`stationmaster status`: what runs, where, on which model and database, with which graphs."""

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer
from rich.console import Console

from stationmaster.cli.banner import print_rows
from stationmaster.cli.target import NoServer, Target, client, find_target
from stationmaster.errors import StationmasterError
from stationmaster.server.record import Record, read_record
from stationmaster.settings import load_settings


def status(
    data_dir: Annotated[
        Path | None, typer.Option(file_okay=False, help="Whose server (default .stationmaster).")
    ] = None,
    api_url: Annotated[str | None, typer.Option(help="A server elsewhere, instead.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what is running; exit code 2 if nothing is."""
    settings = load_settings()
    target = find_target(settings, api_url, data_dir)
    rows = asyncio.run(_rows(target, read_record(data_dir or settings.data_dir)))
    if as_json:
        typer.echo(json.dumps(rows))
    else:
        print_rows(Console(), {**rows, "graphs": ", ".join(rows["graphs"])})


async def _rows(target: Target, record: Record | None) -> dict[str, Any]:
    """What is known; of model and database only for our own server, as it was started: settings may have changed."""
    rows: dict[str, Any] = {"url": target.url, "graphs": await graphs_of(target)}
    if record is not None and record.url == target.url:
        rows |= {
            **({"inbox": record.console_url} if record.console_url else {}),
            "pid": record.pid,
            "since": record.started_at,
            "model": record.model,
            "database": record.database,
            **({"runtime": record.runtime} if record.runtime else {}),
            **({"traces": record.traces} if record.traces else {}),
        }
    return rows


async def graphs_of(target: Target) -> list[str]:
    """The graphs, by their system assistants. Raises StationmasterError if the server is silent or refuses."""
    from langgraph_sdk.errors import APIStatusError  # after `find_target`, which may have refused at once

    try:
        async with client(target) as sdk:
            found = await sdk.assistants.search(metadata={"created_by": "system"}, limit=1000)
    except httpx.TransportError as error:
        raise NoServer(f"{target.url} does not answer ({error}): is it running there?") from None
    except APIStatusError as error:
        if error.status_code in {401, 403}:
            raise StationmasterError(
                f"{target.url} refuses the key: set STATIONMASTER_API_KEY to one of its"
            ) from None
        raise StationmasterError(f"{target.url} answers {error.status_code}: look at its log") from None
    return sorted({assistant["graph_id"] for assistant in found})
