"""Carries out a plan's changes, one after the other; what a half-done apply leaves, the next one finishes.

Order matters where a step may be the last: a cron is never made while another of its name could fire beside it.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal

from stationmaster.reconcile.canonical import digest
from stationmaster.reconcile.diff import Change
from stationmaster.reconcile.errors import Conflict, ReconcileError, ServerRefused
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.lock import Lock
from stationmaster.reconcile.plan import Plan
from stationmaster.reconcile.resources import (
    APPLIED,
    PAUSED,
    Assistant,
    Cron,
    ServedAssistant,
    ServedCron,
    Signature,
)
from stationmaster.reconcile.sparing import spared

Status = Literal["done", "failed", "not tried"]


@dataclass(frozen=True)
class Outcome:
    """What became of one change. `version`: the assistant's new one."""

    change: Change
    status: Status
    detail: str = ""
    version: int | None = None


async def carry_out(plan: Plan, gateway: Gateway, by: Signature, lock: Lock) -> AsyncIterator[Outcome]:
    """Each change's outcome as soon as it is known.

    A conflict or a refusal ends that change and those that lean on it; a server that does not answer, or a lost lock,
    ends everything, and the rest is not tried.
    """
    over = ""
    failed = set[str]()
    for change in plan.changes:
        if over or _leans_on(change) in failed:
            yield Outcome(change, "not tried", over or f"assistant {_leans_on(change)} failed")
            continue
        try:
            lock.check()
            version = await _one(change, gateway, by, even_busy=plan.even_busy)
        except ReconcileError as error:
            if not isinstance(error, Conflict | ServerRefused):
                over = "an earlier change ended the apply"
            if change.kind == "assistant":
                failed.add(change.name)
            yield Outcome(change, "failed", str(error))
        else:
            yield Outcome(change, "done", version=version)


def _leans_on(change: Change) -> str:
    return change.wanted.assistant if isinstance(change.wanted, Cron) else ""


async def _one(change: Change, gateway: Gateway, by: Signature, *, even_busy: bool) -> int | None:
    match change.wanted, change.served:
        case Assistant() as assistant, None:
            return (await gateway.create_assistant(assistant, by)).version
        case Assistant() as assistant, ServedAssistant() as before:
            return (await gateway.update_assistant(before, assistant, by, applied=True)).version
        case None, ServedAssistant() as before:
            await _unneeded(before, gateway, even_busy=even_busy)
            await gateway.delete_assistant(before)
        case _, ServedCron() as before:
            await _cron(change, before, gateway, by)
        case Cron() as cron, None:
            await _new_cron(cron, gateway, by)
    return None


async def _unneeded(before: ServedAssistant, gateway: Gateway, *, even_busy: bool) -> None:
    """Looked at once more: a question may have come up since, or a canary. Crons that still use it would go with it."""
    work = {before.assistant_id: await gateway.work_under(before.assistant_id)}
    found = spared([before], await gateway.assistants(), await gateway.crons(), work, even_busy=even_busy)
    if found:
        raise Conflict(
            f"assistant {before.known_as}: {found[before.assistant_id]} by now; it was not deleted. Plan again"
        )


async def _cron(change: Change, before: ServedCron, gateway: Gateway, by: Signature) -> None:
    if change.surplus and change.action == "merge":
        await gateway.require_same(before)  # or its duplicates go, and it too
    for row in change.surplus:
        await gateway.remove_cron(row)
    match change.wanted:
        case Cron() as cron if change.anew:
            await _anew(cron, before, gateway, by)
        case Cron() as cron if change.fields:
            await gateway.update_cron(before, cron, by, [field.field for field in change.fields])
        case None if change.action == "delete":
            await gateway.remove_cron(before)


async def _anew(cron: Cron, before: ServedCron, gateway: Gateway, by: Signature) -> None:
    """Not deleted first, or an apply that ends here would leave nothing; not enabled, or both could fire.

    Who pauses the old one meanwhile has paused the new one.
    """
    await gateway.require_same(before)
    now = before
    if before.enabled:
        # Noted as applied, or it would look like somebody's change.
        applied = {**before.applied, "enabled": digest(False)}
        now = await gateway.patch_cron(before.cron_id, enabled=False, metadata={APPLIED: applied})
    made = await gateway.create_cron(cron, by, paused=now.paused if now.stopped else None)
    last = await gateway.cron(before.cron_id)
    if last is not None and last.stopped and not made.stopped:
        await gateway.patch_cron(made.cron_id, enabled=False, metadata={PAUSED: dict(last.paused or {})})
    await gateway.delete_cron(before.cron_id)


async def _new_cron(cron: Cron, gateway: Gateway, by: Signature) -> None:
    """Looked for once more: an earlier try may have made it although its answer was lost."""
    if await gateway.crons_named(cron.name):
        raise Conflict(f"cron {cron.name}: it was made meanwhile; plan again to see what it is")
    await gateway.create_cron(cron, by)
