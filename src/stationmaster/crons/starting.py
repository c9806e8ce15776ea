"""Runs of a cron that no clock started: a person's, or a slot whose turn has come. What they say is checked here."""

from collections.abc import Mapping, MutableMapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from stationmaster.crons import history
from stationmaster.crons.deciding import Standing, obstacle
from stationmaster.crons.errors import SlotRefused
from stationmaster.crons.model import Policy, Tick, policy_of
from stationmaster.crons.server import TICK, CronServer
from stationmaster.crons.settling import Connections, settle_all
from stationmaster.crons.standing import standing_of
from stationmaster.reconcile.resources import ServedCron

MOST_NAME = 200
LOCAL = "local"
"""Who calls from this machine, with `up`'s own key or none: nothing to tell."""


def _is_id(text: str) -> bool:
    """The server answers any other text with an error of its own."""
    try:
        UUID(text)
    except ValueError:
        return False
    return True


async def admit_started(
    server: CronServer,
    connections: Connections,
    run: MutableMapping[str, Any],
    started: Mapping[str, Any],
    caller: str = "",
) -> None:
    """Note a run that says it is a cron's. SlotRefused when it is not, or would take a question from somebody.

    Whoever may start runs may say so of one; it says nothing of a slot, except that one which waits may have its
    turn, and that is only so when its way is free.
    """
    cron = await server.cron(asked) if _is_id(asked := str(started.get("cron_id"))) else None
    if cron is None or str(run.get("assistant_id")) != cron.assistant_id or not _same_thread(run, cron):
        raise SlotRefused(
            "the run says that it is a cron's and is not: name the cron's own assistant and thread"
        )
    policy, run_id = policy_of(cron), str(run.get("run_id"))
    async with connections() as conn:
        ticks = await history.open_ticks(conn, policy.cron)
    ticks = await settle_all(server, connections, ticks)
    standing = await standing_of(server, cron, ticks)
    if started.get("tick") is not None:
        tick = await _turn(connections, cron, policy, standing, started["tick"], run_id)
    else:
        tick = await _persons(connections, cron, policy, standing, _who(started, caller), run_id)
    if tick is None:
        raise SlotRefused(f"cron {policy.cron}: somebody else started it in the same moment")
    run["metadata"][TICK] = tick.id


async def _turn(
    connections: Connections,
    cron: ServedCron,
    policy: Policy,
    standing: Standing,
    tick_id: object,
    run_id: str,
) -> Tick | None:
    waiting = next((tick for tick in standing.open if tick.outcome == "queued" and tick.id == tick_id), None)
    if waiting is None:
        raise SlotRefused(f"cron {policy.cron}: no slot {tick_id} waits for its turn")
    if why := "its thread is gone" if standing.gone else obstacle(policy, standing):
        raise SlotRefused(f"cron {policy.cron}: {why}: the slot waits on")
    async with connections() as conn:
        return await history.start_queued(conn, waiting, run_id, cron.thread_id)


async def _persons(
    connections: Connections, cron: ServedCron, policy: Policy, standing: Standing, who: str, run_id: str
) -> Tick | None:
    """On a thread of its own a run takes nothing from anybody; on the one thread it must not: a question only where the
    file says `replace`, and never work under way, beside which the server makes no run."""
    if standing.gone:
        raise SlotRefused(
            f"cron {policy.cron}: its thread is gone: `stationmaster crons doctor` says what to do"
        )
    if standing.busy:
        raise SlotRefused(f"cron {policy.cron}: {standing.busy}: wait for its end, then run it again")
    if standing.waits and policy.overlap != "replace":
        raise SlotRefused(f"cron {policy.cron}: {standing.waits}: answer it, or wait, then run it again")
    async with connections() as conn:
        if policy.overlap == "replace":
            for tick in standing.open:
                if not tick.fresh and history.is_open(tick):
                    await history.settle(
                        conn, tick, "cancelled", reason=f"replaced by a run that {who} started"
                    )
        return await history.add(
            conn,
            cron,
            policy,
            "running",
            at=datetime.now(UTC),
            trigger="person",
            run_id=run_id,
            started_by=who,
        )


def _same_thread(run: Mapping[str, Any], cron: ServedCron) -> bool:
    thread_id = run.get("thread_id")
    return cron.thread_id is None or str(thread_id) == cron.thread_id


def _who(started: Mapping[str, Any], caller: str) -> str:
    """The name that was given, and whose key it came with: anybody who holds one may give any name. Without what a
    terminal obeys or a text column refuses."""
    said = "".join(char for char in str(started.get("by") or "") if char.isprintable())[:MOST_NAME]
    via = "" if caller in ("", LOCAL, said) else f" (key {caller})"
    return (said or "somebody") + via
