"""Called by the server before it makes a run: a cron's slot is decided here, and noted, before anything starts.

A run counts as a slot when the server's own scheduler makes it. That is told by where the call comes from and not by
what it says: `cron_id` in a run's configuration can be sent by a client too (v2 commands let it through), but a
client's run is made inside a request, and the scheduler's never is.
"""

import logging
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from stationmaster.crons import history
from stationmaster.crons.deciding import Keep, Slot, Start, decide
from stationmaster.crons.due import MOST_MISSED, planned_from, slot_of
from stationmaster.crons.errors import HistoryAway, SlotRefused
from stationmaster.crons.model import Policy, Tick, policy_of
from stationmaster.crons.server import STARTED, TICK, CronServer
from stationmaster.crons.settling import Connections, settle_all
from stationmaster.crons.standing import look, standing_of
from stationmaster.crons.starting import admit_started
from stationmaster.crons.times import next_served
from stationmaster.errors import StationmasterError
from stationmaster.reconcile.resources import ServedCron
from stationmaster.reviews.database import Connection

MADE_BY_THEN = timedelta(seconds=10)
"""After a slot is noted its run is made within milliseconds. Less than a replica waits before it takes a dead one's."""

DISCARD_QUESTION = "stationmaster_discard_question"
"""Key of a run's metadata: the durable server takes it out; another one leaves it, and heeds it not."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Gate:
    """What admission works with. `since`: when this process began; an older tick's run may be lost with the last."""

    server: CronServer
    connections: Connections
    since: datetime = field(default_factory=lambda: datetime.now(UTC))

    async def admit(self, run: MutableMapping[str, Any], *, in_request: bool, caller: str = "") -> None:
        """Let a run that is about to be made pass, noting it if it is a cron's. SlotRefused: it must not be made.

        `caller`: whose key came with the request.
        """
        metadata = run.get("metadata")
        if not isinstance(metadata, dict):
            return
        metadata.pop(TICK, None)
        started = metadata.get(STARTED)
        if in_request:
            if isinstance(started, Mapping):
                await admit_started(self.server, self.connections, run, started, caller)
            return
        cron_id = _cron_id(run)
        if cron_id is None:
            return
        cron = await self.server.cron(cron_id)
        if cron is None:
            raise SlotRefused(f"cron {cron_id} was deleted: its last run is not made")
        now = datetime.now(UTC)
        try:
            await self._slot(run, cron, now)
        except SlotRefused:
            await self._end(cron, now)
            raise

    async def _end(self, cron: ServedCron, now: datetime) -> None:
        """Switch off a cron that was refused, and whose schedule has no further slot: no next date can be written, and
        a server that comes for the last one again and again never gets to the crons behind it.

        Not before its last run is made: a server that dies until then comes back to the slot.
        """
        after = max(now, planned_from(cron.next_run_at) or now)
        if next_served(cron.schedule, cron.timezone, after) is not None:
            return
        try:
            await self.server.gateway.patch_cron(cron.cron_id, enabled=False)
        except StationmasterError as error:
            logger.warning(
                "cron %s has no further slot, and could not be switched off: %s", cron.cron_id, error
            )
            return
        logger.info("cron %s has no further slot: it is off", cron.cron_id)

    async def _slot(self, run: MutableMapping[str, Any], cron: ServedCron, now: datetime) -> None:
        policy, slot = policy_of(cron), slot_of(cron, now)
        try:
            open_ticks = await self._open_ticks(policy, slot)
        except HistoryAway as error:
            await self._unrecorded(cron, policy, slot, now, error)
            _let_replace(run, policy)
            return
        try:
            verdict = decide(policy, slot, await standing_of(self.server, cron, open_ticks), now)
        except StationmasterError as error:
            # Whether somebody is being asked can't be seen: then nothing is taken away from them.
            verdict = Keep("skipped", f"its thread could not be read: {error}")
        async with self.connections() as conn:
            tick = await _note(conn, cron, policy, slot, verdict, str(run.get("run_id")), now)
        if isinstance(verdict, Keep):
            raise SlotRefused(f"cron {policy.cron}: {verdict.outcome}: {verdict.reason}")
        if tick is None:
            raise SlotRefused(f"cron {policy.cron}: this slot was decided already")
        run["metadata"][TICK] = tick.id
        _let_replace(run, policy)

    async def _open_ticks(self, policy: Policy, slot: Slot) -> list[Tick]:
        """The cron's open ticks as they are now. SlotRefused when this very slot was decided before."""
        async with self.connections() as conn:
            before = await history.at_slot(conn, policy.cron, slot.planned_at)
            ticks = await history.open_ticks(conn, policy.cron)
        if before is not None and not await self._was_lost(before):
            raise SlotRefused(
                f"cron {policy.cron}: the slot of {slot.planned_at:%Y-%m-%d %H:%M:%S} UTC was decided already "
                f"({before.outcome}): nothing is run twice"
            )
        # On threads of their own `replace` lets any number wait side by side: none of them is in the way.
        beside = policy.overlap == "replace"
        concerned = [tick for tick in ticks if tick != before and not (beside and tick.fresh)]
        return await settle_all(self.server, self.connections, concerned)

    async def _was_lost(self, tick: Tick) -> bool:
        """A server that was killed may have forgotten a run that it had begun, and come back to its slot; or another
        replica comes, since the one that noted the slot died before it made the run."""
        young = tick.at >= self.since and datetime.now(UTC) - tick.at < MADE_BY_THEN
        if not history.is_open(tick) or young:
            return False
        seen = await look(self.server, tick)
        if seen is not None and seen.outcome != "lost":
            return False
        async with self.connections() as conn:
            await history.settle(
                conn, tick, "lost", reason="the server lost it in a restart; its slot runs again"
            )
        return True

    async def _unrecorded(
        self, cron: ServedCron, policy: Policy, slot: Slot, now: datetime, error: HistoryAway
    ) -> None:
        """Without the database a cron goes on, and a question is kept from it all the same."""
        logger.warning("cron %s: its slot is not recorded: %s", policy.cron, error)
        verdict = decide(policy, slot, await standing_of(self.server, cron, ()), now)
        if isinstance(verdict, Keep):
            raise SlotRefused(f"cron {policy.cron}: {verdict.outcome}: {verdict.reason}")


