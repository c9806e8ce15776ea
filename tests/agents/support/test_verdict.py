"""Decisions about money, on hand-made orders and policies."""

from typing import Any

import pytest

from agents.support import verdict
from agents.support.state import Decision, Outcome
from tests.agents.support.builders import decision, order, policy, state


def assess(**changes: Any) -> tuple[Decision, Outcome]:
    known = {"intent": "refund", "order_id": "88123", "order": order(), "policy": policy()}
    return verdict.assess(state(**(known | changes)), threshold_usd=500.0)


def test_a_refund_above_the_threshold_needs_a_person() -> None:
    found, outcome = assess()
    assert outcome == "refund_proposed"
    assert found["status"] == "proposed"
    assert found["amount_usd"] == 640.0
    assert found.get("needs_approval") is True


def test_a_refund_at_the_threshold_does_not() -> None:
    found, _ = assess(order=order(paid_usd=500.0, refundable_usd=500.0))
    assert found.get("needs_approval") is False


def test_only_what_is_left_to_refund_is_proposed() -> None:
    found, _ = assess(order=order(refunded_usd=600.0, refundable_usd=40.0))
    assert found["amount_usd"] == 40.0


def test_what_a_person_cut_off_is_not_paid_for_asking_again() -> None:
    """$600 of $640 were approved: the $40 are below the threshold, and wait all the same."""
    found, outcome = assess(order=order(refunded_usd=600.0, refundable_usd=40.0))
    assert outcome == "refund_proposed"
    assert found.get("needs_approval") is True
    assert "$600.00 of $640.00 went back before" in found["why"]


def test_what_was_just_asked_of_the_payment_provider_counts_as_gone() -> None:
    found, _ = assess(order=order(paid_usd=100.0, refundable_usd=60.0))
    assert found.get("needs_approval") is True


def test_a_share_is_rounded_to_cents() -> None:
    found, _ = assess(order=order(paid_usd=33.33, refundable_usd=33.33), policy=policy(refund_share=0.85))
    assert found["amount_usd"] == 28.33


@pytest.mark.parametrize(
    ("changes", "outcome", "why"),
    [
        ({"order_id": None, "order": None}, "order_number_missing", ""),
        ({"order": None}, "order_not_found", ""),
        ({"order": order(refunded_usd=640.0, refundable_usd=0.0)}, "refund_declined", "refunded already"),
        ({"order": order(paid_usd=0.0, refundable_usd=0.0)}, "refund_declined", "nothing was paid"),
        ({"order": order(refundable_usd=0.0)}, "refund_declined", "under way already"),
        ({"order": order(days_since_delivery=31)}, "refund_declined", "31 days ago and the limit"),
        (
            {"policy": policy(refund_share=0.0, text="No refunds on this.")},
            "refund_declined",
            "No refunds on this.",
        ),
        (
            {"order": order(status="pending", delivered_on=None, days_since_delivery=None)},
            "refund_declined",
            "not been delivered yet",
        ),
    ],
)
def test_what_policy_does_not_allow_is_declined_with_the_reason(
    changes: dict[str, Any], outcome: Outcome, why: str
) -> None:
    found, came_to = assess(**changes)
    assert came_to == outcome
    assert found["amount_usd"] == 0.0
    assert found["status"] in ("none", "declined")
    assert why in found["why"]


@pytest.mark.parametrize(
    "changes",
    [
        {"order": order(days_since_delivery=30)},
        {"order": order(status="cancelled", days_since_delivery=400)},
        {
            "order": order(status="processed", delivered_on=None, days_since_delivery=None),
            "policy": policy(reason="late", window_days=60),
        },
    ],
)
def test_what_policy_allows_is_proposed(changes: dict[str, Any]) -> None:
    assert assess(**changes)[0]["status"] == "proposed"


@pytest.mark.parametrize(
    ("intent", "articles", "outcome"),
    [
        ("complaint", [], "complaint"),
        ("human", [], "human"),
        ("order_change", [], "order_change"),
        ("question", [], "no_article"),
        ("question", [{"article_id": "a", "title": "t", "excerpt": "e", "score": 1.0}], "answered"),
    ],
)
def test_requests_without_money(intent: str, articles: list[Any], outcome: Outcome) -> None:
    found, came_to = assess(intent=intent, articles=articles)
    assert came_to == outcome
    assert found["status"] == "none"


@pytest.mark.parametrize(
    ("amount", "error"),
    [(640.0, None), (0.01, None), (640.01, "more than the $640.00"), (10.005, "more than two decimals")],
)
def test_a_typed_amount_must_fit_the_order(amount: float, error: str | None) -> None:
    found = verdict.edit_error(amount, 640.0)
    assert found is None if error is None else error in (found or "")


def test_facts_say_a_refund_is_proposed_and_nothing_is_taken_from_messages() -> None:
    known = state(
        intent="refund",
        order_id="88123",
        order=order(),
        policy=policy(),
        decision=decision(),
        outcome="refund_proposed",
    )
    facts = verdict.facts(known, tone="brief", desk="desk@shop.example")
    assert facts["outcome"] == "refund_proposed"
    assert facts["amount_usd"] == 640.0
    assert "arrived broken" not in str(facts)
