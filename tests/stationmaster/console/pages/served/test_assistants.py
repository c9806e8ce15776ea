"""Cards, the form of settings, the difference, and saving: without a line of JavaScript, on a real server."""

from pathlib import Path

import pytest

from stationmaster.reconcile import files
from stationmaster.reconcile.resources import CANARY
from tests.stationmaster.console.pages.questions import EVIL
from tests.stationmaster.console.pages.served.conftest import CONTEXT, Served, fields, words
from tests.stationmaster.console.serving import open_review


async def test_cards_by_graph_with_version_canary_and_what_waits(place: Served):
    live, other = await place.made(live=True), await place.made()
    canary = {
        "id": "0a3d7e0e-0000-4000-8000-000000000000", "assistant": other.known_as, "assistant_id": other.assistant_id,
        "share": 0.1, "started_at": "2026-11-30T10:00:00+00:00", "by": "anna", "reason": "", "pins": {},
    }  # fmt: skip
    await place.client.assistants.update(live.assistant_id, metadata={CANARY: canary})
    await open_review(place.pool, assistant_id=live.assistant_id, assistant_version=1)
    async with place.person("reader") as rita:
        page = (await rita.get("/assistants")).text
        plain = (await rita.get(f"/assistants/{live.known_as}")).text
    async with place.person("reviewer") as rob:
        linked = (await rob.get(f"/assistants/{live.known_as}")).text
    link = f'href="/?assistant={live.known_as}"'
    assert link in linked and link not in plain
    card = page[page.index(f'data-row="{live.known_as}"') :].partition("</li>")[0]
    assert (
        "Live" in card and "v2" in card and f"{other.known_as} at 10%" in card and 'class="waits">1<' in card
    )
    tried = page[page.index(f'data-row="{other.known_as}"') :].partition("</li>")[0]
    assert f"10% of {live.known_as}" in tried
    await place.client.assistants.update(live.assistant_id, metadata={CANARY: None, "live": False})


async def test_the_form_shows_types_ranges_helps_and_defaults(place: Served):
    made = await place.made()
    async with place.person() as pia:
        page = (await pia.get(f"/assistants/{made.known_as}")).text
    sent = fields(page)
    assert (
        sent["field:context.tone"] == "friendly" and sent["field:context.approval_threshold_usd"] == "500.00"
    )
    assert sent["field:context.temperature"] == "" and sent["field:tags"] == "shop"
    assert "number, 0 to 2" in page and 'data-least="0" data-most="2"' in page.replace(".0", "")
    assert "default: 0.0" in page and "How replies to customers sound." in page
    assert "default: 50" in page and "whole number, 1 or more" in page


async def test_change_look_say_why_save(place: Served):
    made = await place.made()
    where = f"/assistants/{made.known_as}"
    async with place.person(name="pia.save") as pia:
        sent = fields((await pia.get(where)).text) | {
            "field:context.tone": "brief", "field:context.approval_threshold_usd": "",
        }  # fmt: skip
        looked = await pia.post(f"{where}/draft", data=sent)
        assert looked.status_code == 200
        assert "<del>friendly</del>" in looked.text and "<ins>brief</ins>" in looked.text
        assert "<del>500.00</del>" in looked.text and "not set" in looked.text
        assert "No run is under way." in looked.text and "No question waits for a person." in looked.text
        assert (await place.now(made)).version == 1
        again = fields(looked.text)
        untold = await pia.post(f"{where}/save", data={**again, "reason": " "})
        assert untold.status_code == 422 and "Say why" in untold.text
        told = await pia.post(f"{where}/save", data={**again, "reason": "Shorter is better"})
        assert told.status_code == 303
        after = (await pia.get(told.headers["location"])).text
    assert (
        "Saved as version 2." in after and "Shorter is better" in after and "differs from its file" in after
    )
    now = await place.now(made)
    assert now.context == {"tone": "brief"} and now.tags == ("shop",) and now.description == "Answers."
    assert (now.change["author"], now.change["reason"]) == ("pia.save", "Shorter is better")


async def test_what_was_not_touched_stays_exactly_as_it_was(place: Served):
    """Numbers keep their kind, and a null that a file set stays a null."""
    context = {"model": None, "approval_threshold_usd": 750, "max_turns": 3}
    made = await place.made(context=context)
    where = f"/assistants/{made.known_as}"
    async with place.person() as pia:
        sent = fields((await pia.get(where)).text) | {"field:context.tone": "formal", "reason": "x"}
        assert (await pia.post(f"{where}/save", data=sent)).status_code == 303
    now = await place.now(made)
    assert now.context == {**context, "tone": "formal"} and type(now.context["approval_threshold_usd"]) is int


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("context.temperature", "warm", "is no number"), ("context.temperature", "3", "out of range"),
        ("context.max_turns", "2.5", "is no whole number"), ("context.max_turns", "0", "out of range"),
        ("context.tone", "rude", "choose one of the list"), ("recursion_limit", "0", "out of range"),
        ("context.system_prompt", "key sk-abcdefghijklmnopqrstuvwx1234", "looks as if it held"),
    ],
)  # fmt: skip
async def test_what_does_not_fit_is_told_at_its_setting(place: Served, field: str, text: str, said: str):
    made = await place.made()
    where = f"/assistants/{made.known_as}"
    async with place.person() as pia:
        sent = fields((await pia.get(where)).text) | {
            f"field:{field}": text,
            "field:description": "Mine, kept",
        }
        for deed in ("draft", "save"):
            told = await pia.post(f"{where}/{deed}", data={**sent, "reason": "x"})
            assert told.status_code == 422, deed
            assert said in told.text and "Mine, kept" in told.text and 'aria-invalid="true"' in told.text
    assert (await place.now(made)).version == 1