def _let_replace(run: MutableMapping[str, Any], policy: Policy) -> None:
    """Tell the durable server, which keeps questions from the slots of crons by itself, that this one may take them."""
    if policy.overlap == "replace":
        run["metadata"][DISCARD_QUESTION] = True


async def _note(
    conn: Connection, cron: ServedCron, policy: Policy, slot: Slot, verdict: Start | Keep, run_id: str, now: datetime
) -> Tick | None:  # fmt: skip
    """Write what was decided; the tick that the run is, None if somebody else was faster or there is no run."""
    missed = await history.undecided(conn, policy.cron, slot.missed)
    if isinstance(verdict, Keep):
        if verdict.outcome == "missed":
            missed.append(slot.planned_at)
        else:
            await history.add(
                conn, cron, policy, verdict.outcome, at=now, planned_at=slot.planned_at, reason=verdict.reason
            )
    if missed:
        await _note_missed(conn, cron, policy, missed, now)
    if isinstance(verdict, Keep):
        return None
    for tick in verdict.replaces:
        await history.settle(
            conn, tick, "cancelled", reason=f"replaced by the slot of {slot.planned_at:%Y-%m-%d %H:%M:%S} UTC"
        )
    if verdict.turn is None:
        return await history.add(
            conn,
            cron,
            policy,
            "running",
            at=now,
            planned_at=slot.planned_at,
            run_id=run_id,
            reason=verdict.note,
        )
    tick = await history.start_queued(conn, verdict.turn, run_id, cron.thread_id)
    reason = "the slot before it waited, and runs first"
    await history.add(conn, cron, policy, "queued", at=now, planned_at=slot.planned_at, reason=reason)
    return tick


async def _note_missed(
    conn: Connection, cron: ServedCron, policy: Policy, missed: list[datetime], now: datetime
) -> None:
    """One row for all of them."""
    late = str(now - missed[0]).split(".")[0]
    more = ", and there were more" if len(missed) > MOST_MISSED else ""
    await history.add(
        conn, cron, policy, "missed", at=now, planned_at=missed[0], last_planned_at=missed[-1], slots=len(missed),
        reason=f"the server came {late} after the first of them: it was down, or busy{more}",
    )  # fmt: skip


def _cron_id(run: Mapping[str, Any]) -> str | None:
    """Where the stock scheduler leaves it."""
    config = (run.get("kwargs") or {}).get("config") or {}
    found = (config.get("configurable") or {}).get("cron_id")
    return str(found) if found else None
