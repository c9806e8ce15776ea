"""In Chromium: what is not saved is marked, a trial streams, two presses promote; and how the pages look, measured."""

import asyncio
import re
from dataclasses import replace
from typing import Any

from playwright.async_api import Page, expect

from stationmaster.assistants import canaries
from stationmaster.reconcile.resources import Signature
from tests.stationmaster.console.pages.conftest import PHONE, ready
from tests.stationmaster.console.pages.questions import EVIL
from tests.stationmaster.console.pages.served.conftest import Open, Served
from tests.stationmaster.console.pages.served.test_crons import scheduled, ticks
from tests.stationmaster.console.pages.test_browser_looks import CONTRAST, OBJECTIONS, SMALL, UNFOLD, WIDE

LONG = "Donaudampfschifffahrtsgesellschaftskapitän" * 4


def setting(page: Page, name: str) -> Any:
    return page.locator(f"[name='field:context.{name}']")


async def test_what_is_not_saved_is_marked_and_leaving_asks(place: Served, open_page: Open):
    made = await place.made()
    page = await open_page(f"/assistants/{made.known_as}")
    said = page.locator("[data-count]")
    await expect(said).to_have_text("")
    await setting(page, "tone").select_option("brief")
    await setting(page, "max_turns").fill("7")
    await expect(said).to_have_text("2 settings are not saved")
    await expect(page.locator(".setting.changed")).to_have_count(2)
    await setting(page, "approval_threshold_usd").fill("500")  # the same number
    await expect(said).to_have_text("2 settings are not saved")
    await setting(page, "temperature").fill("9")
    await expect(page.get_by_text("is out of range: write 2 or less")).to_be_visible()
    asked: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def stay(dialog: Any) -> None:
        await dialog.dismiss()
        asked.set_result(dialog.type)

    page.on("dialog", stay)
    await page.evaluate("location.href = '/'")
    assert await asyncio.wait_for(asked, 30) == "beforeunload"
    assert made.known_as in page.url
    await page.get_by_role("button", name="Undo all").click()
    await expect(said).to_have_text("")
    await expect(page.locator(".setting.changed")).to_have_count(0)


async def test_tools_are_ticked_and_a_role_gets_a_model_of_its_own(place: Served, open_page: Open):
    """What the graph enables by default is ticked; what is not counts as one setting, and is undone with the rest."""
    made = await place.made()
    page = await open_page(f"/assistants/{made.known_as}")
    said, tools = page.locator("[data-count]"), page.get_by_role("group", name="Enabled tools")
    await expect(tools.get_by_role("checkbox", checked=True)).to_have_count(3)
    await tools.get_by_label("refund").uncheck()
    await tools.get_by_label("search_kb").uncheck()
    await page.get_by_label("Models: Draft").fill("openai:gpt-4.1")
    await page.get_by_label("Flags: Acknowledge").select_option("no")
    await expect(said).to_have_text("3 settings are not saved")
    await page.get_by_role("button", name="Undo all").click()
    await expect(said).to_have_text("")
    await expect(tools.get_by_role("checkbox", checked=True)).to_have_count(3)
    await tools.get_by_label("refund").uncheck()
    await page.get_by_label("Models: Draft").fill("openai:gpt-4.1")
    await page.get_by_role("button", name="Look at the changes").click()
    await expect(page.get_by_role("row", name="Enabled tools")).to_contain_text("lookup_order, search_kb")
    await page.get_by_role("button", name="Back to the form").click()
    await expect(said).to_have_text("2 settings are not saved")
    await expect(tools.get_by_label("refund")).not_to_be_checked()
    await page.get_by_role("button", name="Undo all").click()
    await expect(tools.get_by_label("refund")).to_be_checked()
    await tools.get_by_label("refund").uncheck()
    await page.get_by_role("button", name="Look at the changes").click()
    await page.get_by_label("Why?").fill("no money today")
    await page.get_by_role("button", name="Save as version 2").click()
    await expect(page.get_by_text("Saved as version 2.")).to_be_visible()
    assert (await place.now(made)).context == {**made.context, "enabled_tools": ["lookup_order", "search_kb"]}


