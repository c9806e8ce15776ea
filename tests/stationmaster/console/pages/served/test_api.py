"""Assistants and crons through the JSON API: the same rooms as behind the pages, with codes that never change."""

from datetime import datetime
from typing import Any

import httpx

from stationmaster.assistants import canaries
from stationmaster.assistants.routes import Routes
from tests.stationmaster.console.pages.served.conftest import CONTEXT, Served
from tests.stationmaster.console.pages.served.test_crons import scheduled, ticks
from tests.stationmaster.console.serving import open_review

API = "/api/v1"


def code(told: httpx.Response) -> tuple[int, str]:
    return told.status_code, told.json()["code"]


async def test_the_list_and_one_with_what_waits(place: Served):
    made = await place.made(live=True)
    await open_review(place.pool, assistant_id=made.assistant_id, assistant_version=1)
    async with place.person("reader", held=True) as rita:
        listed = {each["name"]: each for each in (await rita.get(f"{API}/assistants")).json()}
        assert {each["graph"] for each in (await rita.get(f"{API}/assistants?graph=support")).json()} == {
            "support"
        }
        one = (await rita.get(f"{API}/assistants/{made.known_as}")).json()
        by_id = (await rita.get(f"{API}/assistants/{made.assistant_id}")).json()
        assert code(await rita.get(f"{API}/assistants/nobody")) == (404, "no_such_assistant")
    shown = listed[made.known_as]
    assert (shown["version"], shown["live"], shown["waiting"], shown["context"]) == (1, True, 1, CONTEXT)
    assert (shown["drifted"], shown["held_by_file"]) == (False, True)
    assert one == by_id == {**shown, "running": 0, "waiting_by_version": {"1": 1}}
    await place.client.assistants.update(made.assistant_id, metadata={"live": False})


async def test_an_edit_is_checked_looked_at_and_saved(place: Served):
    made = await place.made()
    where = f"{API}/assistants/{made.known_as}/versions"
    sent: dict[str, Any] = {
        "context": {"tone": "loud", "models": {"reply": "x"}},
        "expect": 1,
        "reason": "try",
    }
    async with place.person(name="pia.calls") as pia:
        told = await pia.post(where, json=sent)
        assert code(told) == (422, "bad_request")
        assert set(told.json()["fields"]) == {"context.tone", "context.models.reply"}
        assert code(await pia.post(where, json={**sent, "reason": " \x1b "})) == (422, "bad_request")
        assert code(await pia.post(where, json={**sent, "owner": "me"})) == (422, "bad_request")
        sent |= {"context": {"tone": "brief"}, "tags": ["a"], "recursion_limit": 12}
        looked = (await pia.post(where, json={**sent, "dry_run": True})).json()
        assert {each["field"] for each in looked["changes"]} == {
            "context.tone", "context.approval_threshold_usd", "tags", "recursion_limit"
        }  # fmt: skip
        assert (await place.now(made)).version == 1
        assert (await pia.post(where, json=sent)).json()["version"] == 2
        assert code(await pia.post(where, json=sent)) == (409, "conflict")
        again = {"expect": 2, "reason": "none", "recursion_limit": None}
        assert (await pia.post(where, json=again)).json()["version"] == 3
        assert code(await pia.post(where, json={**again, "expect": 3})) == (409, "nothing_to_do")
    now = await place.now(made)
    assert (now.context, now.tags, now.recursion_limit, now.description) == (
        {"tone": "brief"}, ("a",), None, "Answers."
    )  # fmt: skip
    assert (now.change["author"], now.change["reason"]) == ("pia.calls", "none")


