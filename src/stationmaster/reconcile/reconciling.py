"""Files and a server brought together: look and plan, or plan and carry out under the lock."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace

from stationmaster.reconcile import carrying_out
from stationmaster.reconcile.carrying_out import Outcome
from stationmaster.reconcile.checking import check
from stationmaster.reconcile.diff import Actual, Desired, without_file
from stationmaster.reconcile.errors import ReconcileError
from stationmaster.reconcile.files import Files
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.lock import TTL_S, hold
from stationmaster.reconcile.plan import Plan, plan
from stationmaster.reconcile.resources import Signature


class NotApplied(ReconcileError):
    """The plan can't be carried out as it is; nothing was written."""

    exit_code = 2


@dataclass(frozen=True)
class Wish:
    """What is asked of a server. `keep_drift`: leave what was changed there. `force`: however much it changes.

    `even_busy`: prune assistants too under which runs are under way or questions wait.
    """

    desired: Desired
    prune: bool = False
    keep_drift: bool = False
    force: bool = False
    checksum: str | None = None
    """Of the plan that somebody agreed to: another one is refused."""
    even_busy: bool = False
    refuse_drift: bool = False
    """Write nothing where something was changed on the server: somebody promoted, or edited it there."""


async def desired_of(files: Files, gateway: Gateway) -> Desired:
    """What the files say, checked by themselves and against the server; FilesWrong with all that is wrong with them."""
    try:
        more = await check(files, await gateway.assistants(), gateway)
    except ReconcileError:
        files.desired()
        raise
    return files.desired(more)


async def look(wish: Wish, gateway: Gateway) -> Plan:
    """The plan as of now. Nothing is written."""
    actual = Actual(await gateway.assistants(), await gateway.crons())
    if wish.prune:
        ids = [each.assistant_id for each in without_file(wish.desired, actual.assistants)]
        actual = replace(actual, work={each: await gateway.work_under(each) for each in ids})
    made = plan(wish.desired, actual, target=gateway.url, prune=wish.prune, even_busy=wish.even_busy)
    return made.keeping_drift() if wish.keep_drift else made


def allow(made: Plan, wish: Wish) -> None:
    """NotApplied for a plan that is not the agreed one, takes over what is not ours, or changes too much."""
    if wish.checksum is not None and made.checksum != wish.checksum:
        raise NotApplied(f"{made.target} has changed since the plan was made: plan again, and look at it")
    drifted = [f"{change.kind} {change.name}" for change in made.changes if change.drifted]
    if wish.refuse_drift and drifted:
        raise NotApplied(
            f"{', '.join(drifted)}: changed on the server since it was applied: `stationmaster adopt NAME` writes it "
            "into the file, apply --keep-drift leaves it"
        )
    if made.taken:
        names = ", ".join(made.taken)
        raise NotApplied(
            f"{names}: an assistant that is not ours has the id of this name; delete it, or give the file another name"
        )
    if wish.prune and made.changes and not (wish.force or wish.desired.assistants or wish.desired.crons):
        raise NotApplied(
            "there is no file here, and --prune would delete everything: go where assistants/ and crons/ are, or add "
            "--force"
        )
    if made.large and not wish.force:
        raise NotApplied(
            f"the plan changes or deletes {made.touched} of {made.owned} things on {made.target}, more than 30 %: "
            "see that it is meant, then add --force"
        )


async def apply(
    wish: Wish,
    gateway: Gateway,
    by: Signature,
    *,
    wait_s: float = 60.0,
    ttl_s: float = TTL_S,
    waiting: Callable[[str], None] = lambda _: None,
) -> AsyncIterator[Outcome]:
    """Carry out what `look` finds, each outcome as it is known. Nothing is written where there is nothing to do.

    It looks again under the lock: another apply may just have done the same.
    """
    first = await look(wish, gateway)
    allow(first, wish)
    if not first.changes:
        return
    async with hold(
        gateway.client, gateway.url, by.author, wait_s=wait_s, ttl_s=ttl_s, waiting=waiting
    ) as lock:
        made = await look(wish, gateway)
        allow(made, wish)
        async for outcome in carrying_out.carry_out(made, gateway, by, lock):
            yield outcome


async def still_different(wish: Wish, gateway: Gateway, outcomes: Sequence[Outcome]) -> Plan:
    """What an apply left undone: empty, unless the server keeps something otherwise than it was told.

    Drift that was to be kept is none; but what this apply wrote is no drift, whatever it reads back as.
    """
    made = await look(replace(wish, checksum=None, keep_drift=False), gateway)
    if not wish.keep_drift:
        return made
    wrote = {(each.change.kind, each.change.name) for each in outcomes}
    changes = [each for each in made.changes if not each.drifted or (each.kind, each.name) in wrote]
    return replace(made, changes=tuple(changes))
