"""An answer that can't be delivered, on its page and on the operators', by the API, and in a terminal of 80 columns."""

import asyncio
import json
from typing import Any

import pytest
from typer.testing import CliRunner

from stationmaster.cli.reviews import app
from stationmaster.console.pages.words import sentence
from stationmaster.reviews import decide, store
from stationmaster.reviews.access import tokens
from stationmaster.reviews.model import Submission
from tests.stationmaster.console.pages.conftest import BO, Desk
from tests.stationmaster.console.pages.questions import ask_refund

WHY = "the graph support is gone: bring it back in langgraph.json, or send the answer with another assistant"


async def undelivered(desk: Desk, *, gave_up: bool = False, another: bool = False) -> str:
    """An approval that was tried twice; `gave_up`: for a day; `another`: of the same person."""
    if not another:
        await desk.person("bo")
    review_id = await ask_refund(desk.pool)
    await decide.decide(desk.pool, review_id, BO, Submission("approve"), undo_s=0)
    async with desk.pool.connection() as conn:
        await conn.execute(
            """update reviews.reviews set delivery_error = %(why)s, delivery_tries = 2, needs_person = %(over)s,
                failing_since = now() - interval '3 min', next_look_at = now() + interval '4 min 30 s',
                gave_up_at = case when %(over)s then now() end where id = %(id)s""",
            {"why": WHY, "over": gave_up, "id": review_id},
        )
    return review_id


async def test_a_reviewer_reads_why_and_what_comes_next(desk: Desk) -> None:
    review_id = await undelivered(desk)
    async with await desk.browser_of("ana") as ana:
        page = (await ana.get(f"/reviews/{review_id}")).text
        assert "The answer could not be delivered" in page and sentence(WHY) in page
        assert "is tried again in 4 min (so far tried 2 times in 3 min)" in page
        assert "A lead can have it tried again" in page and 'value="retry"' not in page
        assert "Not delivered" in (await ana.get("/?tab=decided")).text


async def test_a_lead_has_it_tried_again_on_the_page(desk: Desk) -> None:
    review_id = await undelivered(desk, gave_up=True)
    async with await desk.browser_of("lea", role="lead") as lea:
        page = (await lea.get(f"/reviews/{review_id}")).text
        assert "tried no more by itself" in page and "Try again now" in page and "Send with it" in page
        listed = (await lea.get("/operations")).text
        assert sentence(WHY) in listed and "Tried 2 times, and no more by itself." in listed
        told = await lea.post(f"/reviews/{review_id}/settle", data={"action": "retry", "from": "review"})
        assert (told.status_code, told.headers["location"]) == (303, f"/reviews/{review_id}")
        assert "is tried again in a moment." in (await lea.get(f"/reviews/{review_id}")).text
        assert "Tried again " in (await lea.get("/operations")).text
    after = await desk.review(review_id)
    assert (after.gave_up_at, after.needs_person, after.delivery_tries) == (None, False, 0)


async def test_a_lead_closes_it_with_a_reason(desk: Desk) -> None:
    review_id = await undelivered(desk)
    async with await desk.browser_of("lea", role="lead") as lea:
        for note in ("", "refunded by hand"):
            await lea.post(f"/reviews/{review_id}/settle", data={"action": "give_up", "note": note})
        page = (await lea.get(f"/reviews/{review_id}")).text
        assert "Refunded by hand." in page and "could not be delivered</p>" not in page
    after = await desk.review(review_id)
    assert (after.state, after.decision, after.decided_by) == ("failed", "approve", "bo")


@pytest.mark.parametrize("assistant", [None, "nobody"])
async def test_by_the_api(desk: Desk, assistant: str | None) -> None:
    """With another assistant the Agent Server is asked; none answers here, and nothing has changed then."""
    review_id = await undelivered(desk)
    async with await desk.browser_of("lea", role="lead") as lea:
        (listed,) = (await lea.get("/api/v1/operations/stuck")).json()
        assert (listed["why"], listed["action"], listed["delivery_tries"]) == (WHY, "retry", 2)
        body = {"action": "retry", "note": "mended", "assistant": assistant}
        told = await lea.post(f"/api/v1/operations/reviews/{review_id}/settle", json=body)
        assert told.status_code == (502 if assistant else 200)
    assert (await desk.review(review_id)).delivery_tries == (2 if assistant else 0)


async def test_in_a_terminal(desk: Desk) -> None:
    review_id = await undelivered(desk)
    await desk.person("lea", role="lead")
    token, _ = await tokens.create(desk.pool, "lea", "test")

    async def reviews(*arguments: str) -> Any:
        """In a thread of its own: a command runs its own loop."""
        everything = [*arguments, "--console-url", desk.url]
        env = {"STATIONMASTER_CONSOLE_TOKEN": token, "COLUMNS": "80"}
        return await asyncio.to_thread(CliRunner().invoke, app, everything, env=env)

    for command in (["stuck"], ["show", review_id[:8]]):
        told = (await reviews(*command)).stdout
        assert max(map(len, told.splitlines())) <= 80
        assert "not delivered" in told and "in 4 min" in told and "stationmaster reviews retry" in told
        assert "bring it back in langgraph.json" in " ".join(told.split())
    nothing_named = await reviews("retry")
    assert nothing_named.exit_code == 2 and "reviews stuck" in nothing_named.stderr
    assert json.loads((await reviews("retry", "--all", "--json")).stdout)[0]["delivery_tries"] == 0
    assert (await reviews("retry", review_id[:8])).exit_code == 0
    assert "0 times" not in (await reviews("show", review_id[:8])).stdout
    taken_over = await reviews("retry", "--all", "--assistant", "other")
    assert taken_over.exit_code == 2 and "name the reviews" in taken_over.stderr
    await desk.change(review_id, delivery_error=None, failing_since=None)
    other = await undelivered(desk, another=True)
    refused = await reviews("retry", review_id, other, "--json")
    assert (refused.exit_code, refused.stderr.startswith(f"refused: {review_id[:8]}: ")) == (3, True)
    assert [(one["id"], one["delivery_tries"]) for one in json.loads(refused.stdout)] == [(other, 0)]
    await desk.change(other, delivery_error=None, failing_since=None)
    assert (await reviews("retry", "--all")).stdout.startswith("none: ")


async def test_of_many_the_newest_are_listed_and_it_says_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for another in (False, True):
        await undelivered(desk, another=another)
    monkeypatch.setattr(store, "STUCK_LISTED", 2)
    async with await desk.browser_of("lea", role="lead") as lea:
        assert len((await lea.get("/api/v1/operations/stuck?limit=1")).json()) == 1
        assert (await lea.get("/api/v1/operations/stuck?limit=0")).status_code == 422
        assert "The newest 2 are listed." in (await lea.get("/operations")).text
