"""`stationmaster assistants`: what is live, what each version changed, promote, roll back, canaries and pins."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from stationmaster.cli.assistants_at import (
    ApiUrl,
    AsJson,
    By,
    DataDir,
    Named,
    Reason,
    print_json,
    records,
    who,
    work_at,
)
from stationmaster.cli.assistants_canary import app as canary_app
from stationmaster.errors import StationmasterError

if TYPE_CHECKING:
    from stationmaster.assistants.proposing import Proposal
    from stationmaster.reconcile.gateway import Gateway
    from stationmaster.reviews.database import Pool

app = typer.Typer(
    help="Assistants: what is live, what changed, promote, roll back, try out on a share.",
    no_args_is_help=True,
)
app.add_typer(canary_app, name="canary")

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The assistant's name; of a foreign one also its id.")
]
Ref = Annotated[str, typer.Argument(metavar="NAME[@VERSION]", help="An assistant, or one version of it.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be written.")]
Expect = Annotated[int | None, typer.Option(metavar="N", help="Refuse unless this version is current.")]


@app.command("list")
def list_(
    every: Annotated[bool, typer.Option("--all", help="Also the one that the server makes for each graph.")] = False,
    graph: Annotated[str | None, typer.Option(help="Only this graph's.")] = None,
    as_json: AsJson = False, target: Named = None, api_url: ApiUrl = None, data_dir: DataDir = None,
) -> None:  # fmt: skip
    """List assistants by graph, live ones first."""

    async def work(gateway: "Gateway", pool: "Pool | None") -> tuple[Any, dict[str, int] | None]:
        from stationmaster.assistants import impact, versions

        waiting = await impact.waiting_by_assistant(pool) if pool else None
        return await versions.listed(gateway, every=every), waiting

    found, waiting = work_at(work, target, api_url, data_dir)
    found = [each for each in found if graph in (None, each.graph)]
    if as_json:
        counts = [waiting.get(each.assistant_id, 0) if waiting is not None else None for each in found]
        print_json([records().assistant(each, n) for each, n in zip(found, counts, strict=True)])
    else:
        from stationmaster.cli import assistants_shown

        assistants_shown.print_list(Console(), found, waiting)


@app.command()
def show(
    name: Ref,
    as_json: AsJson = False, target: Named = None, api_url: ApiUrl = None, data_dir: DataDir = None,
) -> None:  # fmt: skip
    """Show what an assistant, or one version of it, says; what it leaves to the graph's defaults as well."""

    async def work(gateway: "Gateway", pool: "Pool | None") -> tuple[Any, dict[str, Any], Any]:
        from stationmaster.assistants import impact, overlay, versions

        found = await versions.referred(gateway, name)
        defaults = overlay.defaults_of(await gateway.schemas(found.graph))
        return found, defaults, await impact.impact_of(gateway, pool, found)

    found, defaults, impact = work_at(work, target, api_url, data_dir)
    if as_json:
        print_json(
            {**records().assistant(found, impact.waiting), "running": impact.running, "defaults": defaults}
        )
    else:
        from stationmaster.cli import assistants_shown

        assistants_shown.print_assistant(Console(), found, defaults, impact)


@app.command()
def versions(
    name: Name,
    limit: Annotated[int, typer.Option(min=1, max=500, help="So many at once.")] = 20,
    before: Annotated[int | None, typer.Option(min=1, metavar="N", help="Those older than version N.")] = None,
    as_json: AsJson = False, target: Named = None, api_url: ApiUrl = None, data_dir: DataDir = None,
) -> None:  # fmt: skip
    """List the versions of an assistant: when, who, what, why."""

    async def work(gateway: "Gateway", _: "Pool | None") -> Any:
        from stationmaster.assistants import versions

        found = await versions.find(gateway, name)
        return await versions.history(gateway, found, before=before, most=limit)

    steps = work_at(work, target, api_url, data_dir)
    if as_json:
        print_json([records().step(each) for each in steps])
    else:
        from stationmaster.cli import assistants_shown

        assistants_shown.print_history(Console(), steps)


@app.command()
def diff(
    first: Ref,
    second: Annotated[
        str | None, typer.Argument(metavar="NAME[@VERSION]", help="Compared with it (else: what the first replaced).")
    ] = None,
    as_json: AsJson = False, target: Named = None, api_url: ApiUrl = None, data_dir: DataDir = None,
) -> None:  # fmt: skip
    """Show what differs between two assistants or versions: `diff support@3 support`, `diff support support-next`.

    With one alone: what that version changed.
    """

    async def work(gateway: "Gateway", _: "Pool | None") -> tuple[Any, Any]:
        from stationmaster.assistants.versions import referred, version_of

        one = await referred(gateway, first)
        if second is not None:
            return one, await referred(gateway, second)
        if one.version == 1:
            raise StationmasterError(f"{first} is the first version: name another one to compare it with")
        return await version_of(gateway, one, one.version - 1), one

    before, after = work_at(work, target, api_url, data_dir)
    from stationmaster.assistants import differing

    found = differing.differences(before, after)
    if as_json:
        print_json(records().differences(found))
    else:
        from stationmaster.cli import assistants_changes

        assistants_changes.print_diff(Console(), before, after, found)