async def test_change_look_back_and_save_by_keyboard(place: Served, open_page: Open):
    made = await place.made()
    page = await open_page(f"/assistants/{made.known_as}")
    await setting(page, "tone").select_option("brief")
    await setting(page, "system_prompt").fill("Be kind.\nBe short.")
    await page.keyboard.press("Control+Enter")
    await expect(page.get_by_role("heading", name=f"Changes to {made.known_as}")).to_be_visible()
    await page.get_by_role("button", name="Back to the form").click()
    await expect(page.locator("[data-count]")).to_have_text("2 settings are not saved")
    await expect(setting(page, "system_prompt")).to_have_value("Be kind.\nBe short.")
    await setting(page, "tone").select_option("formal")
    await page.get_by_role("button", name="Look at the changes").click()
    await page.get_by_label("Why?").fill("As the shop wants it")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("Saved as version 2.")).to_be_visible()
    now = await place.now(made)
    assert now.context["tone"] == "formal" and now.context["system_prompt"] == "Be kind.\nBe short."


async def test_the_changed_file_is_downloaded_and_the_page_stays(place: Served, open_page: Open):
    made = await place.made()
    page = await open_page(f"/assistants/{made.known_as}", held=True)
    await setting(page, "tone").select_option("brief")
    await page.get_by_role("button", name="Look at the changes").click()
    for _ in range(2):  # the press can be repeated
        async with page.expect_download() as coming:
            await page.get_by_role("button", name="Download the changed file").click()
        file = await coming.value
        assert file.suggested_filename == f"{made.known_as}.yaml"
    await expect(page.get_by_role("heading", name=f"Changes to {made.known_as}")).to_be_visible()


async def test_a_trial_streams_on_both_sides_and_can_be_repeated(place: Served, open_page: Open):
    live = await place.made(live=True)
    made = await place.made(context={"tone": "brief"})
    page = await open_page(f"/assistants/{made.known_as}/try")
    await page.evaluate(
        "window.sizes = []; new MutationObserver(() => sizes.push(document.querySelector('.sides').textContent.length))"
        ".observe(document.querySelector('.sides'), { subtree: true, childList: true, characterData: true })"
    )
    await page.get_by_label("Message").fill("How long does a refund take?")
    for _ in range(2):
        await page.get_by_role("button", name="Send to both").click()
        await expect(page.locator(".ending[data-state=stopped]")).to_have_count(2)
    await expect(page.locator(".side[data-side=this] .piece-text")).to_contain_text("refund")
    await expect(page.locator(".side[data-side=live] .piece-text")).to_contain_text(
        "Thank you for writing to us!"
    )
    assert await page.evaluate("new Set(sizes).size") > 10  # it came bit by bit
    assert page.url.endswith("/try")
    await place.client.assistants.update(live.assistant_id, metadata={"live": False})


async def test_a_trial_of_what_does_not_fit_says_why(place: Served, open_page: Open):
    made = await place.made()
    page = await open_page(f"/assistants/{made.known_as}")
    await setting(page, "temperature").fill("9")
    await page.get_by_role("button", name="Try these").click()
    await page.get_by_role("heading", name="Try").wait_for()
    await ready(page)  # before that the form is sent without a script
    await page.get_by_label("Message").fill("How long does a refund take?")
    await page.get_by_role("button", name="Send to").click()
    await expect(page.locator(".ending[data-state=failed]").first).to_contain_text("out of range")


async def test_two_presses_promote_and_two_roll_back(place: Served, open_page: Open):
    live, other = await place.made(), await place.made(context={"tone": "brief"})
    page = await open_page(f"/assistants/{live.known_as}")
    await page.locator("#promote-from").select_option(other.known_as)
    await page.get_by_role("button", name=f"Promote to {live.known_as}…").click()
    await expect(page.get_by_text("What becomes of the rest")).to_be_visible()
    await page.get_by_label("Why?").fill("Shorter")
    await page.get_by_role("button", name="Promote", exact=True).click()
    await expect(page.get_by_text("Promoted: version 2 is current.")).to_be_visible()
    await page.get_by_role("link", name="Roll back to version 1").click()
    await page.get_by_label("Why?").fill("Complaints")
    await page.get_by_role("button", name="Roll back", exact=True).click()
    await expect(page.get_by_text("Rolled back: version 3 is current.")).to_be_visible()
    assert (await place.now(live)).context == live.context


