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
from stationmaster.reconcile.resources import APPLIED, Assistant, Cron, ServedAssistant, ServedCron, Signature

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
            version = await _one(change, gateway, by)
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


async def _one(change: Change, gateway: Gateway, by: Signature) -> int | None:
    match change.wanted, change.served:
        case Assistant() as assistant, None:
            return (await gateway.create_assistant(assistant, by)).version
        case Assistant() as assistant, ServedAssistant() as before:
            return (await gateway.update_assistant(before, assistant, by, applied=True)).version
        case None, ServedAssistant() as before:
            await gateway.delete_assistant(before)
        case _, ServedCron() as before:
            await _cron(change, before, gateway, by)
        case Cron() as cron, None:
            await _new_cron(cron, gateway, by)
    return None


async def _cron(change: Change, before: ServedCron, gateway: Gateway, by: Signature) -> None:
    for row in change.surplus:
        await gateway.delete_cron(row.cron_id)
    match change.wanted:
        case Cron() as cron if change.anew:
            # Not deleted first, or an apply that ends here would leave nothing; not enabled, or both could fire.
            if before.enabled:
                applied = {
                    **before.applied,
                    "enabled": digest(False),
                }  # or it would look like somebody's change
                await gateway.patch_cron(before.cron_id, enabled=False, metadata={APPLIED: applied})
            await gateway.create_cron(cron, by, paused=before.paused if before.stopped else None)
            await gateway.delete_cron(before.cron_id)
        case Cron() as cron if change.fields:
            await gateway.update_cron(before, cron, by, [field.field for field in change.fields])
        case None if change.action == "delete":
            await gateway.delete_cron(before.cron_id)


async def _new_cron(cron: Cron, gateway: Gateway, by: Signature) -> None:
    """Looked for once more: an earlier try may have made it although its answer was lost."""
    if await gateway.crons_named(cron.name):
        raise Conflict(f"cron {cron.name}: it was made meanwhile; plan again to see what it is")
    await gateway.create_cron(cron, by)
