"""What the service notes reads as sentences on a page, each once."""

import pytest

from stationmaster.console.pages.words import sentence
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
