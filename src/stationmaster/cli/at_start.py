"""What `up` does with assistants/ and crons/ once the server answers: applied, never against what people changed there.

A failure is told and costs nothing else: the service runs with what the server has.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping

import httpx

from stationmaster.cli import reconciled
from stationmaster.cli.plan_shown import PAST
from stationmaster.cli.target import Target, client
from stationmaster.errors import StationmasterError
from stationmaster.reconcile.carrying_out import Outcome
from stationmaster.reconcile.diff import Desired
from stationmaster.reconcile.files import Files
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.reconciling import Wish, apply, desired_of, look
from stationmaster.reconcile.remarks import remarks
from stationmaster.reconcile.resources import Signature
from stationmaster.reconcile.wording import counted
from stationmaster.settings import Settings

LONGEST_S = 60.0
"""A server that takes longer is not waited for: the service is up meanwhile."""
LOCK_S = 20.0


async def apply_files(settings: Settings, target: Target) -> Mapping[str, str]:
    """Rows for the banner; none where there are no files.

    Nothing is pruned, drift is left, and a change of more than 30 % waits for somebody who says --force.
    """
    files = await asyncio.to_thread(reconciled.read_files, settings)
    if not (files.assistants or files.crons or files.problems):
        return {}
    try:
        async with asyncio.timeout(LONGEST_S), client(target) as sdk:
            return await _applied(files, Gateway(sdk, target.url))
    except StationmasterError as error:
        return {"files": f"NOT APPLIED, {error}"}
    except (TimeoutError, httpx.HTTPError) as error:
        return {"files": f"NOT APPLIED, {type(error).__name__}: do it by `stationmaster apply`"}


async def _applied(files: Files, gateway: Gateway) -> dict[str, str]:
    wish = Wish(await desired_of(files, gateway), keep_drift=True)
    by = Signature(reconciled.author(), "up")
    outcomes = [outcome async for outcome in apply(wish, gateway, by, wait_s=LOCK_S)]
    made = await look(wish, gateway)
    rows = {"files": _done(wish.desired, outcomes)}
    for each in outcomes:
        if each.status != "done":
            rows["failed"] = (
                f"{each.change.kind} {each.change.name}: {each.detail}; `stationmaster apply` goes on from here"
            )
            break
    if made.left:
        rows["left"] = next(remarks(made))
    return rows


def _done(desired: Desired, outcomes: list[Outcome]) -> str:
    counts = Counter(PAST[outcome.change.action] for outcome in outcomes if outcome.status == "done")
    what = ", ".join(f"{number} {word}" for word, number in counts.items()) or "nothing to do"
    there = f"{counted(len(desired.assistants), 'assistant')}, {counted(len(desired.crons), 'cron')}"
    return f"{there}: {what}"
