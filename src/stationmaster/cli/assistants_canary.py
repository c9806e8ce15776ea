"""`stationmaster assistants canary`: a share of threads with another assistant's content, compared, and ended."""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from stationmaster.cli.assistants_at import (
    ApiUrl,
    AsJson,
    By,
    DataDir,
    Named,
    Reason,
    print_json,
    records,
    require,
    who,
    work_at,
)

if TYPE_CHECKING:
    from stationmaster.reconcile.gateway import Gateway
    from stationmaster.reviews.database import Pool


class _Specs(TyperGroup):
    """`canary support=support-next:10%` is `canary start support=support-next:10%`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and "=" in args[0] and not args[0].startswith("-"):
            args = ["start", *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Specs,
    no_args_is_help=True,
    help="Try another assistant on a share of threads: `canary support=support-next:10%`.",
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The live assistant.")]


@app.command()
def start(
    spec: Annotated[str, typer.Argument(metavar="LIVE=OTHER:SHARE", help="Such as support=support-next:10%.")],
    reason: Reason, by: By = None,
    as_json: AsJson = False, target: Named = None, api_url: ApiUrl = None, data_dir: DataDir = None,
) -> None:  # fmt: skip
    """Start a canary, or give the one that runs another share. "start" may be left out.

    A thread keeps its arm as long as the canary lasts; the server decides, whichever client asks.
    """
    from stationmaster.assistants import canaries

    author = who(by)
    routed = work_at(
        lambda gateway, _: canaries.start(gateway, spec, author, reason), target, api_url, data_dir
    )
    if as_json:
        print_json(records().assistant(routed.written.after))
    else:
        _shown().print_started(Console(), routed)


@app.command()
def status(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The live assistant (default: all).")] = None,
    as_json: AsJson = False, target: Named = None, api_url: ApiUrl = None, data_dir: DataDir = None,
) -> None:  # fmt: skip
    """Compare the arms: runs, errors, what people answered, time and cost."""

    async def work(gateway: "Gateway", pool: "Pool | None") -> list[Any]:
        from stationmaster.assistants import comparing, versions

        names = [name] if name else [
            versions.name_of(each) for each, routes in await comparing.running(gateway) if routes.canary
        ]  # fmt: skip
        return [await comparing.compare(gateway, require(pool), each) for each in names]

    reports = work_at(work, target, api_url, data_dir)
    if as_json:
        found = [records().report(each) for each in reports]
        print_json(found[0] if name else found)
    elif not reports:
        typer.echo("No canary runs.")
    for each in [] if as_json else reports:
        _shown().print_report(Console(), each)


@app.command()
def end(
    name: Name, reason: Reason, by: By = None,
    as_json: AsJson = False, target: Named = None, api_url: ApiUrl = None, data_dir: DataDir = None,
) -> None:  # fmt: skip
    """End a canary: every thread gets the live assistant's own content again."""
    from stationmaster.assistants import canaries

    author = who(by)

    async def work(gateway: "Gateway", pool: "Pool | None") -> tuple[Any, int | None]:
        from stationmaster.assistants import impact

        routed = await canaries.end(gateway, name, author, reason)
        asked = await impact.waiting_in_arm(pool, routed.before.canary) if pool else None
        return routed, asked

    routed, waiting = work_at(work, target, api_url, data_dir)
    if as_json:
        print_json({**records().assistant(routed.written.after), "waiting_in_arm": waiting})
    else:
        _shown().print_ended(Console(), routed, waiting)


def _shown() -> Any:
    from stationmaster.cli import canary_shown  # not for --json

    return canary_shown
