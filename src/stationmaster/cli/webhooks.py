"""`stationmaster webhooks`: those of the durable server that never arrived; list them, send them after all."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar
from uuid import UUID

import typer
from rich.console import Console
from rich.text import Text

from stationmaster.cli.printing import none, table
from stationmaster.postgres import ensure
from stationmaster.settings import load_settings

if TYPE_CHECKING:
    from stationmaster.upkeep.database import Connection

app = typer.Typer(help="Webhooks that the durable server gave up after a day.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
DataDir = Annotated[
    Path | None, typer.Option(file_okay=False, help="Where data is kept (default .stationmaster).")
]
T = TypeVar("T")


@app.command()
def dead(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="So many, the newest.")] = 100,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List what was given up, and why."""
    from stationmaster.upkeep import dead_webhooks

    count, rows = _run(lambda conn: dead_webhooks.dead(conn, limit), data_dir)
    if as_json:
        _print_json({"count": count, "webhooks": rows})
        return
    if not rows:
        none(Console(), "every webhook arrived, or is still tried")
        return
    made = table("id", "run", "to", "status", "tries", "given up", "reason")  # folded: an id is needed whole
    for row in rows:
        cells = (
            row["hook_id"], row["run_id"], row["url"], row["status"] or "", row["tries"],
            f"{row['dead_at']:%Y-%m-%d %H:%M}", row["last_error"] or "",
        )  # fmt: skip
        made.add_row(*(Text(str(cell)) for cell in cells))  # Text, not str: a URL may look like markup
    Console().print(made)
    if count > len(rows):
        typer.echo(f"{count - len(rows)} more: --limit shows them")


@app.command()
def replay(
    ids: Annotated[list[UUID] | None, typer.Argument(metavar="ID", help="As `dead` shows them.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Try them for another day, under the ids that they had. A server has to run."""
    from stationmaster.upkeep import dead_webhooks

    if bool(ids) == every:
        raise typer.BadParameter("name webhooks by id, or say --all")
    again = _run(lambda conn: dead_webhooks.replay(conn, None if every else list(ids or [])), data_dir)
    if as_json:
        _print_json({"replayed": again})
    elif not again:
        typer.echo("none were given up")
    else:
        typer.echo(
            "\n".join(f"{row['hook_id']} of run {row['run_id']} goes to {row['url']} again" for row in again)
        )


def _run(work: Callable[["Connection"], Awaitable[T]], data_dir: Path | None) -> T:
    from stationmaster.upkeep.database import opened

    settings = load_settings()
    if data_dir:
        settings = settings.model_copy(update={"data_dir": data_dir.absolute()})

    async def run() -> T:
        async with opened(await ensure(settings)) as conn:
            return await work(conn)

    return asyncio.run(run())


def _print_json(value: dict[str, Any]) -> None:
    typer.echo(
        json.dumps(
            value, default=lambda found: found.isoformat() if isinstance(found, datetime) else str(found)
        )
    )
