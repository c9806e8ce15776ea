"""Amounts of money with their cents, in the form and in what was changed; the value itself stays as it was."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stationmaster.console.pages.standing import changes
from stationmaster.console.pages.typed import text_of, value_of
from stationmaster.reviews.database import open_pool
from stationmaster.reviews.model import Field
from tests.stationmaster.console.pages.conftest import Desk
from tests.stationmaster.console.pages.questions import ask_refund
from tests.stationmaster.console.pages.test_without_script import fields
from tests.stationmaster.console.serving import served, settings_for


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("amount_usd", 640.0, "640.00"),
        ("amount_usd", 640, "640.00"),
        ("amount", 12.5, "12.50"),
        ("0.args.amount_usd", -3.1, "-3.10"),
        ("monthly_usd", 1890.0, "1890.00"),
        ("amount_usd", 0.125, "0.125"),
        ("amount_usd", 1e300, "1e+300"),
        ("days", 30.0, "30.0"),
    ],
)
def test_how_an_amount_stands_in_its_field(name: str, value: Any, text: str) -> None:
    assert text_of(Field(name, "Amount", "number", value=value)) == text


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_an_untouched_amount_stays_exactly(value: Any) -> None:
    field = Field("amount_usd", "Amount", "number", value=value)
    kept = value_of(field, text_of(field))
    assert json.dumps(kept) == json.dumps(value)
    assert json.loads(text_of(field)) == value


def test_a_change_is_told_in_money() -> None:
    (change,) = changes({"amount_usd": {"before": 640.0, "after": 600}})
    assert (change.before, change.after) == (((True, "640.00"),), ((True, "600.00"),))


async def test_the_same_amount_written_otherwise_is_no_change(desk: Desk) -> None:
    """Whoever retypes 640 approves as proposed, and the float stays one."""
    review_id = await ask_refund(desk.pool)
    async with await desk.browser_of("ana") as ana:
        sent = fields((await ana.get(f"/reviews/{review_id}")).text, "approve")
        assert sent["field:amount_usd"] == "640.00"
        told = await ana.post(f"/reviews/{review_id}/decide", data={**sent, "field:amount_usd": "640"})
    assert told.status_code == 303
    decided = await desk.review(review_id)
    assert (decided.decision, decided.edits) == ("approve", None)


async def test_the_page_gives_as_long_to_undo_as_the_setting_says(database: str, tmp_path: Path) -> None:
    settings = settings_for(database, tmp_path, undo_s=44.0)
    async with open_pool(database) as pool, served(settings) as url:
        desk = Desk(url, pool)
        review_id = await ask_refund(pool)
        async with await desk.browser_of("ana") as ana:
            sent = fields((await ana.get(f"/reviews/{review_id}")).text, "approve")
            await ana.post(f"/reviews/{review_id}/decide", data=sent)
        decided = await desk.review(review_id)
    assert decided.send_after is not None and decided.decided_at is not None
    assert (decided.send_after - decided.decided_at).total_seconds() == 44
