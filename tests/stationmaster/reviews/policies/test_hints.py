"""A cron's hints make a policy stricter and never weaker, whoever wrote them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stationmaster.reviews.model import Stamp
from stationmaster.reviews.policies.hints import tightened

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def after(hours: float) -> datetime:
    return NOW + timedelta(hours=hours)


POLICY = Stamp(due_at=after(8), remind_at=after(4), expires_at=after(16), bulk_allowed=True, risk="low",
               policy={"name": "x", "decide_by_link": True})  # fmt: skip


def test_it_is_due_sooner_and_reminded_in_between() -> None:
    stamp = tightened(POLICY, {"due": "2h"}, NOW)
    assert (stamp.due_at, stamp.remind_at, stamp.expires_at) == (after(2), after(1), after(16))
    never = tightened(Stamp(), {"due": "4h"}, NOW)
    assert (never.due_at, never.remind_at) == (after(4), after(2))


def test_a_higher_risk_ends_what_only_low_risk_allows() -> None:
    stamp = tightened(POLICY, {"risk": "normal"}, NOW)
    assert (stamp.risk, stamp.bulk_allowed, stamp.policy["decide_by_link"]) == ("normal", False, True)
    stamp = tightened(POLICY, {"risk": "high"}, NOW)
    assert (stamp.risk, stamp.policy) == ("high", {"name": "x", "decide_by_link": False})


@pytest.mark.parametrize(
    "hints",
    [{}, {"due": "2d"}, {"due": "8h"}, {"due": "soon"}, {"due": 3}, {"due": None}, {"due": "0h"}, {"risk": "low"},
     {"risk": "none"}, {"risk": ["high"]}, {"reviewers": "mine", "bulk": True}],
)  # fmt: skip
def test_nothing_else_has_any_effect(hints: dict[str, Any]) -> None:
    assert tightened(POLICY, hints, NOW) == POLICY
