"""A server's crons, read and written: each only as it was seen before."""

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph_sdk.errors import NotFoundError

from stationmaster.reconcile.bodies import change, cron_metadata, note_for
from stationmaster.reconcile.errors import Conflict
from stationmaster.reconcile.gateway.asking import Asking, once
from stationmaster.reconcile.reading_back import cron_from
from stationmaster.reconcile.resources import (
    CHANGE,
    MANAGED_BY,
    MANAGER,
    NAME,
    PAUSED,
    STRATEGIES,
    Cron,
    ServedCron,
    Signature,
)
from stationmaster.reconcile.translating import gone_is_well


class Crons(Asking):
    """What fires there. Conflict where somebody else wrote it since."""

    async def crons(self) -> tuple[ServedCron, ...]:
        """All of them, owned or not, oldest first."""
        rows = await self._all(self.client.crons.search, sort_by="created_at", sort_order="asc")
        return tuple(cron_from(row) for row in once(rows, "cron_id"))

    async def cron(self, cron_id: str) -> ServedCron | None:
        """It as it is now; None where there is none. A server that gives no single ones is searched."""
        with self._translated():
            try:
                return cron_from(await self.client.http.get(f"/runs/crons/{cron_id}"))
            except NotFoundError:
                pass
        return next((cron for cron in await self.crons() if cron.cron_id == cron_id), None)

    async def crons_named(self, name: str) -> tuple[ServedCron, ...]:
        """The owned ones of that name: more than one is one too many."""
        marks = {MANAGED_BY: MANAGER, NAME: name}
        rows = await self._all(
            self.client.crons.search, metadata=marks, sort_by="created_at", sort_order="asc"
        )
        found = map(cron_from, once(rows, "cron_id"))
        return tuple(
            cron for cron in found if cron.owned and cron.name == name
        )  # some servers ignore the filter

    async def create_cron(
        self, cron: Cron, by: Signature, *, paused: Mapping[str, Any] | None = None
    ) -> ServedCron:
        """Make it; with `paused` it stands still for that reason.

        Servers take no id for crons: whoever calls this has looked that there is none, under the lock of applies.
        """
        metadata = {
            **cron_metadata(cron),
            CHANGE: change(by, None),
            **({PAUSED: note_for(cron, paused)} if paused else {}),
        }
        common: dict[str, Any] = {
            "schedule": cron.schedule, "timezone": cron.timezone, "input": dict(cron.input), "metadata": metadata,
            "enabled": cron.enabled and not paused, "multitask_strategy": STRATEGIES[cron.overlap],
        }  # fmt: skip
        with self._translated():
            if cron.thread_id is None:
                made = await self.client.crons.create(
                    cron.assistant_id, on_run_completed="keep", **common
                )  # the default takes the thread away even when it waits for a person
            else:
                await self.client.threads.create(
                    thread_id=cron.thread_id, if_exists="do_nothing", metadata={MANAGED_BY: MANAGER}
                )
                made = await self.client.crons.create_for_thread(cron.thread_id, cron.assistant_id, **common)
        return cron_from(made)

    async def update_cron(
        self, before: ServedCron, cron: Cron, by: Signature, fields: Sequence[str]
    ) -> ServedCron:
        """Write the named fields. Of a paused one `enabled` is for when it is resumed.

        Schedule and zone go together with `enabled`: the server then counts the next time anew, and a cron that is
        enabled again does not fire for the past. Otherwise they stay out, or a slot that is due now would be lost.
        Conflict when somebody wrote it since `before`. One who pauses it in the very moment wins: it is stopped again.
        """
        await self.require_same(before)
        asked: dict[str, Any] = {"metadata": {**cron_metadata(cron), CHANGE: change(by, None)}}
        if {"schedule", "timezone", "enabled"} & set(fields):
            enabled = cron.enabled and not before.stopped
            asked |= {"schedule": cron.schedule, "timezone": cron.timezone, "enabled": enabled}
        if before.stopped and "enabled" in fields:
            asked["metadata"][PAUSED] = note_for(cron, before.paused or {})
        if "input" in fields:
            asked["input"] = dict(cron.input)
        if "on_run_completed" in fields and cron.thread_id is None:
            asked["on_run_completed"] = "keep"
        if "end_time" in fields:
            asked["end_time"] = None
        after = await self.patch_cron(before.cron_id, **asked)
        if before.paused is None and after.paused is not None:
            if after.enabled:
                await self.patch_cron(before.cron_id, enabled=False)
            raise Conflict(
                f"cron {cron.name}: somebody paused it in the same moment, and it stays so. Plan again"
            )
        return after

    async def require_same(self, before: ServedCron) -> None:
        """Conflict when somebody wrote or deleted it since; that it fired is nothing."""
        _require_same(before, await self.cron(before.cron_id))

    async def remove_cron(self, before: ServedCron) -> None:
        """Take it away as it was seen; Conflict when somebody wrote it since. Nothing happens if it is gone already."""
        now = await self.cron(before.cron_id)
        if now is not None:
            _require_same(before, now)
            await self.delete_cron(before.cron_id)

    async def patch_cron(self, cron_id: str, **asked: Any) -> ServedCron:
        """Write what is asked, as `crons.update` takes it; metadata merges, and null takes a key away."""
        with self._translated():
            return cron_from(await self.client.crons.update(cron_id, **asked))

    async def delete_cron(self, cron_id: str) -> None:
        """Take it away; nothing happens if it is gone already."""
        with self._translated(), gone_is_well():
            await self.client.crons.delete(cron_id)


def _require_same(before: ServedCron, now: ServedCron | None) -> None:
    if now is None or not now.same_as(before):
        what = "deleted" if now is None else "paused" if now.stopped and not before.stopped else "changed"
        raise Conflict(
            f"cron {before.name or before.cron_id}: somebody {what} it meanwhile; nothing was written. Plan again"
        )
