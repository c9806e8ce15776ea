"""`stationmaster db`: the database's schema, what it holds, what goes, and a copy of it."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from stationmaster.errors import StationmasterError
from stationmaster.postgres import embedded, ensure
from stationmaster.settings import Settings, load_settings

app = typer.Typer(
    help="The database: its schema, what it holds, what may go, and backups of it.", no_args_is_help=True
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
DataDir = Annotated[
    Path | None, typer.Option(file_okay=False, help="Where data is kept (default .stationmaster).")
]
Days = Annotated[
    float | None,
    typer.Option(min=0.01, help="Idle for so many days (default: STATIONMASTER_RETENTION_DAYS, 30)."),
]


@app.command()
def migrate(as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Bring the schema up to date, the durable server's included. Servers do it themselves when they start."""
    from stationmaster.cli import db_schema

    applied = asyncio.run(db_schema.migrate(_settings(data_dir)))
    if as_json:
        _print_json({"applied": applied})
    else:
        typer.echo(
            "\n".join(f"applied {name}" for name in applied) or "nothing to do: the schema is up to date"
        )


@app.command()
def status(days: Days = None, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """Show sizes by table and by graph, counts by status, and what a prune would free."""
    from stationmaster.upkeep import holding

    settings = _settings(data_dir)

    async def run() -> dict[str, Any]:
        return await holding.held(await ensure(settings), settings.retention_days if days is None else days)

    found = asyncio.run(run())
    if as_json:
        _print_json(found)
    else:
        from stationmaster.cli import db_shown

        db_shown.print_status(Console(), found)


@app.command()
def prune(
    days: Days = None,
    export_to: Annotated[
        Path | None, typer.Option(file_okay=False, help="Where flagged threads are written first.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Delete idle threads of the durable server, never one on which somebody is asked.

    Exit code 1 if flagged threads stay, since they can't be exported.
    """
    from stationmaster.cli import db_shown
    from stationmaster.upkeep import holding, pruning
    from stationmaster.upkeep.database import opened

    settings = _settings(data_dir)
    rule = pruning.Rule(_days(settings, days), export_to.absolute() if export_to else settings.exports_dir)

    async def would() -> dict[str, Any]:
        async with opened(await ensure(settings)) as conn:
            return await holding.would_prune(conn, rule.days)

    async def run() -> Any:
        async with opened(await ensure(settings)) as conn:
            return await pruning.prune(conn, rule)

    if dry_run or not yes:
        plan = asyncio.run(would())
        if dry_run and as_json:
            _print_json({"days": rule.days, **plan})
        else:
            typer.echo(db_shown.plan(plan, rule.days), err=not dry_run)
        if dry_run:
            return
        typer.confirm("Delete them", abort=True, err=True)
    done = asyncio.run(run())
    if as_json:
        _print_json(asdict(done))
    else:
        typer.echo(db_shown.done(done, rule))
    if done.problem:
        raise typer.Exit(1)


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(dir_okay=False, help="A file that is not there yet.")],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Write the whole database to a file, as it is at one moment. Servers may go on meanwhile."""
    from stationmaster.postgres import dumping

    settings, path = _settings(data_dir), file.absolute()

    async def run() -> int:  # without migrating: a backup before an upgrade is of what was there before
        return await dumping.backup(await _uri(settings), path)

    size = asyncio.run(run())
    if as_json:
        _print_json({"file": str(path), "bytes": size})
    else:
        from stationmaster.cli import db_shown

        typer.echo(f"{path}: {db_shown.size(size)}")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(dir_okay=False, help="A file of `stationmaster db backup`.")],
    replace: Annotated[
        bool,
        typer.Option(
            "--replace", help="Take the place of a database that is not empty; it stays under another name."
        ),
    ] = False,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Bring a backup into an empty database, whole or not at all; paused threads go on from there."""
    from stationmaster.postgres import dumping

    settings = _settings(data_dir)

    async def run() -> dumping.Restored:
        return await dumping.restore(await _uri(settings), file.absolute(), replace=replace)

    restored = asyncio.run(run())
    if as_json:
        _print_json(asdict(restored))
        return
    typer.echo(f"restored {restored.database} from {file}")
    if restored.migrations:
        typer.echo(f"brought up to date: {', '.join(restored.migrations)}")
    if restored.before:
        typer.echo(
            f"what was there before is now the database {restored.before}: drop it once it is not needed"
        )


def _days(settings: Settings, days: float | None) -> float:
    if days is None and not settings.retention_days:
        raise StationmasterError("STATIONMASTER_RETENTION_DAYS is 0, everything is kept: say --days to prune")
    return settings.retention_days if days is None else days


async def _uri(settings: Settings) -> str:
    """The database as it is, without bringing its schema up to date."""
    return settings.database_uri or await asyncio.to_thread(embedded.start, settings.data_dir)


def _settings(data_dir: Path | None) -> Settings:
    settings = load_settings()
    return settings.model_copy(update={"data_dir": data_dir.absolute()}) if data_dir else settings


def _print_json(value: Mapping[str, Any]) -> None:
    typer.echo(
        json.dumps(
            value, default=lambda found: found.isoformat() if isinstance(found, datetime) else str(found)
        )
    )
