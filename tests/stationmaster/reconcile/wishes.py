"""Two assistants and two crons to wish for, and what tests of plans on a real server ask of it."""

from typing import Any

from stationmaster.reconcile.carrying_out import Outcome
from stationmaster.reconcile.diff import Actual, Desired
from stationmaster.reconcile.fields import served as fields_of
from stationmaster.reconcile.plan import Plan
from stationmaster.reconcile.reconciling import Wish, apply
from stationmaster.reconcile.resources import Assistant, Cron, Signature
from tests.stationmaster.reconcile.conftest import Served

BY = Signature("ana", "test", "because")
A = Assistant(
    "a", "support", "What it does", {"tone": "formal", "approval_threshold_usd": 500.0, "system_prompt": "Be kind.\n"},
    30, ("x", "y"), {"team": "shop", "cost": {"center": 7}}, live=True,
)  # fmt: skip
K = Cron(
    "k", "a", "0 9 * * 1-5", "Europe/London", {"ticket_id": "t", "messages": []}, "fresh", "skip", "once", 14,
    enabled=True, review={"due": "4h"},
)  # fmt: skip
DESIRED = Desired(
    (A, Assistant("b", "support")), (K, Cron("l", "a", "0 3 * * *", thread="nightly", enabled=False))
)


async def applied(served: Served, wish: Wish | Desired, by: Signature = BY) -> list[Outcome]:
    """All outcomes of an apply that is expected to succeed."""
    wish = wish if isinstance(wish, Wish) else Wish(wish)
    outcomes = [outcome async for outcome in apply(wish, served.gateway, by)]
    assert [outcome.detail for outcome in outcomes if outcome.status != "done"] == []
    return outcomes


async def actual(served: Served) -> Actual:
    return Actual(await served.gateway.assistants(), await served.gateway.crons())


async def fields(served: Served) -> dict[str, dict[str, Any]]:
    """What the server has of every owned thing, field by field."""
    has = await actual(served)
    rows = [each for each in (*has.assistants, *has.crons) if each.owned]
    return {f"{type(each).__name__} {each.name}": fields_of(each) for each in rows}


def told(made: Plan) -> list[tuple[str, str, list[str]]]:
    return [(change.name, change.action, [each.field for each in change.fields]) for change in made.changes]
