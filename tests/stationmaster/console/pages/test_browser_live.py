"""In Chromium: what other processes do shows by itself, with events and without; and how the page says which."""

import asyncio
import sys

from playwright.async_api import expect

from stationmaster.reviews import decide
from stationmaster.reviews.model import Submission
from tests.stationmaster.console.pages.conftest import BO, Desk, Open
from tests.stationmaster.console.pages.questions import ask_refund


async def open_elsewhere(database: str, order: int) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.stationmaster.console.pages.opener", database, str(order)
    )
    assert await process.wait() == 0


async def test_another_process_opens_a_review(desk: Desk, database: str, open_page: Open):
    await ask_refund(desk.pool, 1)
    page = await open_page("/")
    await expect(page.locator("#live-state")).to_have_text("Live")
    await page.keyboard.press("j")
    await open_elsewhere(database, 2)
    await expect(page.locator("tr[data-row]")).to_have_count(2)
    await expect(page.locator("[data-tab=needs_you] .count")).to_have_text("2")
    assert "(2)" in await page.title()
    assert "order 1?" in await page.locator("tr[data-selected]").inner_text()
    assert "order 1?" in await page.evaluate("document.activeElement.textContent")


async def test_without_events_the_page_asks_by_itself(desk: Desk, database: str, open_page: Open):
    page = await open_page("/history")
    await page.route("**/api/v1/events*", lambda route: route.abort())
    await page.goto(desk.url + "/")
    await expect(page.locator("#live-state")).to_have_text("Every 5 s")
    await open_elsewhere(database, 2)
    await expect(page.locator("tr[data-row]")).to_have_count(1)


async def test_the_bar_goes_on_by_itself(desk: Desk, open_page: Open):
    review_id = await ask_refund(desk.pool)
    await desk.person("bo")
    await decide.decide(desk.pool, review_id, BO, Submission("approve"), undo_s=0)
    page = await open_page(f"/reviews/{review_id}")
    steps = page.locator(".steps li")
    await expect(steps.nth(1)).to_contain_text("waiting to leave")
    await desk.change(review_id, state="sent", sent_at="now")
    await desk.change(review_id, state="consumed", consumed_at="now", resume_run_id="run-1")
    await decide.comment(desk.pool, review_id, BO, "done")  # any entry of the audit wakes the consoles
    await expect(steps.nth(2)).to_have_attribute("data-step", "done")
    result = page.locator("#result")  # fetched, without a reload
    await expect(result).to_contain_text("no Agent Server answers")
    await expect(steps.nth(3)).to_contain_text("the run goes on")
    await desk.change(
        review_id, state="failed", ended_at="now", closed_at="now", error="The payment was refused"
    )
    await decide.comment(desk.pool, review_id, BO, "failed")
    await expect(steps.nth(3)).to_contain_text("Failed")
    await expect(page.locator("#live-standing")).to_contain_text("The payment was refused")
    await expect(result).to_contain_text("no Agent Server answers")


async def test_a_session_that_ended_says_so(desk: Desk, open_page: Open):
    from stationmaster.reviews.access import sessions

    await ask_refund(desk.pool)
    page = await open_page("/")
    await expect(page.locator("#live-state")).to_have_text("Live")
    await sessions.end_all(desk.pool, "ana")
    await expect(page.locator("#live-state")).to_contain_text("Signed out: sign in")
