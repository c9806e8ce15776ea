"""The decision of a run's arm where something is amiss: it never fails a run, and says why."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from stationmaster.assistants.routes import Arm, Canary, Routes
from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.server import arms, lookups
from stationmaster.server.arms import give_arm
from tests.stationmaster.server.knowing import Knowing

OTHER = ServedAssistant("other", "support-next", "tiny", "", {"tone": "brief"}, None, (), {}, 3, "")
CANARY = Canary("c1", Arm("other", "support-next"), 0.9999, "2026-11-30T12:00:00+00:00")
LIVE = ServedAssistant(
    "live", "support", "tiny", "", {"tone": "formal", "limit": 1}, None, (), {"canary": Routes(CANARY).kept()}, 7, ""
)  # fmt: skip


def a_run(**value: Any) -> dict[str, Any]:
    kwargs = {"input": {}, "config": {"configurable": {}}, "context": {}}
    return {"thread_id": "t", "run_id": "r", "metadata": {}, "kwargs": kwargs, **value}


async def test_the_arms_content_and_what_it_leaves_to_the_graph() -> None:
    run = a_run()
    stamp = await give_arm(run, LIVE, Knowing(OTHER, defaults={"limit": 5}))
    assert stamp == {
        "id": "c1", "arm": "canary", "assistant": "support-next", "assistant_id": "other", "version": 3,
    }  # fmt: skip
    assert run["kwargs"]["context"] == {"tone": "brief", "limit": 5}


async def test_without_canary_and_pins_nothing_is_stamped_or_changed() -> None:
    run = a_run()
    assert await give_arm(run, replace(LIVE, metadata={}), Knowing(OTHER)) is None
    assert run == a_run()


@pytest.mark.parametrize(
    ("server", "value", "why"),
    [
        (Knowing(), {}, "support-next was not to be had"),
        (Knowing(OTHER), {}, "set limit in both"),
        (Knowing(replace(OTHER, graph="else")), {}, "two assistants of one graph"),
        (Knowing(OTHER), {"kwargs": MappingProxyType({"input": {}})}, "shows no arguments"),
    ],
)
async def test_an_arm_that_can_not_be_had_is_the_live_one_and_the_stamp_says_why(
    server: Knowing, value: dict[str, Any], why: str
) -> None:
    run = a_run(**value)
    stamp = await give_arm(run, LIVE, server)
    assert stamp
    assert (stamp["arm"], stamp["assistant"], stamp["version"]) == ("live", "support", 7)
    assert why in stamp["why"]
    assert run == a_run(**value)


class Slow(Knowing):
    """Never says what the thread's last run was."""

    async def last_stamp(self, thread_id: str) -> Mapping[str, Any]:
        await asyncio.Event().wait()
        return {}


async def test_a_thread_whose_last_run_is_not_told_in_time_is_decided_by_its_hash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arms, "WAIT_S", 0.01)
    for kwargs in ({"input": {}}, {"command": {"resume": {"q": 1}}}):
        stamp = await give_arm(a_run(kwargs=dict(kwargs)), LIVE, Slow(OTHER, defaults={"limit": 5}))
        assert stamp
        assert (stamp["arm"], stamp["why"]) == ("canary", arms.NOT_TOLD)


async def test_a_resume_on_a_busy_server_does_not_change_a_threads_arm_for_good(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its question was asked by the canary; the message after it is the canary's too."""
    monkeypatch.setattr(arms, "WAIT_S", 0.01)
    resume = a_run(kwargs={"command": {"resume": {"q": 1}}})
    stamp = await give_arm(resume, LIVE, Slow(OTHER, defaults={"limit": 5}))
    assert stamp
    assert resume["kwargs"]["context"]["tone"] == "brief"
    server = Knowing(OTHER, defaults={"limit": 5})
    for last in (stamp, {"id": "c1", "arm": "live", "why": "support-next was not to be had"}):
        server.stamps["t"] = last
        message = await give_arm(a_run(), LIVE, server)
        assert message
        assert (message["arm"], message.get("why")) == ("canary", None)


async def test_an_arm_that_its_graph_would_refuse_by_now_is_the_live_one() -> None:
    """It was fit when the canary began, and somebody changed it since: no run fails for that."""
    changed = replace(OTHER, context={**OTHER.context, "tone": 7})
    run = a_run()
    stamp = await give_arm(run, LIVE, Knowing(changed, defaults={"limit": 5})) or {}
    assert stamp["arm"] == "live"
    assert "can't be run" in stamp["why"] and "context.tone" in stamp["why"]
    assert not (run["kwargs"].get("context") or {})


async def test_an_arm_that_was_deleted_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unlike one that can't be read for now, which runs on from memory."""
    monkeypatch.setattr(lookups, "TTL_S", 0.0)
    monkeypatch.setattr(lookups, "RETRY_S", 0.0)
    server = Knowing(OTHER, defaults={"limit": 5})
    answers: list[ServedAssistant | lookups.Absent | None] = [OTHER, None, lookups.ABSENT]

    async def ask(assistant_id: str) -> ServedAssistant | lookups.Absent | None:
        return answers.pop(0)

    server.assistants = lookups.Lookups(ask)
    stamps = [await give_arm(a_run(), LIVE, server) or {} for _ in range(3)]
    assert [stamp["arm"] for stamp in stamps] == ["canary", "canary", "live"]
    assert stamps[-1]["why"] == "support-next was not to be had"


@pytest.mark.parametrize(
    ("value", "key"),
    [
        ({"metadata": {"canary_key": "k"}}, "k"),
        ({"metadata": {"canary_key": 17}}, "17"),
        ({"kwargs": {"config": {"metadata": {"canary_key": "k"}}, "input": {}}}, "k"),
        ({"kwargs": {"config": {"configurable": {"canary_key": "k"}}, "input": {}}}, "k"),
        ({"metadata": {"canary_key": ""}}, None),
        ({"metadata": {"canary_key": True}}, None),
        ({"metadata": {"canary_key": ["k"]}}, None),
    ],
)
async def test_where_a_client_may_name_its_key(value: dict[str, Any], key: str | None) -> None:
    pinned = replace(
        LIVE, metadata={"canary": Routes(None, {"k": Arm("other", "o"), "17": Arm("other", "o")}).kept()}
    )
    stamp = await give_arm(a_run(**value), pinned, Knowing(OTHER, defaults={"limit": 5}))
    assert stamp
    assert stamp["arm"] == ("pinned" if key else "live")
