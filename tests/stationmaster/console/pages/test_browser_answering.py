"""In Chromium: from the list to an answer and back, what was changed, double clicks, two tabs, the back button."""

import re

from playwright.async_api import Page, expect

from stationmaster.reviews import decide
from stationmaster.reviews.model import Submission
from tests.stationmaster.console.pages.conftest import BO, Desk, Open
from tests.stationmaster.console.pages.questions import ask, ask_refund, contract


async def decisions(desk: Desk) -> int:
    async with desk.pool.connection() as conn:
        row = await (
            await conn.execute("SELECT count(*) AS n FROM reviews.audit WHERE action = 'decided'")
        ).fetchone()
    assert row is not None
    return row["n"]


async def test_walk_through(desk: Desk, open_page: Open):
    """Sign in by password, open, read, approve, undo, reject with a reason, see what became of it, sign out."""
    from stationmaster.reviews.access import users

    review_id = await ask_refund(desk.pool)
    page = await open_page("/history")
    await users.add(
        desk.pool, "carla", roles=["reviewer"], groups=["refunds"], password="correct horse battery"
    )
    await page.get_by_role("button", name="Sign out").click()
    await page.get_by_label("Name").fill("carla")
    await page.get_by_label("Password").fill("wrong horse battery")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_contain_text("don't go together")
    assert await page.get_by_label("Name").input_value() == "carla"
    await page.get_by_label("Password").fill("correct horse battery")
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("link", name="Refund $640.00 for order 88123?").click()
    await expect(page.get_by_role("complementary")).to_contain_text("Espresso machine")
    await page.get_by_role("button", name="Approve", exact=True).click()
    await expect(page.locator("#live-standing")).to_contain_text("You approved")
    await page.get_by_role("button", name="Undo").click()
    await page.get_by_text("Reject…").click()
    await page.locator("[data-destructive] textarea").fill("The photos show no damage.")
    await page.locator("[data-destructive]").get_by_role("button").click()
    await expect(page.locator("#live-standing")).to_contain_text("You rejected")
    await page.get_by_role("link", name="Needs you").click()
    await expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    await page.get_by_role("link", name="Decided").click()
    await expect(page.get_by_role("row").nth(1)).to_contain_text("rejected")
    await page.get_by_role("button", name="Sign out").click()
    await expect(page).to_have_url(re.compile("/sign-in"))
    assert (await desk.review(review_id)).decided_by == "carla"


async def test_the_diff_and_the_primary_button(desk: Desk, open_page: Open):
    review_id = await ask_refund(desk.pool)
    page = await open_page(f"/reviews/{review_id}")
    primary = page.locator("#answer-main [data-primary]")
    await expect(primary).to_have_text("Approve")
    amount, reply = page.get_by_label("Amount"), page.get_by_label("Reply")
    await amount.fill("600")
    await reply.fill((await reply.input_value()).replace("$640.00", "$600.00"))
    await expect(primary).to_have_text("Approve with changes")
    changes = page.locator("[data-changes]")
    assert await changes.locator("del").all_text_contents() == ["640.00", "$640.00."]
    assert await changes.locator("ins").all_text_contents() == ["600", "$600.00."]
    await page.get_by_role("button", name="Reset").click()
    await expect(primary).to_have_text("Approve")
    await expect(changes).to_be_hidden()
    await amount.fill("600.50")
    await primary.click()
    await expect(page.locator(".diff")).to_contain_text("600.5")
    decided = await desk.review(review_id)
    assert decided.decision == "edit" and decided.answer["amount_usd"] == 600.5


async def test_what_does_not_fit_is_told_before_it_is_sent(desk: Desk, open_page: Open):
    review_id = await ask(desk.pool, contract())
    page = await open_page(f"/reviews/{review_id}")
    await page.get_by_label("Terms").fill('{"notice_days": ')
    await expect(page.locator("[data-field=terms] [data-checked]")).to_contain_text("is no JSON")
    await page.get_by_label("Months").fill("twelve")
    await expect(page.locator("[data-field=months] [data-checked]")).to_contain_text("is no number")
    await page.locator("#answer-main [data-primary]").click()
    await page.get_by_label("Terms").fill('{"notice_days": 60}')
    await page.get_by_label("Months").fill("24")
    await page.get_by_label("Auto renew").select_option("yes")
    await page.locator("#answer-main [data-primary]").click()
    await expect(page.locator("#live-standing")).to_contain_text("You approved with changes")
    args = (await desk.review(review_id)).answer[0]["args"]["args"]
    assert args["terms"] == {"notice_days": 60} and args["months"] == 24 and args["auto_renew"] is True
    assert args["monthly_usd"] == 1890.0 and args["clauses"] == ["payment"]


