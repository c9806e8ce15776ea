"""What the service notes reads as sentences on a page, each once."""

from dataclasses import replace
from typing import Any

import pytest

from stationmaster.console.pages.words import answerer, sentence
from tests.stationmaster.console.pages.conftest import Desk
from tests.stationmaster.console.pages.questions import ask_refund


@pytest.mark.parametrize(
    ("noted", "said"),
    [("its run ended", "Its run ended."), ("Why?", "Why?"), ("", ""), ("Done.", "Done."), ("42", "42.")],
)
def test_a_note_is_a_sentence(noted: str, said: str) -> None:
    assert sentence(noted) == said


async def test_why_a_question_is_stale_is_said_once(desk: Desk) -> None:
    review_id, newer = await ask_refund(desk.pool), await ask_refund(desk.pool)
    note = "new input replaced the question"
    await desk.change(review_id, state="superseded", closed_at="now", note=note, replaced_by=newer)
    async with await desk.browser_of("ana") as ana:
        page = (await ana.get(f"/reviews/{review_id}")).text
    assert page.count("New input replaced the question.") == 1 and note not in page


@pytest.mark.parametrize(
    ("became", "said"),
    [
        ({"state": "answered_elsewhere"}, "somebody elsewhere"), ({"state": "superseded"}, "nobody"),
        ({"state": "finished", "decided_by": "ana"}, "you"), ({"state": "finished", "decided_by": "bo"}, "bo"),
    ],
)  # fmt: skip
async def test_who_answered_a_question(desk: Desk, became: dict[str, Any], said: str) -> None:
    asked = await desk.review(await ask_refund(desk.pool))
    assert answerer(replace(asked, **became), "ana") == said
