"""The history, any two versions compared, promote and roll back with their consequences: two presses and a reason."""

import asyncio
from dataclasses import replace

import pytest

from stationmaster.assistants import canaries
from stationmaster.assistants.routes import Routes
from stationmaster.console.pages.assistants import versions
from stationmaster.reconcile.resources import ServedAssistant, Signature
from tests.stationmaster.console.pages.served.conftest import Served, fields, words
from tests.stationmaster.console.serving import open_review


async def written(place: Served, before: ServedAssistant, **context: object) -> ServedAssistant:
    content = replace(before.content(), context=context)
    return await place.gateway.update_assistant(before, content, Signature("ben", "edit", f"to {context}"))


async def test_history_and_any_two_compared(place: Served):
    first = await place.made(context={"tone": "friendly", "system_prompt": "Be kind to everybody."})
    second = await written(place, first, tone="formal", system_prompt="Be kind to everybody.")
    await written(place, second, tone="formal", system_prompt="Be short with everybody.")
    where = f"/assistants/{first.known_as}"
    async with place.person("reader") as rita:
        page = words((await rita.get(f"{where}/versions")).text)
        diff = (await rita.get(f"{where}/diff?from=1&to=3")).text
        back = await rita.get(f"{where}/diff?from=1&to=9")
        same = (await rita.get(f"{where}/diff?from=2&to=2")).text
    assert "3 current" in page and "ben" in page and "System prompt" in page and "first version" in page
    assert "<del>friendly</del>" in diff and "<ins>formal</ins>" in diff
    assert "Be <del>kind to</del>" in diff or ("<del>kind</del>" in diff and "<ins>short</ins>" in diff)
    assert back.headers["location"] == f"{where}/versions" and "They say the same" in same


