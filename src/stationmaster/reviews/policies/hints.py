"""What a cron's file says of the reviews of its runs: it makes a policy stricter, never weaker.

The hints come with the run's metadata, which whoever may start runs can write. Pure.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, get_args

from stationmaster.reviews.model import Risk, Stamp
from stationmaster.reviews.policies.durations import parse

RISKS: tuple[Risk, ...] = get_args(Risk)
"""From the lowest up."""


def tightened(stamp: Stamp, hints: Mapping[str, Any], now: datetime) -> Stamp:
    """The stamp, due sooner and of higher risk if the hints say so; what can't be read says nothing."""
    return _riskier(_sooner(stamp, hints.get("due"), now), hints.get("risk"))


def _sooner(stamp: Stamp, due: object, now: datetime) -> Stamp:
    try:
        due_at = now + parse(due)
    except ValueError:
        return stamp
    if stamp.due_at is not None and stamp.due_at <= due_at:
        return stamp
    half = now + (due_at - now) / 2
    return replace(stamp, due_at=due_at, remind_at=min(stamp.remind_at or half, half))


def _riskier(stamp: Stamp, risk: object) -> Stamp:
    if risk not in RISKS or RISKS.index(risk) <= RISKS.index(stamp.risk):
        return stamp
    by_link = {"decide_by_link": False} if risk == "high" else {}  # as a policy of that risk must have it
    return replace(stamp, risk=risk, bulk_allowed=False, policy={**stamp.policy, **by_link})