async def test_values_that_no_server_keeps_are_told_by_field_and_nothing_is_written(place: Served):
    made = await place.made()
    where = f"{API}/assistants/{made.known_as}/versions"
    told: dict[str, set[str]] = {}
    async with place.person() as pia:
        for given in (
            '"context": {"max_cost_usd": Infinity}',
            '"context": {"max_cost_usd": NaN}',
            f'"context": {{"max_cost_usd": 1{"0" * 400}}}',
            r'"context": {"system_prompt": "a\u0000b"}',
            r'"context": {"system_prompt": "\ud800"}',
            r'"description": "a\u0000b"',
            r'"description": "\ud800"',
            r'"tags": ["fine", "a\u0000b"]',
            r'"tags": ["\ud800"]',
        ):
            body = f'{{"expect": 1, "reason": "x", {given}}}'
            answer = await pia.post(where, content=body, headers={"content-type": "application/json"})
            assert code(answer) == (422, "bad_request"), given
            told[given] = set(answer.json()["fields"])
    assert sorted(map(len, told.values())) == [1] * 9
    assert set().union(*told.values()) == {
        "context.max_cost_usd", "context.system_prompt", "description", "body.description", "tags.1", "body.tags.0"
    }  # fmt: skip
    assert (await place.now(made)).version == 1


async def test_what_a_file_holds_or_others_made_is_not_changed(place: Served):
    made = await place.made()
    theirs = await place.client.assistants.create("support", name="theirs")
    sent = {"context": {}, "expect": 1, "reason": "x"}
    async with place.person(held=True) as pia:
        held = await pia.post(f"{API}/assistants/{made.known_as}/versions", json=sent)
        assert code(held) == (409, "held_by_file")
        other = await pia.post(f"{API}/assistants/{theirs['assistant_id']}/versions", json=sent)
        assert code(other) == (403, "not_ours")
        other = await pia.post(f"{API}/assistants/{theirs['assistant_id']}/rollback", json={"reason": "x"})
        assert code(other) == (403, "not_ours")


async def test_history_by_pages_versions_differences_and_the_file(place: Served):
    made = await place.made()
    where = f"{API}/assistants/{made.known_as}"
    async with place.person() as pia:
        for number, tone in ((1, "brief"), (2, "formal")):
            sent = {"context": {"tone": tone}, "expect": number, "reason": tone}
            assert (await pia.post(f"{where}/versions", json=sent)).status_code == 200
        first = (await pia.get(f"{where}/versions?limit=2")).json()
        second = (await pia.get(f"{where}/versions?limit=2&before={first['next']}")).json()
        assert [each["version"] for each in first["versions"] + second["versions"]] == [3, 2, 1]
        assert (first["next"], second["next"]) == (2, None)
        assert first["versions"][0]["changes"] == [
            {"field": "context.tone", "before": "brief", "after": "formal"}
        ]
        assert (await pia.get(f"{where}/versions/1")).json()["context"] == CONTEXT
        assert code(await pia.get(f"{where}/versions/9")) == (404, "no_such_assistant")
        assert len((await pia.get(f"{where}/diff?from=1")).json()) == 2
        assert (await pia.get(f"{where}/diff?from=2&to=2")).json() == []
        file = await pia.get(f"{where}/file?version=2")
        assert file.headers["content-type"].startswith("application/yaml") and "tone: brief" in file.text


async def test_promote_and_roll_back_say_first_what_they_do(place: Served):
    live, other = await place.made(), await place.made(context={"tone": "brief"})
    where = f"{API}/assistants/{live.known_as}"
    promote = {"from": other.known_as, "reason": "as good", "expect": 1}
    async with place.person() as pia:
        looked = (await pia.post(f"{where}/promote", json={**promote, "dry_run": True})).json()
        assert (looked["action"], looked["from_version"]) == ("promote", 1) and looked["consequences"]
        assert (await pia.post(f"{where}/promote", json=promote)).json()["version"] == 2
        assert code(await pia.post(f"{where}/promote", json=promote)) == (409, "conflict")
        back = (await pia.post(f"{where}/rollback", json={"reason": "worse"})).json()
        assert (back["version"], back["change"]["source"]) == (3, f"rollback {live.known_as}@1")
    assert (await place.now(live)).content() == live.content()


