"""What people should know of a plan besides its changes: what is left alone, what the server can't promise. Pure."""

from collections.abc import Iterator

from stationmaster.reconcile.diff import Change
from stationmaster.reconcile.plan import Plan
from stationmaster.reconcile.resources import ServedAssistant, Server
from stationmaster.reconcile.sparing import words
from stationmaster.reconcile.wording import counted


def remarks(plan: Plan, server: Server | None = None) -> Iterator[str]:
    """A sentence each. Without `server` nothing is said of what it can't promise."""
    if plan.taken:
        yield f"{_list(plan.taken)}: an assistant that is not ours has the id of this name, so apply refuses."
    if plan.left:
        names = _list(tuple(f"{change.kind} {change.name}" for change in plan.left))
        yield f"{names}: changed on the server and left so; `stationmaster adopt NAME` writes it into the file."
    elif any(change.drifted for change in plan.changes):
        yield (
            "! marks what was changed on the server since it was applied. apply puts back what the files say; "
            "`stationmaster adopt NAME` writes the server's into the file, --keep-drift leaves it."
        )
    if plan.paused:
        yield f"{_list(plan.paused)}: paused by people, and stays so; `stationmaster crons resume` ends it."
    for name, why in plan.kept.items():
        yield f"{name}: not deleted, since {why}."
    for name, work in plan.losing.items():
        yield f"{name}: {words(work)}, which is lost: runs are cancelled, and no answer reaches its question."
    if plan.orphans:
        yield f"{_list(plan.orphans)}: without a file; --prune deletes it, `stationmaster adopt NAME` writes one."
    if plan.large:
        yield f"It changes {plan.touched} of {plan.owned} things: apply wants --force."
    yield from _unenforced(plan, server)


def changed_by(change: Change) -> str:
    """Who made the version that the server has, if that is known: Studio and the API leave no name."""
    row = change.served
    if not isinstance(row, ServedAssistant) or not change.drifted:
        return ""
    said = row.change
    if not row.signed:
        return f"by Studio or the API, {row.updated_at[:16].replace('T', ' ')}"
    reason = f": {said['reason']}" if said.get("reason") else ""
    return (
        f"{said.get('source')} by {said.get('author')}, {str(said.get('at'))[:16].replace('T', ' ')}{reason}"
    )


def _unenforced(plan: Plan, server: Server | None) -> Iterator[str]:
    crons = counted(sum(cron.enabled for cron in plan.desired.crons), "cron")
    if crons.startswith("0") or server in (None, "durable"):
        return
    if server == "foreign":
        yield (
            f"This server runs without Stationmaster's handlers: overlap, missed and keep of {crons} are not enforced "
            "there, and a tick on a fixed thread can replace a question that waits for a person."
        )
    yield (
        f"This server can't promise exactly one run a slot for {crons}: when it is killed, a slot can be lost or run "
        "twice. The durable runtime can."
    )


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names) if len(names) <= 5 else f"{', '.join(names[:4])} and {len(names) - 4} more"
