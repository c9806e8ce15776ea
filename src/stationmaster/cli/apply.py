"""`stationmaster apply`: the server gets what the files say, or exactly what a reviewed plan says."""

import json
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from stationmaster.cli import reconciled
from stationmaster.cli.plan_shown import print_outcome, print_plan, print_waiting
from stationmaster.cli.reconciled import NO_FILES, ApiUrl, AsJson, DataDir, KeepDrift, Named, Prune
from stationmaster.errors import StationmasterError
from stationmaster.reconcile import reconciling, saved
from stationmaster.reconcile.carrying_out import Outcome
from stationmaster.reconcile.diff import Desired
from stationmaster.reconcile.files import Files
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.plan import Plan
from stationmaster.reconcile.plan import as_json as change_json
from stationmaster.reconcile.reconciling import NotApplied, Wish, allow, desired_of, look
from stationmaster.reconcile.remarks import remarks
from stationmaster.reconcile.resources import Signature
from stationmaster.settings import load_settings


def apply(
    target: Named = None,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    plan_file: Annotated[
        Path | None, typer.Option("--plan", dir_okay=False, help="Carry out exactly the plan of this file.")
    ] = None,
    as_json: AsJson = False,
    prune: Prune = False,
    keep_drift: KeepDrift = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Even if it changes more than 30 % of ten or more, or work is lost."),
    ] = False,
    fail_on_drift: Annotated[
        bool, typer.Option("--fail-on-drift", help="Write nothing if that would undo a change on the server.")
    ] = False,
    reason: Annotated[str, typer.Option(help="Why; kept with each version.")] = "",
    wait: Annotated[float, typer.Option(min=0, help="Seconds to wait for another apply.")] = 60,
    api_url: ApiUrl = None,
    data_dir: DataDir = None,
) -> None:
    """Bring assistants/ and crons/ to the server. Exit code 0: done, 1: something failed, 2: nothing was written."""
    if plan_file and (prune or keep_drift):
        raise typer.BadParameter("--plan FILE has its own --prune and --keep-drift: leave them out")
    settings = load_settings()
    kept = saved.read(plan_file) if plan_file else None
    files = NO_FILES if kept else reconciled.read_files(settings)
    wish = Wish(Desired(), prune, keep_drift, force, even_busy=force, refuse_drift=fail_on_drift)
    asked = Asked(files, wish, plan_file, kept, yes, as_json, reason, wait)
    with reconciled.problems_as_json(asked=as_json):
        server = reconciled.target_for(files, settings, target, api_url, data_dir)
        made, outcomes, after = reconciled.run(server, asked.work, files)
    if as_json:
        typer.echo(json.dumps(_body(made, outcomes), indent=2, ensure_ascii=False))
    _finish(outcomes, after)


@dataclass(frozen=True)
class Asked:
    """One apply, as the command line asks for it."""

    files: Files
    wish: Wish
    plan_file: Path | None
    kept: saved.Saved | None
    yes: bool
    as_json: bool
    reason: str
    wait_s: float

    async def work(self, gateway: Gateway) -> tuple[Plan, list[Outcome], Plan | None]:
        """The plan, what came of it, and what is different all the same."""
        wish = await self._whole_wish(gateway)
        made = await look(wish, gateway)
        if not self.as_json:
            print_plan(Console(), made, remarks(made))
        allow(made, wish)
        if not made.changes:
            return made, [], None
        if not self.yes:
            _ask(made, quiet=self.as_json or not sys.stdin.isatty())
            wish = replace(wish, checksum=made.checksum)
        outcomes = [outcome async for outcome in self._carry_out(wish, gateway)]
        return made, outcomes, await reconciling.still_different(wish, gateway, outcomes)

    async def _carry_out(self, wish: Wish, gateway: Gateway) -> AsyncIterator[Outcome]:
        by, told, console = (
            Signature(reconciled.author(), "apply", self.reason),
            Console(stderr=True),
            Console(),
        )
        async for outcome in reconciling.apply(
            wish,
            gateway,
            by,
            wait_s=self.wait_s,
            waiting=lambda who: print_waiting(told, who),
        ):
            if not self.as_json:
                print_outcome(console, outcome)
            yield outcome

    async def _whole_wish(self, gateway: Gateway) -> Wish:
        if self.kept is None:
            return replace(self.wish, desired=await desired_of(self.files, gateway))
        kept = self.kept
        if kept.target != gateway.url:
            raise NotApplied(
                f"{self.plan_file} was made for {kept.target}, and this is {gateway.url}: plan for it"
            )
        return replace(
            self.wish, desired=kept.desired, prune=kept.prune, keep_drift=kept.keep_drift, checksum=kept.checksum,
            even_busy=False,
        )  # fmt: skip


def _ask(made: Plan, *, quiet: bool) -> None:
    """Nothing is written unless somebody says yes."""
    if quiet:
        raise NotApplied(f"{made.target}: nobody is there to agree to the plan: look at it, then add --yes")
    typer.confirm("\nApply this?", abort=True)


def _finish(outcomes: list[Outcome], after: Plan | None) -> None:
    failed = [outcome for outcome in outcomes if outcome.status != "done"]
    if failed:
        raise Unfinished(
            f"{len(failed)} of {len(outcomes)} changes were not made: see above; apply again, and it goes on from there"
        )
    if after is not None and after.changes:
        names = ", ".join(f"{change.kind} {change.name}" for change in after.changes)
        raise Unfinished(f"the server has {names} otherwise than it was told: `stationmaster plan` shows how")


class Unfinished(StationmasterError):
    """Something is not as the files say, although it was tried."""

    exit_code = 1


def _body(made: Plan, outcomes: list[Outcome]) -> dict[str, Any]:
    return {
        "target": made.target,
        "changes": [
            {**change_json(outcome.change, made.names), "status": outcome.status}
            | ({"detail": outcome.detail} if outcome.detail else {})
            | ({"version": outcome.version} if outcome.version else {})
            for outcome in outcomes
        ],
        "left": [change_json(change, made.names) for change in made.left],
        "checksum": made.checksum,
    }