async def test_after_a_refusal_the_proposal_is_still_what_changes_are_told_from(desk: Desk, open_page: Open):
    """The page then holds what was typed: it must not be taken for the proposal."""
    review_id = await ask_refund(desk.pool)
    page = await open_page(f"/reviews/{review_id}")
    await page.get_by_label("Amount").fill("-5")
    await page.locator("#answer-main [data-primary]").click()
    await expect(page.get_by_role("alert").first).to_contain_text("does not fit")
    await expect(page.locator("#answer-main [data-primary]")).to_have_text("Approve with changes")
    assert await page.get_by_label("Amount").input_value() == "-5"
    await page.get_by_role("button", name="Reset").click()
    await expect(page.get_by_label("Amount")).to_have_value("640.00")
    await page.locator("#answer-main [data-primary]").click()
    await expect(page.locator("#live-standing")).to_contain_text("You approved")
    assert (await desk.review(review_id)).answer == {"action": "approve"}


async def test_a_double_click_is_one_decision(desk: Desk, open_page: Open):
    review_id = await ask_refund(desk.pool)
    page = await open_page(f"/reviews/{review_id}")
    await page.locator("#answer-main [data-primary]").dblclick()
    await expect(page.locator("#live-standing")).to_contain_text("You approved")
    assert await decisions(desk) == 1


async def test_the_back_button_answers_nothing_twice(desk: Desk, open_page: Open):
    review_id = await ask_refund(desk.pool)
    page = await open_page("/?q=refund")
    await page.get_by_role("link", name="Refund $640.00").click()
    await page.locator("#answer-main [data-primary]").click()
    await expect(page.locator("#live-standing")).to_contain_text("You approved")
    await page.go_back()
    await page.wait_for_load_state()
    press_if_there_and_enabled = "document.querySelector('#answer-main [data-primary]')?.click()"
    await page.evaluate(press_if_there_and_enabled)
    await expect(page.locator("#live-standing")).to_contain_text("You approved")
    assert await decisions(desk) == 1 and (await desk.review(review_id)).decision == "approve"


async def test_the_way_back_keeps_the_filters(desk: Desk, open_page: Open):
    await ask_refund(desk.pool)
    page = await open_page("/?q=refund&min=100")
    await page.get_by_role("link", name="Refund $640.00").click()
    await page.locator("#answer-main [data-primary]").click()
    await expect(page.locator("#live-standing")).to_contain_text("You approved")
    await page.get_by_role("link", name="Needs you").click()
    await expect(page).to_have_url(re.compile(r"/\?q=refund&min=100$"))


async def answer_in(page: Page) -> None:
    await page.locator("#answer-main [data-primary]").click()


async def cut_off(page: Page) -> None:
    """Opened again, and from then on the page hears of nothing: neither by events nor by asking."""
    await page.route("**/api/v1/events*", lambda route: route.abort())
    await page.reload()
    await page.evaluate("() => { window.fetch = () => Promise.reject(new Error('cut')); }")


async def test_two_tabs(desk: Desk, open_page: Open):
    """The second tab is told by the first one's answer at once; its buttons send nothing any more."""
    review_id = await ask_refund(desk.pool)
    first = await open_page(f"/reviews/{review_id}")
    second = await open_page(f"/reviews/{review_id}")
    await second.get_by_label("Reply").fill("Half a sentence")
    await expect(second.locator("#live-state")).to_have_text("Live")
    await answer_in(first)
    await expect(second.locator("#live-standing")).to_contain_text("You approved")
    await expect(second.locator("#answer-main [data-primary]")).to_be_disabled()
    assert await second.get_by_label("Reply").input_value() == "Half a sentence"
    assert await decisions(desk) == 1


async def test_a_stale_card(desk: Desk, open_page: Open):
    """Somebody answers while the page has lost its connection: who, when and what, and nothing typed is lost."""
    review_id = await ask_refund(desk.pool)
    page = await open_page(f"/reviews/{review_id}")
    await cut_off(page)
    await page.get_by_label("Reply").fill("My own words")
    await desk.person("bo")
    await decide.decide(desk.pool, review_id, BO, Submission("reject", {"reason": "No damage."}))
    await answer_in(page)
    await expect(page.get_by_role("alert").first).to_contain_text("bo has already answered this")
    await expect(page.locator("#live-standing")).to_contain_text("bo rejected")
    await expect(page.locator(".kept")).to_contain_text("My own words")
    assert (await desk.review(review_id)).decided_by == "bo"


async def test_a_card_that_was_replaced_leads_to_the_new_question(desk: Desk, open_page: Open):
    """The page shows it by itself; one that could not hear of it says so when it is answered."""
    old, new = await ask_refund(desk.pool, 1), await ask_refund(desk.pool, 2)
    heard, deaf = await open_page(f"/reviews/{old}"), await open_page(f"/reviews/{old}")
    await cut_off(deaf)
    await desk.person("bo")
    await expect(heard.locator("#live-state")).to_have_text("Live")
    await desk.change(old, state="superseded", closed_at="now", replaced_by=new)
    await decide.comment(desk.pool, old, BO, "asked anew")  # any entry of the audit wakes the consoles
    await expect(heard.locator("#answer-main [data-primary]")).to_be_disabled()
    await answer_in(deaf)
    await expect(deaf.get_by_role("alert").first).to_contain_text("no longer asked")
    for page in heard, deaf:
        await page.get_by_role("link", name="Open the new question").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("order 2?")
    assert (await desk.review(new)).state == "open"