@app.command()
def promote(
    name: Name, reason: Reason,
    origin: Annotated[
        str | None, typer.Option("--from", metavar="NAME[@VERSION]", help="Whose content (default: the canary's).")
    ] = None,
    expect: Expect = None, by: By = None, yes: Yes = False, dry_run: DryRun = False,
    as_json: AsJson = False, target: Named = None, api_url: ApiUrl = None, data_dir: DataDir = None,
) -> None:  # fmt: skip
    """Make another assistant's behaviour the next version of this one; ends its canary, if one runs.

    Graph, context and recursion limit are taken over; description, tags and labels stay.
    """

    async def propose(gateway: "Gateway", pool: "Pool | None") -> "Proposal":
        from stationmaster.assistants.proposing import propose_promote

        return await propose_promote(gateway, pool, name, origin, expected=expect)

    _change(propose, reason, by, yes, dry_run, as_json, target, api_url, data_dir)


@app.command()
def rollback(
    name: Name, reason: Reason,
    to: Annotated[
        int | None, typer.Option("--to", metavar="N", help="Which version (default: the last that said otherwise).")
    ] = None,
    expect: Expect = None, by: By = None, yes: Yes = False, dry_run: DryRun = False,
    as_json: AsJson = False, target: Named = None, api_url: ApiUrl = None, data_dir: DataDir = None,
) -> None:  # fmt: skip
    """Write an earlier version, every field of it, as the next one."""

    async def propose(gateway: "Gateway", pool: "Pool | None") -> "Proposal":
        from stationmaster.assistants.proposing import propose_rollback

        return await propose_rollback(gateway, pool, name, to, expected=expect)

    _change(propose, reason, by, yes, dry_run, as_json, target, api_url, data_dir)


@app.command()
def pin(
    name: Name,
    key: Annotated[str, typer.Argument(metavar="KEY=OTHER", help="What clients name, and whose content it gets.")],
    reason: Reason, by: By = None,
    as_json: AsJson = False, target: Named = None, api_url: ApiUrl = None, data_dir: DataDir = None,
) -> None:  # fmt: skip
    """Give a client's key (a tenant) another assistant's content: `pin support acme=support-acme`.

    `pin support acme=support` keeps the key out of every canary.
    """
    from stationmaster.assistants import canaries

    named, _, other = key.partition("=")
    if not named or not other:
        raise StationmasterError(f"{key} is no pin: write it as KEY=OTHER, such as acme=support-acme")
    author = who(by)
    routed = work_at(
        lambda gateway, _: canaries.pin(gateway, name, named, other, author, reason),
        target,
        api_url,
        data_dir,
    )
    _routed(routed, f"{named} gets {other} from now on", as_json=as_json)


@app.command()
def unpin(
    name: Name, key: Annotated[str, typer.Argument(metavar="KEY", help="What clients name.")],
    reason: Reason, by: By = None,
    as_json: AsJson = False, target: Named = None, api_url: ApiUrl = None, data_dir: DataDir = None,
) -> None:  # fmt: skip
    """Let a key get what everybody gets."""
    from stationmaster.assistants import canaries

    author = who(by)
    routed = work_at(
        lambda gateway, _: canaries.unpin(gateway, name, key, author, reason), target, api_url, data_dir
    )
    _routed(routed, f"{key} gets what everybody gets", as_json=as_json)


def _change(
    propose: "Callable[[Gateway, Pool | None], Awaitable[Proposal]]",
    reason: str, by: str | None, yes: bool, dry_run: bool, as_json: bool,
    target: str | None, api_url: str | None, data_dir: Path | None,
) -> None:  # fmt: skip
    """Show what would be written and what becomes of the rest, ask, write, show what changed."""
    if as_json and not (yes or dry_run):
        raise StationmasterError("with --json nothing is asked: say --yes to write, or --dry-run to look")
    proposal = work_at(propose, target, api_url, data_dir)
    if not as_json:
        from stationmaster.cli import assistants_changes

        assistants_changes.print_proposal(Console(), proposal)
    if dry_run:
        if as_json:
            print_json({**records().proposal(proposal), "written": None})
        return
    if not yes and not agreed(f"Write version {proposal.target.version + 1}?"):
        typer.echo("Nothing was written.")
        raise typer.Exit(1)

    async def write(gateway: "Gateway", _: "Pool | None") -> Any:
        from stationmaster.assistants.writing import carry_out

        return await carry_out(gateway, proposal, who(by), reason)

    written = work_at(write, target, api_url, data_dir)
    if as_json:
        print_json({**records().proposal(proposal), "written": records().written(written)})
    else:
        from stationmaster.cli import assistants_changes

        assistants_changes.print_written(Console(), written)


def _routed(routed: Any, said: str, *, as_json: bool) -> None:
    if as_json:
        print_json(records().assistant(routed.written.after))
    else:
        typer.echo(f"{said} (version {routed.written.after.version})")


def agreed(question: str) -> bool:
    """Whether somebody says yes. StationmasterError where nobody is there to be asked, as in a pipe."""
    try:
        return typer.confirm(question)
    except typer.Abort:
        if sys.stdin.isatty():
            raise
        raise StationmasterError(
            "nobody is there to agree: look at what would be written, then add --yes"
        ) from None
