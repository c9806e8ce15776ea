"""In Chromium, without a mouse: triage of the list, answers on a page, undo, and what is never caught while typing."""

import re
from datetime import timedelta
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.stationmaster.console.pages.conftest import Desk, Open, ready
from tests.stationmaster.console.pages.questions import ask_refund


async def selected(page: Page) -> str:
    return await page.locator("tr[data-selected] .title").inner_text()


async def three(desk: Desk, **columns: Any) -> list[str]:
    """Three reviews, due one after the other, so listed in this order."""
    return [await ask_refund(desk.pool, n, 10.0 * n, due=timedelta(hours=n), **columns) for n in (1, 2, 3)]


async def test_move_and_open(desk: Desk, open_page: Open):
    await three(desk)
    page = await open_page("/")
    await page.keyboard.press("j")
    assert "order 1?" in await selected(page)
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    assert "order 3?" in await selected(page)
    await page.keyboard.press("k")
    assert "order 2?" in await selected(page)
    assert "order 2?" in await page.evaluate("document.activeElement.textContent")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_contain_text("order 2?")
    await ready(page)
    await page.keyboard.press("i")
    await expect(page).to_have_url(desk.url + "/")


async def test_approve_and_undo_from_the_list(desk: Desk, open_page: Open):
    ids = await three(desk)
    page = await open_page("/")
    await page.keyboard.press("j")
    await page.keyboard.press("a")
    await expect(page.locator(".toast")).to_contain_text("Approved: Refund $10.00")
    await expect(page.locator("tr[data-row]")).to_have_count(2)
    assert "order 2?" in await selected(page)
    first = await desk.review(ids[0])
    assert first.state == "decided" and first.send_after is not None and first.decided_at is not None
    assert timedelta(seconds=5) < first.send_after - first.decided_at < timedelta(seconds=30)
    await page.keyboard.press("u")
    await expect(page.locator(".toast").last).to_contain_text("Undone, nothing was sent")
    await expect(page.locator("tr[data-row]")).to_have_count(3)
    assert (await desk.review(ids[0])).state == "open"


async def test_approve_where_the_page_is_not_secure(desk: Desk, open_page: Open):
    """Over plain http from another machine browsers have no crypto.randomUUID."""
    ids = await three(desk)
    page = await open_page("/")
    await page.evaluate("delete Crypto.prototype.randomUUID")
    assert await page.evaluate("crypto.randomUUID") is None
    await page.keyboard.press("j")
    await page.keyboard.press("a")
    await expect(page.locator(".toast")).to_contain_text("Approved: Refund $10.00")
    assert (await desk.review(ids[0])).state == "decided"


@pytest.mark.parametrize("lacking", ["window.fetch", "Crypto.prototype.getRandomValues"])
async def test_a_row_is_back_when_its_answer_could_not_be_sent(desk: Desk, open_page: Open, lacking: str):
    ids = await three(desk)
    page = await open_page("/")
    await page.evaluate(f"() => {{ {lacking} = undefined; }}")
    await page.keyboard.press("j")
    await page.keyboard.press("a")
    await expect(page.locator(".toast")).to_contain_text(re.compile("^No answer from the console|^Not sent"))
    await expect(page.locator("tr[data-leaving]")).to_have_count(0)
    assert (await desk.review(ids[0])).state == "open"


async def test_the_toast_counts_down_and_its_button_undoes(desk: Desk, open_page: Open):
    ids = await three(desk)
    page = await open_page("/")
    await page.keyboard.press("j")
    await page.keyboard.press("a")
    seconds = page.locator(".toast .seconds")
    await expect(seconds).to_have_text(re.compile(r"^\d s$"))
    shown = await seconds.inner_text()
    await expect(seconds).not_to_have_text(shown)
    assert int((await seconds.inner_text())[0]) < int(shown[0]) <= 8
    await page.locator(".toast").get_by_role("button", name="Undo").click()
    await expect(page.locator("tr[data-row]")).to_have_count(3)
    assert (await desk.review(ids[0])).state == "open"