async def test_history_by_pages(place: Served, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(versions, "PAGE_SIZE", 2)
    made = await place.made()
    for turns in (1, 2, 3):
        made = await written(place, made, max_turns=turns)
    where = f"/assistants/{made.known_as}/versions"
    async with place.person("reader") as rita:
        first = (await rita.get(where)).text
        assert f'href="{where}?before=3" rel="next"' in first and "rollback" not in first
        second = (await rita.get(f"{where}?before=3")).text
        odd = (await rita.get(f"{where}?before=x")).status_code
    assert "Back to the newest" in second and 'rel="next"' not in second and odd == 200
    assert 'version-number">2<' in second and 'version-number">3<' not in second


async def test_promote_in_two_presses_with_the_consequences(place: Served):
    live, other = await place.made(), await place.made(context={"tone": "brief"}, tags=("new",))
    await open_review(place.pool, assistant_id=live.assistant_id, assistant_version=1)
    where = f"/assistants/{live.known_as}"
    async with place.person(name="pia.promotes") as pia:
        assert f"<option>{other.known_as}</option>" in (await pia.get(where)).text
        looked = (await pia.get(f"{where}/promote?from={other.known_as}")).text
        assert "1 question waits for a person (asked by version 1): it stays as asked" in words(looked)
        assert "No run is under way." in looked and "<ins>brief</ins>" in looked
        sent = fields(looked)
        assert (await pia.post(f"{where}/promote", data=sent)).status_code == 422
        told = await pia.post(f"{where}/promote", data={**sent, "reason": "As good, and shorter"})
        assert told.headers["location"] == f"{where}?done=promoted"
        assert "Promoted: version 2 is current." in (await pia.get(told.headers["location"])).text
    now = await place.now(live)
    assert now.context == {"tone": "brief"} and now.tags == ("shop",) and now.description == "Answers."
    assert now.change["author"] == "pia.promotes" and now.change["source"] == f"promote {other.known_as}@1"


async def test_roll_back_in_two_presses(place: Served):
    made = await place.made()
    await written(place, made, tone="formal")
    where = f"/assistants/{made.known_as}"
    async with place.person() as pia:
        assert f'href="{where}/rollback?to=1"' in (await pia.get(where)).text
        looked = (await pia.get(f"{where}/rollback?to=1")).text
        assert "<del>formal</del>" in looked and "<ins>friendly</ins>" in looked
        told = await pia.post(f"{where}/rollback", data={**fields(looked), "reason": "Complaints"})
        assert told.headers["location"] == f"{where}?done=rolled_back"
        again = await pia.get(f"{where}/rollback?to=1")
        assert again.status_code == 409 and "says what the current one says" in again.text
    now = await place.now(made)
    assert now.version == 3 and now.context == made.context


async def test_of_two_who_promote_at_once_one_wins_and_one_is_told(place: Served):
    live, other = await place.made(), await place.made(context={"tone": "brief"})
    where = f"/assistants/{live.known_as}"
    async with place.person(name="first.promoter") as one, place.person(name="second.promoter") as two:
        sent = fields((await one.get(f"{where}/promote?from={other.known_as}")).text) | {"reason": "x"}
        told = await asyncio.gather(*(each.post(f"{where}/promote", data=sent) for each in (one, two)))
    assert sorted(response.status_code for response in told) == [303, 409]
    (refused,) = (response for response in told if response.status_code == 409)
    assert "Somebody was faster" in refused.text or "was expected" in refused.text
    assert (await place.now(live)).version == 2


async def test_a_promote_that_came_too_late_shows_what_it_would_do_now(place: Served):
    live, other = await place.made(), await place.made(context={"tone": "brief"})
    where = f"/assistants/{live.known_as}"
    async with place.person() as pia:
        sent = fields((await pia.get(f"{where}/promote?from={other.known_as}")).text) | {"reason": "x"}
        await written(place, live, tone="formal")
        told = await pia.post(f"{where}/promote", data=sent)
        assert told.status_code == 409 and "version 2" in told.text and "by ben" in told.text
        assert "<del>formal</del>" in told.text
        again = fields(told.text) | {"reason": "x"}
        assert (await pia.post(f"{where}/promote", data=again)).status_code == 303
    assert (await place.now(live)).context == {"tone": "brief"}


async def test_a_canary_compared_then_promoted_or_ended(place: Served):
    live, other = await place.made(), await place.made(context={"tone": "brief"})
    where = f"/assistants/{live.known_as}"
    await canaries.start(place.gateway, f"{live.known_as}={other.known_as}:10%", "anna", "on trial")
    async with place.person() as pia:
        page = words((await pia.get(f"{where}/canary")).text)
        assert "10% of the threads" in page and "nothing to compare yet" in page and "on trial" in page
        looked = words((await pia.get(f"{where}/promote")).text)
        assert f"The canary of {other.known_as} ends" in looked
        assert (await pia.post(f"{where}/canary", data={"reason": ""})).status_code == 422
        told = await pia.post(f"{where}/canary", data={"reason": "Too slow"})
        assert "The canary has ended" in (await pia.get(told.headers["location"])).text
        assert (await pia.get(f"{where}/canary")).headers["location"] == where
    now = await place.now(live)
    assert not Routes.of(now.metadata) and now.context == live.context and now.change["reason"] == "Too slow"


async def test_a_canary_begins_and_gets_another_share_in_two_presses(place: Served):
    live, other = await place.made(), await place.made(context={"tone": "brief"}, tags=("trial",))
    where, arm = f"/assistants/{live.known_as}", other.known_as
    async with place.person(name="pia.tries") as pia:
        assert f'formaction="{where}/canary/start"' in (await pia.get(where)).text
        looked = await pia.get(f"{where}/canary/start?from={arm}")
        assert "<ins>brief</ins>" in looked.text and "No run is under way." in words(looked.text)
        assert "Version 2 of" in words(looked.text) and "with its next message" in words(looked.text)
        sent = fields(looked.text)
        assert sent["share"] == "10" and sent["version"] == "1"
        assert (await pia.post(f"{where}/canary/start", data=sent)).status_code == 422
        for share in ("0", "100", "some", "1,5"):
            told = await pia.post(f"{where}/canary/start", data={**sent, "share": share, "reason": "try it"})
            assert told.status_code == 409 and "is no share" in words(told.text), share
            assert fields(told.text)["share"] == share and 'value="try it"' in told.text
        told = await pia.post(f"{where}/canary/start", data={**sent, "share": "2.5 %", "reason": "try it"})
        assert told.headers["location"] == f"{where}/canary"
        assert "2.5% of the threads" in words((await pia.get(f"{where}/canary")).text)
        late = await pia.post(f"{where}/canary/start", data={**sent, "share": "50", "reason": "late"})
        assert late.status_code == 409 and "version 1 was expected" in words(late.text)
        again = await pia.get(f"{where}/canary/start?from={arm}")
        assert "It gets 2.5% of the threads now" in words(again.text)
        told = await pia.post(
            f"{where}/canary/start", data={**fields(again.text), "share": "20%", "reason": "well"}
        )
        assert told.status_code == 303
    now = await place.now(live)
    canary = Routes.of(now.metadata).canary
    assert canary is not None and (canary.arm.name, canary.share) == (arm, 0.2)
    assert (now.version, now.context, now.change["author"]) == (3, live.context, "pia.tries")


async def test_a_canary_that_can_not_be_is_told_on_its_page(place: Served):
    live, first, second = await place.made(), await place.made(), await place.made(context={"tone": "brief"})
    where = f"/assistants/{live.known_as}"
    await canaries.start(place.gateway, f"{live.known_as}={first.known_as}:10%", "anna", "on trial")
    async with place.person() as pia:
        assert (await pia.get(f"{where}/canary/start")).headers["location"] == where
        assert (await pia.get(f"{where}/canary/start?from=nobody")).status_code == 404
        sent = fields((await pia.get(f"{where}/canary/start?from={second.known_as}")).text)
        told = await pia.post(f"{where}/canary/start", data={**sent, "reason": "this too"})
        assert told.status_code == 409 and f"A canary of {first.known_as} runs" in words(told.text)
        same = fields((await pia.get(f"{where}/canary/start?from={live.known_as}")).text)
        told = await pia.post(f"{where}/canary/start", data={**same, "reason": "itself"})
        assert told.status_code == 409 and "can't be its own canary" in words(told.text)


async def test_saving_keeps_a_canary(place: Served):
    live, other = await place.made(), await place.made(context={"tone": "brief"})
    await canaries.start(place.gateway, f"{live.known_as}={other.known_as}:10%", "anna", "on trial")
    where = f"/assistants/{live.known_as}"
    async with place.person() as pia:
        sent = fields((await pia.get(where)).text) | {"field:context.tone": "formal", "reason": "x"}
        assert (await pia.post(f"{where}/save", data=sent)).status_code == 303
    canary = Routes.of((await place.now(live)).metadata).canary
    assert canary is not None and canary.arm.assistant_id == other.assistant_id
