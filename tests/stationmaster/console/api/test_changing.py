"""What the API takes to change assistants: nothing is taken for what it nearly is."""

from typing import Any

import pytest
from pydantic import ValidationError

from stationmaster.assistants.routes import percent
from stationmaster.console.api.changing import LEAST_SHARE, Begin, Edit

EDIT: dict[str, Any] = {"expect": 1, "reason": "because"}
BEGIN: dict[str, Any] = {"assistant": "support-next", "reason": "because"}


@pytest.mark.parametrize("wrong", [{"context": None}, {"recursion_limit": True}, {"recursion_limit": "7"}])
def test_an_edit_takes_no_other_type_for_a_setting(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        Edit.model_validate(EDIT | wrong)


def test_an_edit_says_what_was_sent_and_nothing_else() -> None:
    assert Edit.model_validate(EDIT).model_fields_set == {"expect", "reason"}
    sent = Edit.model_validate(EDIT | {"context": {}, "recursion_limit": None})
    assert sent.model_fields_set == {"expect", "reason", "context", "recursion_limit"}


@pytest.mark.parametrize("share", ["0.1", True, 0, 1, 1e-9, float("nan"), LEAST_SHARE / 2])
def test_a_share_is_a_number_that_reads_as_more_than_none(share: object) -> None:
    with pytest.raises(ValidationError, match="share"):
        Begin.model_validate(BEGIN | {"share": share})


def test_the_least_share_reads_as_it_is() -> None:
    assert percent(Begin.model_validate(BEGIN | {"share": LEAST_SHARE}).share) == "0.0001%"