async def test_a_canary_from_its_beginning_to_its_end(place: Served):
    live, other = await place.made(), await place.made(context={"tone": "brief"})
    where = f"{API}/assistants/{live.known_as}/canary"
    sent = {"assistant": other.known_as, "share": 0.1, "reason": "on trial"}
    async with place.person() as pia:
        assert code(await pia.post(f"{where}/end", json={"reason": "x"})) == (404, "no_canary")
        for share in (0, 1, 1.5):
            assert code(await pia.post(where, json={**sent, "share": share})) == (422, "bad_request")
        assert code(await pia.post(where, json={**sent, "assistant": live.known_as})) == (409, "refused")
        assert (await pia.post(where, json={**sent, "expect": 1})).json()["canary"]["share"] == 0.1
        assert code(await pia.post(where, json={**sent, "expect": 1})) == (409, "conflict")
        assert (await pia.post(where, json={**sent, "share": 0.2})).json()["canary"]["share"] == 0.2
        report = (await pia.get(where)).json()
        assert [arm["assistant"] for arm in report["arms"]] == [live.known_as, other.known_as]
        ended = (await pia.post(f"{where}/end", json={"reason": "too slow", "expect": 3})).json()
        assert (ended["canary"], ended["waiting_in_arm"], ended["version"]) == (None, 0, 4)
    assert not Routes.of((await place.now(live)).metadata)


async def test_another_canary_is_in_the_way(place: Served):
    live, first, second = await place.made(), await place.made(), await place.made()
    await canaries.start(place.gateway, f"{live.known_as}={first.known_as}:10%", "anna", "on trial")
    async with place.person() as pia:
        sent = {"assistant": second.known_as, "share": 0.1, "reason": "this too"}
        told = await pia.post(f"{API}/assistants/{live.known_as}/canary", json=sent)
        assert code(told) == (409, "canary_runs")


async def test_crons_next_history_and_who_is_told_why(place: Served):
    cron = await scheduled(place)
    await ticks(place, cron, 3, "error", reason="the report of group A")
    where = f"{API}/crons/{cron.name}"
    async with place.person("reader") as rita, place.person("editor") as pia:
        listed = {each["name"]: each for each in (await rita.get(f"{API}/crons")).json()}
        assert listed[cron.name]["last"]["outcome"] == "error"
        next_ = (await rita.get(f"{where}/next?count=2")).json()
        assert len(next_) == 2 and datetime.fromisoformat(next_[0]["at"]) < datetime.fromisoformat(
            next_[1]["at"]
        )
        first = (await rita.get(f"{where}/history?limit=2")).json()
        rest = (await rita.get(f"{where}/history?limit=2&before={first['next']}")).json()
        assert (len(first["slots"]), len(rest["slots"]), rest["next"]) == (2, 1, None)
        for path in (f"{API}/crons", where, f"{where}/history", f"{API}/slots?limit=200"):
            assert "group A" not in (await rita.get(path)).text, path
            assert "group A" in (await pia.get(path)).text, path
        assert "schedule:" in (await rita.get(f"{where}/file")).text
        for path in (f"{API}/crons/none", f"{API}/crons/none/history", f"{API}/crons/none/next"):
            assert code(await rita.get(path)) == (404, "no_such_cron"), path
    await place.gateway.delete_cron(cron.cron_id)


async def test_pause_resume_and_run_now(place: Served):
    cron = await scheduled(place)
    where = f"{API}/crons/{cron.name}"
    async with place.person(name="pia.crons") as pia:
        assert code(await pia.post(f"{where}/resume")) == (409, "refused")
        assert code(await pia.post(f"{where}/pause", json={"reason": ""})) == (422, "bad_request")
        [paused] = (await pia.post(f"{where}/pause", json={"reason": "ticket 71"})).json()
        assert (paused["enabled"], paused["next"]) == (False, None)
        assert (paused["paused"]["by"], paused["paused"]["reason"]) == ("pia.crons", "ticket 71")
        resumed = (await pia.post(f"{where}/resume")).json()
        assert (resumed["enabled"], resumed["paused"]) == (True, None) and resumed["next"]
        ran = (await pia.post(f"{where}/run")).json()
        assert (await place.client.runs.get(ran["thread_id"], ran["run_id"]))["metadata"]
        slots = (await pia.get(f"{where}/history")).json()["slots"]
        assert (slots[0]["id"], slots[0]["started_by"]) == (ran["slot"], "pia.crons")
    await place.gateway.delete_cron(cron.cron_id)
