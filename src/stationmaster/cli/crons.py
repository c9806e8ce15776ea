"""`stationmaster crons`: their next slots, what came of each, and the hand on the switch."""

import asyncio
import getpass
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console

from stationmaster.cli.assistants_at import database
from stationmaster.cli.target import NoServer, Target, client, find_target, named_target
from stationmaster.errors import StationmasterError
from stationmaster.settings import Settings, load_settings

if TYPE_CHECKING:
    from stationmaster.crons.desk import CronDesk

app = typer.Typer(
    help="Crons: their next slots, their history, and the hand on the switch.", no_args_is_help=True
)

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The cron's name; of one that no file owns, its id.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
DataDir = Annotated[Path | None, typer.Option(file_okay=False, help="Whose server (default .stationmaster).")]
Named = Annotated[str | None, typer.Option("--target", help="A server of STATIONMASTER_TARGETS, like prod.")]
ApiUrl = Annotated[str | None, typer.Option(help="A server elsewhere, with STATIONMASTER_API_KEY.")]
By = Annotated[str | None, typer.Option(help="Who does it (default: your user name).")]

T = TypeVar("T")


@app.command("list")
def list_(
    as_json: AsJson = False, target: Named = None, api_url: ApiUrl = None, data_dir: DataDir = None
) -> None:
    """List crons with their next and last slots."""
    from stationmaster.crons import desk

    rows = _run(desk.overview, target, api_url, data_dir)
    if as_json:
        _print_json(rows)
    else:
        _shown().print_list(Console(), rows)


@app.command("next")
def next_(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The cron's name, or its id.")] = None,
    count: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 10,
    schedule: Annotated[str | None, typer.Option(help="Of this schedule instead, without a server.")] = None,
    timezone: Annotated[str, typer.Option(help="With --schedule: the zone, as Europe/London.")] = "UTC",
    after: Annotated[
        datetime | None, typer.Option(metavar="UTC", help="Later than this (default: now).")
    ] = None,
    as_json: AsJson = False,
    target: Named = None,
    api_url: ApiUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Show when a cron fires next, in its zone and in UTC, across changes of the clock."""
    from stationmaster.crons import desk

    if (name is None) == (schedule is None):
        raise StationmasterError("name a cron, or give --schedule")
    moment = after.replace(tzinfo=UTC) if after else datetime.now(UTC)
    if schedule is not None:
        upcoming = desk.upcoming(schedule, timezone, moment, count)
    else:
        upcoming = _run(
            lambda at_hand: desk.next_of(at_hand, str(name), moment, count), target, api_url, data_dir
        )
    if as_json:
        _print_json(asdict(upcoming))
    else:
        _shown().print_next(Console(), upcoming)


@app.command()
def history(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Only this cron's.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="So many rows.")] = 20,
    before: Annotated[int | None, typer.Option(metavar="ID", help="Older than this row.")] = None,
    as_json: AsJson = False,
    target: Named = None,
    api_url: ApiUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Show what came of slots, the newest first. It needs the database, and the server only to be up to date."""
    from stationmaster.crons import desk

    def work(at_hand: "CronDesk") -> Awaitable[Any]:
        return desk.recorded(at_hand, name, before=before, limit=limit)

    page = _run(work, target, api_url, data_dir, server_needed=False)
    if as_json:
        _print_json(asdict(page))
    else:
        _shown().print_history(Console(), page, name)


@app.command("run-now")
def run_now(
    name: Name,
    wait: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="Wait so long for its end.")] = 0,
    by: By = None,
    as_json: AsJson = False,
    target: Named = None,
    api_url: ApiUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Run a cron once, out of turn.

    Exit code 3 if that would take a question from somebody; with --wait 1 if it failed, or has not ended in time.
    """
    from stationmaster.crons import desk

    ran = _run(
        lambda at_hand: desk.run_once(at_hand, name, by=by or _user(), wait_s=wait), target, api_url, data_dir
    )
    if as_json:
        _print_json(asdict(ran))
    else:
        _shown().print_run(Console(), name, ran)
    if wait and (ran.tick is None or ran.tick.outcome not in ("success", "waiting")):
        raise typer.Exit(1)


@app.command()
def pause(
    name: Name,
    reason: Annotated[str, typer.Option("--reason", "-m", help="Why; it is kept and shown.")],
    by: By = None,
    as_json: AsJson = False,
    target: Named = None,
    api_url: ApiUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Stop a cron, and keep why and who. No apply starts it again."""
    from stationmaster.crons import operating

    async def work(at_hand: "CronDesk") -> list[Any]:
        return await operating.pause(
            at_hand.server, at_hand.optional_connections, name, reason=reason, by=by or _user()
        )

    paused = _run(work, target, api_url, data_dir)
    if as_json:
        _print_json(
            [{"cron_id": cron.cron_id, "paused": cron.paused, "enabled": cron.enabled} for cron in paused]
        )
    else:
        typer.echo(
            f"{name} is paused: runs under way go on, and no slot fires until `stationmaster crons resume {name}`"
        )


