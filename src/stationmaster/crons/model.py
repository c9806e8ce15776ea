"""The words of this room: a slot and what became of it, and how a cron wants to behave."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID

from stationmaster.reconcile.resources import FRESH, Missed, Overlap, ServedCron

Outcome = Literal[
    "running", "waiting", "success", "error", "cancelled", "lost", "skipped", "queued", "missed"
]
"""waiting: for a person. lost: the server does not know the run any more. queued: waits for its turn."""
Trigger = Literal["schedule", "person"]
UNFINISHED = ("running", "waiting")
DEFAULT_KEEP_DAYS = 30


@dataclass(frozen=True)
class Tick:
    """One row of the history. All times are UTC; `planned_at` is None for a run that a person started."""

    id: int
    cron: str
    """The name where files own it, else the server's id."""
    cron_id: str
    assistant_id: str | None
    trigger: Trigger
    planned_at: datetime | None
    last_planned_at: datetime | None
    slots: int
    at: datetime
    outcome: Outcome
    reason: str | None
    run_id: str | None
    thread_id: str | None
    fresh: bool
    keep_days: int | None
    started_by: str | None
    ended_at: datetime | None
    pruned_at: datetime | None


@dataclass(frozen=True)
class Policy:
    """How a served cron behaves beyond what the server knows."""

    cron: str
    owned: bool
    overlap: Overlap
    missed: Missed
    keep_days: int | None
    """For threads of its own; None: they stay."""


def policy_of(cron: ServedCron) -> Policy:
    """What its metadata says. Values that nobody knows count as the defaults, which are the careful ones.

    A cron that no file owns never loses its threads, and a question is kept from its slots as well.
    """
    said = cron.metadata
    overlap, missed, keep = said.get("overlap"), said.get("missed"), said.get("keep_days")
    return Policy(
        cron=subject(cron),
        owned=cron.owned,
        overlap=overlap if overlap in ("skip", "queue", "replace") else "skip",
        missed="skip" if missed == "skip" else "once",
        keep_days=_days(keep) if cron.owned and cron.thread_id is None else None,
    )


def subject(cron: ServedCron) -> str:
    """What the history knows it by."""
    return cron.name if cron.owned else cron.cron_id


def thread_word(cron: ServedCron) -> str:
    """`fresh`, or the name of the one thread, or its id."""
    if cron.thread_id is None:
        return FRESH
    named = cron.metadata.get("thread")
    return named if isinstance(named, str) and named != FRESH else cron.thread_id


def tick_from(row: Mapping[str, Any]) -> Tick:
    """A tick from a row of `crons.ticks`."""
    values = {name: row[name] for name in Tick.__dataclass_fields__}
    for name, value in values.items():
        if isinstance(value, UUID):
            values[name] = str(value)
        elif isinstance(value, datetime):  # in the session's zone
            values[name] = value.astimezone(UTC)
    return Tick(**values)


def _days(value: object) -> int:
    return (
        value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else DEFAULT_KEEP_DAYS
    )
