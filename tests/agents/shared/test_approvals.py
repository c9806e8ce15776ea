"""Which answers fit the question about an amount: what is read from them is paid and mailed."""

from typing import Any

import pytest
from pydantic import ValidationError

from agents.shared.approvals import Answer, Approve, Edit, Reject


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ({"action": "approve"}, Approve(action="approve")),
        ({"action": "edit", "amount_usd": 5}, Edit(action="edit", amount_usd=5.0)),
        ({"action": "edit", "reply": " Dear Rosa "}, Edit(action="edit", reply=" Dear Rosa ")),
        ({"action": "reject", "reason": "no"}, Reject(action="reject", reason="no")),
    ],
)
def test_an_answer_that_fits(answer: Any, read: Approve | Edit | Reject) -> None:
    assert Answer.model_validate(answer).root == read


@pytest.mark.parametrize(
    "amount", [True, "12", "1e3", -5, 0, 1e8, 1e308, float("nan"), float("inf"), [5], {"amount": 5}], ids=repr
)
def test_an_amount_is_a_number_that_the_ledger_can_hold_and_nothing_that_resembles_one(amount: Any) -> None:
    with pytest.raises(ValidationError):
        Answer.model_validate({"action": "edit", "amount_usd": amount})


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "edit"},
        {"action": "edit", "reply": " \n\t"},
        {"action": "edit", "reply": "x" * 10_001},
        {"action": "reject"},
        {"action": "reject", "reason": "  "},
        {"action": "approve", "amount_usd": 5},
        {"action": "pay"},
        {"action": ["approve"]},
        {},
        [],
        None,
        True,
        "approve",
    ],
    ids=repr,
)
def test_an_answer_that_does_not_fit_is_refused(answer: Any) -> None:
    with pytest.raises(ValidationError):
        Answer.model_validate(answer)