@app.command()
def resume(
    name: Name,
    as_json: AsJson = False,
    target: Named = None,
    api_url: ApiUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Let a paused cron go on, with its next slot from now: nothing fires for the past."""
    from stationmaster.crons import desk, operating

    async def work(at_hand: "CronDesk") -> Any:
        cron = await operating.resume(at_hand.server, name)
        now = datetime.now(UTC)
        return desk.upcoming(cron.schedule, cron.timezone, now, 1, stopped=desk.stopped(cron))

    upcoming = _run(work, target, api_url, data_dir)
    if as_json:
        _print_json(asdict(upcoming))
    else:
        _shown().print_resumed(Console(), name, upcoming)


@app.command()
def doctor(
    failed: Annotated[int, typer.Option(min=1, help="So many failures in a row are a finding.")] = 3,
    fix: Annotated[bool, typer.Option("--fix", help="Delete owned crons that can't run any more.")] = False,
    as_json: AsJson = False,
    target: Named = None,
    api_url: ApiUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Find what is wrong with crons. Exit code 1 if something is left."""
    from stationmaster.crons import desk

    findings, mended = _run(lambda at_hand: desk.check(at_hand, failed, fix=fix), target, api_url, data_dir)
    left = [finding for finding in findings if finding not in mended]
    if as_json:
        _print_json({"findings": list(map(asdict, left)), "mended": list(map(asdict, mended))})
    else:
        _shown().print_findings(Console(), left, mended)
    if left:
        raise typer.Exit(1)


def _run(
    work: Callable[["CronDesk"], Awaitable[T]],
    target_name: str | None,
    api_url: str | None,
    data_dir: Path | None,
    *,
    server_needed: bool = True,
) -> T:
    """Do the work. What is recorded of a server elsewhere is in its own database: ours is left alone, unless one is
    named for it."""
    settings = load_settings()
    if data_dir:
        settings = settings.model_copy(update={"data_dir": data_dir.expanduser().absolute()})
    try:
        target = (
            named_target(settings, target_name) if target_name else find_target(settings, api_url, data_dir)
        )
    except NoServer:
        if server_needed or target_name:
            raise
        target = None
    elsewhere = bool(target_name or api_url or (settings.api_url and data_dir is None))
    return asyncio.run(_work(work, settings, target, elsewhere=elsewhere))


async def _work(
    work: Callable[["CronDesk"], Awaitable[T]], settings: Settings, target: Target | None, *, elsewhere: bool
) -> T:
    from stationmaster.crons.desk import CronDesk
    from stationmaster.crons.server import CronServer
    from stationmaster.crons.worker import pooled

    async with database(settings, elsewhere=elsewhere) as pool:
        connections = pooled(pool) if pool is not None else None
        if target is None:
            return await work(CronDesk(None, connections))
        async with client(target) as sdk:
            return await work(CronDesk(CronServer(sdk, target.url), connections))


def _shown() -> Any:
    from stationmaster.cli import crons_shown  # not for --json

    return crons_shown


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user has no name
        return "operator"


def _print_json(value: Any) -> None:
    typer.echo(
        json.dumps(
            value, default=lambda found: found.isoformat() if isinstance(found, datetime) else str(found)
        )
    )
