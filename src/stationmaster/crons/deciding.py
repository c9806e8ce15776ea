"""Whether a slot becomes a run: a pure function of the cron's policy, the slot, and what stands in its way."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from stationmaster.crons.model import Policy, Tick

LATE = timedelta(seconds=60)
"""The server looks every five seconds; a slot that comes later than this was missed."""


@dataclass(frozen=True)
class Slot:
    """The slot that is due, and those before it for which nobody came (`missed`, oldest first)."""

    planned_at: datetime
    missed: Sequence[datetime] = ()
    repeated: bool = False
    """The second pass of a local time that comes twice."""


@dataclass(frozen=True)
class Standing:
    """What a run of the cron would meet. `open`: its own ticks that have not ended, oldest first.

    `waits`, `busy`: on its one thread, in words, whoever asked or started it.
    """

    open: Sequence[Tick] = ()
    gone: bool = False
    waits: str | None = None
    busy: str | None = None


@dataclass(frozen=True)
class Start:
    """The slot becomes a run. `turn`: a slot that waited goes first, and this one waits for its turn then.
    `replaces`: the ticks whose question or work it takes away."""

    turn: Tick | None = None
    replaces: Sequence[Tick] = ()
    note: str | None = None


@dataclass(frozen=True)
class Keep:
    """The slot becomes no run now. `outcome`: skipped, missed, or queued until its turn comes."""

    outcome: Literal["skipped", "missed", "queued"]
    reason: str


def decide(policy: Policy, slot: Slot, standing: Standing, now: datetime) -> Start | Keep:
    """What becomes of a slot of the schedule."""
    if slot.repeated and policy.owned:
        return Keep("skipped", "this local time comes twice, and ran the first time: the clock went back")
    if policy.owned and policy.missed == "skip" and now - slot.planned_at > LATE:
        return Keep("missed", f"nobody came for it until {now - slot.planned_at} later")
    if standing.gone:
        return Keep("skipped", "its thread is gone: `stationmaster crons doctor` says what to do")
    if policy.overlap == "replace":
        return _replace(standing)
    turn = next((tick for tick in standing.open if tick.outcome == "queued"), None)
    in_the_way = obstacle(policy, standing)
    if in_the_way is None:
        return Start(turn=turn if policy.overlap == "queue" else None)
    if policy.overlap == "skip":
        return Keep("skipped", in_the_way)
    if turn is not None:
        return Keep(
            "skipped", f"{in_the_way}, and the slot of {turn.planned_at:%Y-%m-%d %H:%M:%S} UTC waits already"
        )
    return Keep("queued", in_the_way)


def obstacle(policy: Policy, standing: Standing) -> str | None:
    """Why no run may start now without taking something from somebody; None if the way is free.

    Of a cron that no file owns nothing but the question on its thread is kept.
    """
    if standing.waits:
        return standing.waits
    if not policy.owned:
        return None
    if standing.busy:
        return standing.busy
    for tick in standing.open:
        if tick.outcome == "waiting":
            return f"the run of {_when(tick)} waits for a person, on thread {tick.thread_id}"
        if tick.outcome == "running":
            return f"the run of {_when(tick)} is still at work"
    return None


def _replace(standing: Standing) -> Start:
    """Asked for explicitly. On a thread of its own nothing is taken away: the older run stays beside it."""
    taken = ("running", "waiting")
    replaced = tuple(tick for tick in standing.open if not tick.fresh and tick.outcome in taken)
    note = f"replaced: {standing.waits or standing.busy}" if standing.waits or standing.busy else None
    return Start(replaces=replaced, note=note)


def _when(tick: Tick) -> str:
    moment = tick.planned_at or tick.at
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