async def test_reject_from_the_list_asks_why(desk: Desk, open_page: Open):
    ids = await three(desk)
    page = await open_page("/")
    await page.keyboard.press("j")
    await page.keyboard.press("r")
    dialog = page.get_by_role("dialog", name="Reject")
    await expect(dialog).to_contain_text("Refund $10.00 for order 1?")
    await page.keyboard.press("Control+Enter")
    await expect(dialog.get_by_role("alert")).to_contain_text("Say why")
    await page.keyboard.type("jake says no")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator(".toast")).to_contain_text("Rejected: Refund $10.00")
    first = await desk.review(ids[0])
    assert first.decision == "reject" and "jake says no" in (first.reason or "") + str(first.answer)


async def test_claim_and_release_from_the_list(desk: Desk, open_page: Open):
    ids = await three(desk)
    page = await open_page("/")
    await page.keyboard.press("j")
    await page.keyboard.press("c")
    await expect(page.locator("tr[data-row]")).to_have_count(2)
    assert (await desk.review(ids[0])).claimed_by == "ana"
    await page.get_by_role("link", name="Claimed").click()
    await ready(page)
    await page.keyboard.press("j")
    await page.keyboard.press("c")
    await expect(page.get_by_text("You have claimed nothing")).to_be_visible()
    assert (await desk.review(ids[0])).claimed_by is None


async def test_what_is_risky_has_to_be_opened(desk: Desk, open_page: Open):
    ids = await three(desk, risk="high")
    page = await open_page("/")
    await page.keyboard.press("j")
    await page.keyboard.press("a")
    await expect(page.locator(".toast")).to_contain_text("open it to approve")
    assert (await desk.review(ids[0])).state == "open"


async def test_edit_approve_reject_on_the_page(desk: Desk, open_page: Open):
    ids = await three(desk)
    page = await open_page("/")
    await page.keyboard.press("j")
    await page.keyboard.press("e")
    await expect(page.get_by_label("Amount")).to_be_focused()
    await page.keyboard.press("Control+a")
    await page.keyboard.type("9")
    await page.keyboard.type("ar")  # letters are typed, not caught
    await expect(page.get_by_label("Amount")).to_have_value("9ar")
    await page.keyboard.press("Backspace")
    await page.keyboard.press("Backspace")
    await page.keyboard.press("Escape")
    await page.keyboard.press("a")
    await expect(page.locator("#live-standing")).to_contain_text("You approved with changes")
    await ready(page)
    await page.keyboard.press("u")
    await expect(page.locator("#answers")).to_be_visible()
    await ready(page)
    await page.keyboard.press("r")
    await expect(page.locator("[data-destructive] textarea")).to_be_focused()
    await page.keyboard.type("Not ours")
    await page.keyboard.press("Control+Enter")
    await expect(page.locator("#live-standing")).to_contain_text("You rejected")
    await ready(page)
    await page.keyboard.press("n")
    await expect(page.get_by_role("heading", level=1)).to_contain_text("order 2?")
    await ready(page)
    await page.keyboard.press("c")
    await expect(page.get_by_role("button", name="Release")).to_be_visible()
    assert (await desk.review(ids[1])).claimed_by == "ana"


async def test_the_list_of_keys_and_the_search(desk: Desk, open_page: Open):
    await three(desk)
    page = await open_page("/")
    await page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    await expect(dialog).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(dialog).to_be_hidden()
    await page.keyboard.press("/")
    await page.keyboard.type("order")
    await page.keyboard.press("Enter")
    await expect(page).to_have_url(desk.url + "/?q=order")


async def test_tab_reaches_everything_in_order_and_shows_where_it_is(desk: Desk, open_page: Open):
    review_id = await ask_refund(desk.pool)
    page = await open_page(f"/reviews/{review_id}")
    names: list[str] = []
    for _ in range(40):
        await page.keyboard.press("Tab")
        name, outline = await page.evaluate(
            "(() => { const e = document.activeElement; return [e.innerText || e.name || e.id,"
            " getComputedStyle(e).outlineStyle]; })()"
        )
        if not name.strip() or len(name) > 200:
            break  # past the last: the browser itself
        assert outline != "none", name
        names.append(name.strip())
    assert names[0] == "Skip to the content"
    order = [names.index(name) for name in ("Claim", "field:amount_usd", "field:reply", "Approve", "Reject…")]
    assert order == sorted(order)
