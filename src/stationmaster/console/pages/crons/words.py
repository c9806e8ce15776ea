"""Slots and what became of them as people read them. Pure."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from stationmaster.console.pages.words import Status, span
from stationmaster.console.told import WITHHELD
from stationmaster.crons.model import Tick

_OUTCOMES: dict[str, Status] = {
    "running": Status("Running", "moving"), "waiting": Status("Waits for a person", "waits"),
    "success": Status("Done", "done"), "error": Status("Failed", "failed"), "cancelled": Status("Cancelled", "closed"),
    "lost": Status("Lost", "failed"), "skipped": Status("Skipped", "closed"), "queued": Status("Queued", "moving"),
    "missed": Status("Missed", "closed"),
}  # fmt: skip
_OVERLAP = {
    "skip": "skips a time while the run before is under way or waits for a person",
    "queue": "lets a time wait until the run before has ended",
    "replace": "replaces the run before",
}
_MISSED = {"once": "runs once for all times that were missed", "skip": "leaves out times that were missed"}


@dataclass(frozen=True)
class Row:
    """One slot in the history. `delay`: how much later than planned it was decided, where that is worth saying."""

    id: int
    cron: str
    status: Status
    planned_at: datetime | None
    last_planned_at: datetime | None
    at: datetime
    slots: int
    delay: str
    started_by: str
    reason: str
    run_id: str
    thread_id: str
    took: str


def outcome(word: str) -> Status:
    """What became of a slot, as a dot and a word."""
    return _OUTCOMES.get(word, Status(word, "closed"))


def row(tick: Tick, *, told: bool) -> Row:
    """`told`: whether the viewer may read why a run failed; graphs put into their errors what they like."""
    late = tick.at - (tick.last_planned_at or tick.planned_at or tick.at)
    open_ = tick.outcome in ("running", "waiting", "queued")
    reason = tick.reason or ""
    if tick.outcome == "error" and not told:
        reason = WITHHELD
    return Row(
        id=tick.id, cron=tick.cron, status=outcome(tick.outcome), planned_at=tick.planned_at,
        last_planned_at=tick.last_planned_at if tick.slots > 1 else None, at=tick.at, slots=tick.slots,
        delay=f"{span(late)} late" if late.total_seconds() >= 60 else "", started_by=tick.started_by or "",
        reason=reason, run_id=tick.run_id or "", thread_id=tick.thread_id or "",
        took=span(tick.ended_at - tick.at) if tick.ended_at and tick.run_id and not open_ else "",
    )  # fmt: skip


def behaviour(found: dict[str, Any]) -> list[str]:
    """How a cron behaves, in sentences' parts."""
    kept = found["keep_days"]
    thread = (
        "a thread of its own each time" if found["thread"] == "fresh" else f"one thread, {found['thread']}"
    )
    said = [thread, _OVERLAP[found["overlap"]], _MISSED[found["missed"]]]
    if kept is not None:
        said.append(f"its threads are kept {kept} {'day' if kept == 1 else 'days'}")
    return said


def state(found: dict[str, Any]) -> Status:
    """Whether it will fire."""
    if found["enabled"]:
        return Status("On", "done")
    return Status("Paused", "waits") if found["paused"] else Status("Off", "closed")


def in_zone(at: datetime | None) -> str:
    """`Mon 4 May, 08:30 BST`, in the zone that the time is in."""
    return f"{at:%a} {at.day} {at:%b}, {at:%H:%M %Z}" if at else ""


def until(at: datetime | None, now: datetime) -> str:
    """`in 3 h`."""
    return f"in {span(at.astimezone(UTC) - now)}" if at else ""