async def test_a_cron_is_paused_and_resumed(place: Served, open_page: Open):
    cron = await scheduled(place)
    page = await open_page(f"/crons/{cron.name}")
    await page.get_by_label("Pause it. Why?").fill("Holidays")
    await page.get_by_role("button", name="Pause", exact=True).click()
    await expect(page.get_by_text("Holidays")).to_be_visible()
    await page.get_by_role("button", name="Resume").click()
    await expect(page.get_by_text("nothing fires for the past")).to_be_visible()


async def everything(place: Served) -> list[str]:
    """Each page, with something of each kind and something too long on it."""
    other = await place.made(context={"tone": "brief", "system_prompt": f"{LONG}\n{EVIL}"})
    made = await place.made(live=True, description=f"{EVIL} {LONG}")
    second = replace(made.content(), context={"tone": "formal", "system_prompt": LONG})
    await place.gateway.update_assistant(made, second, Signature("ben", EVIL, f"{EVIL} {LONG}"))
    await canaries.start(place.gateway, f"{made.known_as}={other.known_as}:10%", "anna", LONG)
    cron, paused = await scheduled(place), await scheduled(place)
    await ticks(place, cron, 3, "skipped", reason=f"{EVIL} {LONG}")
    await ticks(place, paused, 2)
    note = {"reason": LONG, "by": "ben", "at": "2026-11-30T10:00:00+00:00"}
    await place.gateway.patch_cron(paused.cron_id, enabled=False, metadata={"paused": note})
    where = f"/assistants/{made.known_as}"
    parts = ("", "/versions", "/diff?from=1&to=2", "/promote", "/rollback?to=1", "/canary", "/try")
    parts += (f"/canary/start?from={other.known_as}",)
    return [
        "/assistants", *(where + part for part in parts), f"/assistants/{other.known_as}", "/crons",
        f"/crons/{cron.name}", f"/crons/{paused.name}", "/assistants/nowhere",
    ]  # fmt: skip


async def over_all(place: Served, open_page: Open, script: str, **options: Any) -> dict[str, Any]:
    """What `script` finds on each page, as an editor, a reader, and on the difference before saving."""
    paths = await everything(place)
    page = await open_page("/assistants", **options)
    url, found = re.sub(r"/assistants$", "", page.url), dict[str, Any]()
    for path in paths:
        await page.goto(url + path)
        await page.evaluate(UNFOLD)
        if result := await page.evaluate(script):
            found[path] = result
    await page.goto(url + paths[1])
    await setting(page, "tone").select_option("brief")
    await setting(page, "temperature").fill("1")
    if result := await page.evaluate(script):
        found["edited"] = result
    await page.get_by_role("button", name="Look at the changes").click()
    await page.get_by_role("heading", name="Changes to").wait_for()
    if result := await page.evaluate(script):
        found["draft"] = result
    assert await page.evaluate(
        "window.pwned === undefined && !document.querySelector('main img, main script')"
    )
    reader = await open_page(paths[1], role="reader", **options)
    if result := await reader.evaluate(script):
        found["reader"] = result
    live = await place.gateway.assistants()
    for each in live:
        if each.live:
            await place.client.assistants.update(each.assistant_id, metadata={"live": False})
    return found


def all_of(*scripts: str) -> str:
    """What each of them finds; nothing where none does."""
    found = ", ".join(f"({script.strip()})()" for script in scripts)
    return f"() => {{ const found = [{found}].filter((each) => each?.length); return found.length ? found : null; }}"


async def test_contrast_in_the_light_names_landmarks_headings(place: Served, open_page: Open):
    assert await over_all(place, open_page, all_of(CONTRAST, OBJECTIONS), color_scheme="light") == {}


async def test_contrast_in_the_dark(place: Served, open_page: Open):
    assert await over_all(place, open_page, CONTRAST, color_scheme="dark") == {}


async def test_a_phone_is_wide_enough_and_what_is_touched_large_enough(place: Served, open_page: Open):
    phone: dict[str, Any] = {"viewport": PHONE, "is_mobile": True, "has_touch": True}
    assert await over_all(place, open_page, all_of(WIDE, SMALL), **phone) == {}
