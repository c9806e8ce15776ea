"""In Chromium, measured: width of a phone, size of what is touched, contrast in light and dark, labels, landmarks."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

from stationmaster.reviews import decide
from stationmaster.reviews.model import Submission
from tests.stationmaster.console.pages.conftest import BO, PHONE, Desk, Open
from tests.stationmaster.console.pages.questions import EVIL, GROUP, ask, ask_refund, contract

LOOKS = Path(__file__).parent / "looks"
CONTRAST, OBJECTIONS, SMALL, WIDE = (
    (LOOKS / f"{name}.js").read_text().partition("\n")[2]
    for name in ("contrast", "objections", "small", "wide")
)


UNFOLD = "() => document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"


async def everything(desk: Desk) -> list[str]:
    """The main pages, with something of each kind on them."""
    wide = "Donaudampfschifffahrtsgesellschaftskapitän" * 4
    first = await ask_refund(desk.pool, risk="high", two_person=True)
    ids = [
        first, await ask_refund(desk.pool), await ask(desk.pool, contract()), await ask(desk.pool, "Which chairs?"),
        await ask(desk.pool, {"title": wide, "text": wide * 20, "rows": [{wide: wide, "b": wide, "c": 1}] * 3}),
        await ask(desk.pool, {"title": EVIL, "body": EVIL}, node=EVIL, assistant_name=EVIL),
    ]  # fmt: skip
    for state in ("decided", "failed", "superseded"):
        review_id = await ask_refund(desk.pool)
        ids.append(review_id)
        if state == "superseded":
            await desk.change(review_id, state=state, closed_at="now", replaced_by=first)
            continue
        await decide.decide(desk.pool, review_id, BO, Submission("edit", {"amount_usd": 1.5}), undo_s=60)
        if state == "failed":
            await desk.change(review_id, state="sent", sent_at="now")
            await desk.change(review_id, state="failed", ended_at="now", closed_at="now", error=wide)
    await decide.decide(desk.pool, first, BO, Submission("edit", {"amount_usd": 600.0}))
    lists = [
        "/",
        "/?tab=decided",
        "/?tab=closed",
        "/?q=nothing",
        "/history",
        "/audit",
        "/operations",
        "/nowhere",
    ]
    return [*lists, *(f"/reviews/{review_id}" for review_id in ids)]


async def over_all(desk: Desk, open_page: Open, script: str, **options: Any) -> dict[str, Any]:
    """What `script` finds on each page; sign-in among them."""
    await desk.person("bo")
    paths = await everything(desk)
    page = await open_page("/", name="lea", role="admin", groups=("*", GROUP), **options)
    found: dict[str, Any] = {}
    for path in paths:
        await page.goto(desk.url + path)
        await page.evaluate(UNFOLD)
        if result := await page.evaluate(script):
            found[path] = result
    await page.context.clear_cookies()
    await page.goto(desk.url + "/sign-in")
    if result := await page.evaluate(script):
        found["/sign-in"] = result
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_contrast(desk: Desk, open_page: Open, scheme: str):
    assert await over_all(desk, open_page, CONTRAST, color_scheme=scheme) == {}


async def test_names_landmarks_headings(desk: Desk, open_page: Open):
    assert await over_all(desk, open_page, OBJECTIONS) == {}


async def test_a_phone_is_wide_enough(desk: Desk, open_page: Open):
    # Not `innerWidth`: a phone's grows with a page that is too wide.
    wider = (
        "() => { const wide = document.documentElement.scrollWidth; return wide > screen.width ? wide : 0 }"
    )
    assert await over_all(desk, open_page, wider, viewport=PHONE, is_mobile=True, has_touch=True) == {}


async def test_what_is_touched_is_large_enough(desk: Desk, open_page: Open):
    assert await over_all(desk, open_page, SMALL, viewport=PHONE, is_mobile=True, has_touch=True) == {}


async def buttons_and_fields(page: Page) -> list[float]:
    script = "(all) => all.filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect().height)"
    return await page.locator("main button, main select, main input:not([type=hidden])").evaluate_all(script)


async def test_buttons_and_fields_fit_a_thumb(desk: Desk, open_page: Open):
    review_id = await ask_refund(desk.pool)
    page = await open_page(f"/reviews/{review_id}", viewport=PHONE, is_mobile=True, has_touch=True)
    assert min(await buttons_and_fields(page)) >= 44


async def test_destructive_is_never_beside_primary(desk: Desk, open_page: Open):
    review_id = await ask_refund(desk.pool)
    page = await open_page(f"/reviews/{review_id}")
    await page.get_by_text("Reject…").click()
    primary = await page.locator("#answer-main [data-primary]").bounding_box()
    danger = await page.locator("button.danger").bounding_box()
    assert primary is not None and danger is not None
    assert danger["y"] - (primary["y"] + primary["height"]) > 60


async def test_the_customers_words_are_in_sight_and_the_evidence_scrolls_with_the_page(
    desk: Desk, open_page: Open
):
    page = await open_page(f"/reviews/{await ask_refund(desk.pool)}")
    said = await page.get_by_text("The pump is dead after 19 days").first.bounding_box()
    assert said is not None and said["y"] < 400
    cut = "(column) => column.scrollHeight > column.clientHeight"
    assert not await page.locator(".evidence").evaluate(cut)


async def test_payloads_run_nothing(desk: Desk, open_page: Open):
    """In every field that a payload, a person or a graph can fill."""
    payload = {
        "title": EVIL, "body": EVIL, EVIL: EVIL, "list": [{"a": EVIL, "b": 1}] * 2,
        "messages": [{"type": "ai", "content": EVIL, "tool_calls": [{"name": EVIL, "args": {EVIL: EVIL}}]}],
    }  # fmt: skip
    fields = {
        "choice": {"enum": [EVIL, "b"]},
        "text": {"type": "string", "default": EVIL, "description": EVIL},
    }
    schema = {"type": "object", "properties": fields, "title": EVIL}
    columns: dict[str, Any] = {
        "node": EVIL,
        "assistant_name": EVIL,
        "graph": EVIL,
        "claimed_by": "ana",
        "claimed_at": "now",
        "note": EVIL,
    }
    review_id = await ask(desk.pool, payload, schema, **columns)
    page = await open_page("/?tab=claimed", role="admin", groups=("*",))
    await decide.comment(desk.pool, review_id, await _identity(), EVIL)
    for path in (
        "/?tab=claimed",
        f"/reviews/{review_id}",
        "/audit",
        "/history?q=" + EVIL,
        "/?graph=" + EVIL,
        "/?q=" + EVIL,
    ):
        await page.goto(desk.url + path)
        await page.evaluate(UNFOLD)
        assert await page.evaluate(
            "window.pwned === undefined && !document.querySelector('main img, main script')"
        )
    await page.goto(f"{desk.url}/reviews/{review_id}")
    for text in await page.locator("#answers input:not([type=hidden]), #answers textarea").all():
        if await text.is_visible():
            await text.fill(EVIL + " more")
    assert await page.evaluate(
        "window.pwned === undefined && !document.querySelector('main img, main script')"
    )
    await page.evaluate("onbeforeunload = null")


async def _identity() -> Any:
    from stationmaster.reviews.access.identity import Identity

    return Identity("ana", frozenset({"*"}), frozenset({"admin"}), "session:test")