async def test_nothing_changed_is_nothing_to_save(place: Served):
    made = await place.made()
    async with place.person() as pia:
        page = await pia.get(f"/assistants/{made.known_as}")
        told = await pia.post(f"/assistants/{made.known_as}/draft", data=fields(page.text))
    assert told.status_code == 422 and "Nothing was changed" in told.text


async def test_of_two_editors_the_second_is_told_and_keeps_what_was_typed(place: Served):
    made = await place.made()
    where = f"/assistants/{made.known_as}"
    async with place.person(name="first.editor") as one, place.person() as two:
        first, second = fields((await one.get(where)).text), fields((await two.get(where)).text)
        await one.post(f"{where}/save", data={**first, "field:context.tone": "formal", "reason": "x"})
        typed = {**second, "field:context.max_turns": "7", "reason": "y"}
        for deed in ("draft", "save"):
            told = await two.post(f"{where}/{deed}", data=typed)
            assert told.status_code == 409 and "Somebody was faster" in told.text
            assert "first.editor" in told.text and 'value="7"' in told.text
        again = fields(told.text)
        assert again["version"] == "2"
        assert (await two.post(f"{where}/save", data={**again, "reason": "y"})).status_code == 303
    now = await place.now(made)
    assert now.version == 3 and now.context["max_turns"] == 7


async def test_what_a_file_holds_is_not_saved_and_the_changed_file_can_be_had(
    place: Served, file_places: tuple[Path, Path]
):
    made = await place.made()
    where = f"/assistants/{made.known_as}"
    async with place.person(held=True) as pia:
        page = (await pia.get(where)).text
        assert f"assistants/{made.known_as}.yaml" in page and "STATIONMASTER_ALLOW_DRIFT" in page
        sent = fields(page) | {"field:context.tone": "brief"}
        looked = (await pia.post(f"{where}/draft", data=sent)).text
        assert "drift is not allowed" in looked and "Save as version" not in looked
        assert "Download the changed file" in looked
        told = await pia.post(f"{where}/save", data={**sent, "reason": "x"})
        assert told.status_code == 409 and "drift is not allowed" in told.text
        file = await pia.post(f"{where}/file", data=sent)
    assert file.headers["content-disposition"] == f'attachment; filename="{made.known_as}.yaml"'
    (file_places[0] / "a.yaml").write_text(file.text)
    (desired,) = files.read(*file_places).desired().assistants
    assert desired.context == {**CONTEXT, "tone": "brief"} and desired.name == made.known_as
    assert (await place.now(made)).version == 1


async def test_the_file_says_what_the_server_has(place: Served, file_places: tuple[Path, Path]):
    prompt = 'Line one\n\n  indented: "quotes" # no comment\nlast'
    made = await place.made(
        context={"system_prompt": prompt}, metadata={"team": "support"}, recursion_limit=30
    )
    async with place.person("reader") as rita:
        file = await rita.get(f"/assistants/{made.known_as}/file")
    (file_places[0] / "a.yaml").write_text(file.text)
    (desired,) = files.read(*file_places).desired().assistants
    assert desired == made.content()


async def test_a_foreign_assistant_is_shown_and_not_changed(place: Served, file_places: tuple[Path, Path]):
    made = await place.client.assistants.create(
        "support", name=EVIL, context={"tone": "brief", "nonsense": 1}
    )
    where = f"/assistants/{made['assistant_id']}"
    async with place.person() as pia:
        page = await pia.get(where)
        assert page.status_code == 200 and "outside Stationmaster" in page.text and EVIL not in page.text
        assert "No setting of this graph" in page.text
        sent = fields(page.text) | {"field:context.nonsense": "", "field:context.tone": "formal"}
        told = await pia.post(f"{where}/save", data={**sent, "reason": "x"})
        assert told.status_code == 403 and "not Stationmaster's" in words(told.text)
        assert (await pia.get(f"{where}/rollback?to=1")).status_code == 403
        file = await pia.post(f"{where}/file", data=sent)
    (file_places[0] / "a.yaml").write_text(file.text)
    (desired,) = files.read(*file_places).desired().assistants
    assert desired.context == {"tone": "formal"}
    await place.client.assistants.delete(made["assistant_id"])


async def test_who_is_no_editor_reads_values_and_has_no_form(place: Served):
    made = await place.made()
    for role in ("reader", "reviewer", "lead"):
        async with place.person(role) as viewer:
            page = (await viewer.get(f"/assistants/{made.known_as}")).text
        assert "Changing takes the role editor." in page and "<textarea" not in page
        assert "Promote to" not in page and "Roll back" not in page and "500.00" in page
