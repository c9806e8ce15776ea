"""Canaries on a real `langgraph dev`: decided by the server for every client, seen by every node, kept by resumes."""

import asyncio
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid5

import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.assistants import canaries
from stationmaster.assistants.differing import drifted
from stationmaster.assistants.errors import CanaryRuns, NoCanary, NothingToDo
from stationmaster.assistants.overlay import Unfit
from stationmaster.assistants.proposing import propose_promote
from stationmaster.assistants.routes import Routes, bucket
from stationmaster.assistants.versions import find, history
from stationmaster.assistants.writing import carry_out
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import ServedAssistant, Signature
from tests.fakes.agent_server import AgentServer
from tests.stationmaster.assistants.conftest import made
from tests.stationmaster.assistants.serving import contexts, resume, run, seen

SPACE = UUID("00000000-0000-4000-8000-000000000002")


async def two(gateway: Gateway, name: str, **content: Any) -> tuple[ServedAssistant, ServedAssistant]:
    live = await made(
        gateway, name, context={"tone": "formal", "threshold": 100}, recursion_limit=31, tags=("l",)
    )
    return live, await made(
        gateway, f"{name}-next", **({"context": {"tone": "brief"}, "tags": ("n",)} | content)
    )


async def began(gateway: Gateway, name: str, share: str = "50%") -> str:
    """Start a canary; its id."""
    routed = await canaries.start(gateway, f"{name}={name}-next:{share}", "anna", "cheaper")
    assert routed.after.canary
    return routed.after.canary.canary_id


async def a_thread(
    sdk: LangGraphClient, live: ServedAssistant, arm: ServedAssistant, below: float = 0.5, *, inside: bool
) -> str:
    """A new thread whose id falls inside, or outside, of the share."""
    ids = (str(uuid5(SPACE, f"{live.assistant_id}{number}")) for number in range(1000))
    free = [each for each in ids if (bucket(live.assistant_id, arm.assistant_id, each) < below) is inside]
    for each in free:
        if not await sdk.threads.search(ids=[each]):
            return (await sdk.threads.create(thread_id=each))["thread_id"]
    raise AssertionError("no thread is left")


def stamp_of(row: Any) -> dict[str, Any]:
    return row["metadata"]["canary"]


async def test_an_arms_nodes_see_the_other_content_whole_and_the_run_says_so(
    gateway: Gateway, sdk: LangGraphClient, name: str
) -> None:
    live, other = await two(gateway, name)
    canary_id = await began(gateway, name)
    inside = await run(sdk, live.assistant_id, await a_thread(sdk, live, other, inside=True))
    outside = await run(sdk, live.assistant_id, await a_thread(sdk, live, other, inside=False))
    for node in await seen(sdk, inside):
        assert node["context"] == {"tone": "brief", "threshold": 500, "model": None}  # not the live one's 100
        assert node["configurable"]["tone"] == "brief"
        assert (node["recursion_limit"], node["tags"]) == (40, ["n"])
    for node in await seen(sdk, outside):
        assert node["context"] == {"tone": "formal", "threshold": 100, "model": None}
        assert (node["recursion_limit"], node["tags"]) == (31, ["l"])
    assert stamp_of(inside) == {
        "id": canary_id, "arm": "canary", "assistant": f"{name}-next", "assistant_id": other.assistant_id, "version": 1,
    }  # fmt: skip
    assert stamp_of(outside) == {
        "id": canary_id, "arm": "live", "assistant": name, "assistant_id": live.assistant_id, "version": 2,
    }  # fmt: skip
    assert inside["metadata"]["assistant_name"] == name
    assert {each["metadata"]["assistant_version"] for each in (inside, outside)} == {2}


async def test_what_the_caller_sets_stays_on_top(gateway: Gateway, sdk: LangGraphClient, name: str) -> None:
    live, other = await two(gateway, name)
    await began(gateway, name)
    asked = {"context": {"threshold": 7}, "config": {"recursion_limit": 20, "tags": ["mine"]}}
    row = await run(sdk, live.assistant_id, await a_thread(sdk, live, other, inside=True), **asked)
    (node, *_) = await seen(sdk, row)
    assert node["context"] == {"tone": "brief", "threshold": 7, "model": None}
    assert (node["recursion_limit"], node["tags"]) == (20, ["mine"])


async def test_every_way_to_make_a_run_gets_its_arm(
    gateway: Gateway, sdk: LangGraphClient, name: str
) -> None:
    live, other = await two(gateway, name)
    await began(gateway, name)
    asks: dict[str, Any] = {"input": {"ask": False}}

    async def tone(values: Any) -> str:
        return values["seen"][0]["context"]["tone"]

    thread = await a_thread(sdk, live, other, inside=True)
    assert await tone(await sdk.runs.wait(thread, live.assistant_id, **asks)) == "brief"
    thread = await a_thread(sdk, live, other, inside=True)
    parts = [part async for part in sdk.runs.stream(thread, live.assistant_id, stream_mode="values", **asks)]
    assert await tone(parts[-1].data) == "brief"
    keys = [str(number) for number in range(12)]
    stateless = (sdk.runs.wait(None, live.assistant_id, metadata={"canary_key": key}, **asks) for key in keys)
    arms = [await tone(values) for values in await asyncio.gather(*stateless)]
    inside = [bucket(live.assistant_id, other.assistant_id, key) < 0.5 for key in keys]
    assert arms == ["brief" if each else "formal" for each in inside]
    assert set(arms) == {"brief", "formal"}


async def test_a_key_that_the_client_names_decides_and_later_runs_need_not_name_it(
    gateway: Gateway, sdk: LangGraphClient, name: str
) -> None:
    live, other = await two(gateway, name)
    await began(gateway, name)
    key = next(
        key for key in map(str, range(100)) if bucket(live.assistant_id, other.assistant_id, key) < 0.5
    )
    thread = await a_thread(sdk, live, other, inside=False)
    named = await run(sdk, live.assistant_id, thread, metadata={"canary_key": key}, input={"ask": True})
    assert stamp_of(named)["arm"] == "canary"
    answered = await resume(sdk, live.assistant_id, thread)  # the console knows no key
    assert stamp_of(answered)["arm"] == "canary"
    assert await contexts(sdk, answered) == [(node, {"tone": "brief"}) for node in ("first", "gate", "last")]


async def test_a_resume_keeps_its_threads_arm_when_the_share_changes_and_when_a_canary_begins(
    gateway: Gateway, sdk: LangGraphClient, name: str
) -> None:
    live, other = await two(gateway, name)
    early = await a_thread(sdk, live, other, inside=True)
    await run(sdk, live.assistant_id, early, input={"ask": True})
    await began(gateway, name)
    late = await a_thread(sdk, live, other, inside=True)
    await run(sdk, live.assistant_id, late, input={"ask": True})
    await began(gateway, name, "0.01%")
    assert stamp_of(await resume(sdk, live.assistant_id, late))["arm"] == "canary"
    old = {"tone": "formal", "threshold": 100}
    answered = await resume(sdk, live.assistant_id, early)
    assert await contexts(sdk, answered) == [(node, old) for node in ("first", "gate", "last")]


async def test_the_end_gives_every_thread_the_live_content_at_once(
    gateway: Gateway, sdk: LangGraphClient, name: str
) -> None:
    live, other = await two(gateway, name)
    await began(gateway, name)
    thread = await a_thread(sdk, live, other, inside=True)
    await run(sdk, live.assistant_id, thread)
    routed = await canaries.end(gateway, name, "anna", "enough seen")
    assert routed.after == Routes()
    row = await run(sdk, live.assistant_id, thread)
    assert row["metadata"]["canary"] is None
    assert (await seen(sdk, row))[-1]["context"]["tone"] == "formal"
    with pytest.raises(NoCanary):
        await canaries.end(gateway, name, "anna", "")


async def test_a_promote_of_the_arm_closes_the_canary(
    gateway: Gateway, sdk: LangGraphClient, name: str
) -> None:
    live, _ = await two(gateway, name)
    await began(gateway, name)
    await made(gateway, f"{name}-third", context={"model": "x"})
    with pytest.raises(CanaryRuns, match=f"canary end {name}"):
        await propose_promote(gateway, None, name, f"{name}-third")
    with pytest.raises(CanaryRuns):
        await canaries.start(gateway, f"{name}={name}-third:5%", "anna", "")
    proposal = await propose_promote(gateway, None, name)
    assert f"The canary of {name}-next ends: every thread gets version 3." in proposal.consequences()
    after = (await carry_out(gateway, proposal, "anna", "it is better")).after
    assert (after.context, Routes.of(after.metadata)) == ({"tone": "brief"}, Routes())
    row = await run(sdk, live.assistant_id)
    assert row["metadata"]["canary"] is None
    assert (await seen(sdk, row))[0]["context"]["tone"] == "brief"


async def test_starting_and_ending_are_versions_that_change_no_content(gateway: Gateway, name: str) -> None:
    await two(gateway, name)
    await began(gateway, name, "10%")
    await began(gateway, name, "20%")
    with pytest.raises(NothingToDo):
        await began(gateway, name, "20%")
    await canaries.end(gateway, name, "anna", "")
    steps = await history(gateway, await find(gateway, name))
    assert [(step.routing, step.rerouted, step.changes) for step in steps] == [
        ("", True, ()), (f"{name}-next at 20%", True, ()), (f"{name}-next at 10%", True, ()), ("", False, ()),
    ]  # fmt: skip
    assert not drifted(steps[0].version)  # so `plan` has nothing to say
    assert steps[2].version.change["source"] == f"canary {name}-next 10%"


async def test_two_graphs_can_not_share_a_canary(gateway: Gateway, name: str) -> None:
    await made(gateway, name)
    await made(gateway, f"{name}-next", graph="other")
    with pytest.raises(Unfit, match="two assistants of one graph"):
        await began(gateway, name)


async def test_what_the_arm_could_not_unset_refuses_the_canary(gateway: Gateway, name: str) -> None:
    await made(gateway, name, graph="bare", context={"tone": "formal", "threshold": 1})
    await made(gateway, f"{name}-next", graph="bare", context={"tone": "brief"})
    with pytest.raises(Unfit, match="set threshold in both"):
        await began(gateway, name)


async def test_an_arm_that_changes_or_goes_never_fails_a_run(
    gateway: Gateway, sdk: LangGraphClient, name: str
) -> None:
    live, other = await two(gateway, name)
    await began(gateway, name)
    threads = [await a_thread(sdk, live, other, inside=True) for _ in range(1)]
    content = replace(other.content(), context={"model": "m"})
    newer = await gateway.update_assistant(other, content, Signature("ben", "test"), exact=True)
    row = await run(sdk, live.assistant_id, threads[0])
    assert (stamp_of(row)["version"], (await seen(sdk, row))[0]["context"]["model"]) == (2, "m")
    await gateway.update_assistant(newer, replace(content, graph="other"), Signature("ben", "test"))
    row = await run(sdk, live.assistant_id, threads[0])
    assert stamp_of(row)["arm"] == "live"
    assert "one graph" in stamp_of(row)["why"]
    assert (await seen(sdk, row))[-1]["context"]["tone"] == "formal"


async def test_an_arm_that_is_deleted_runs_no_longer(
    gateway: Gateway, sdk: LangGraphClient, name: str
) -> None:
    live, other = await two(gateway, name)
    await began(gateway, name)
    thread = await a_thread(sdk, live, other, inside=True)
    assert stamp_of(await run(sdk, live.assistant_id, thread))["arm"] == "canary"
    await gateway.delete_assistant(other)
    async with asyncio.timeout(10):
        while stamp_of(row := await run(sdk, live.assistant_id, thread))["arm"] == "canary":
            pass
    assert stamp_of(row)["why"] == f"{name}-next was not to be had"
    assert (await seen(sdk, row))[-1]["context"]["tone"] == "formal"


async def test_a_tenant_is_pinned_to_an_assistant_of_its_own(
    gateway: Gateway, sdk: LangGraphClient, name: str
) -> None:
    live, acme = await two(gateway, name)
    await canaries.pin(gateway, name, "acme", f"{name}-next", "anna", "as agreed with them")
    theirs = await run(sdk, live.assistant_id, metadata={"canary_key": "acme"})
    others = await run(sdk, live.assistant_id, metadata={"canary_key": "else"})
    assert (stamp_of(theirs)["arm"], stamp_of(theirs)["assistant_id"]) == ("pinned", acme.assistant_id)
    assert [(await seen(sdk, row))[0]["context"]["tone"] for row in (theirs, others)] == ["brief", "formal"]
    thread = (await sdk.threads.create())["thread_id"]
    await run(sdk, live.assistant_id, thread, metadata={"canary_key": "acme"}, input={"ask": True})
    answered = await resume(sdk, live.assistant_id, thread)  # the console knows no key
    assert stamp_of(answered)["arm"] == "pinned"
    assert await contexts(sdk, answered) == [(node, {"tone": "brief"}) for node in ("first", "gate", "last")]
    await canaries.unpin(gateway, name, "acme", "anna", "")
    row = await run(sdk, live.assistant_id, metadata={"canary_key": "acme"})
    assert row["metadata"]["canary"] is None


@pytest.mark.slow
async def test_arms_are_the_same_after_a_restart(
    configured: AgentServer, gateway: Gateway, sdk: LangGraphClient, name: str
) -> None:
    """And hence in every replica: what decides is the ids and what the assistant's metadata says."""
    live, other = await two(gateway, name)
    await began(gateway, name, "30%")
    threads = [(await sdk.threads.create())["thread_id"] for _ in range(12)]

    async def arms() -> list[str]:
        rows = await asyncio.gather(*(run(sdk, live.assistant_id, thread) for thread in threads))
        return [stamp_of(row)["arm"] for row in rows]

    before = await arms()
    await configured.restart()
    async with configured.sdk() as again:
        sdk = again
        assert await arms() == before
    inside = [bucket(live.assistant_id, other.assistant_id, thread) < 0.3 for thread in threads]
    assert before == ["canary" if each else "live" for each in inside]


async def test_what_its_graph_refuses_gets_no_thread(gateway: Gateway, name: str) -> None:
    """No run fails for a canary, nor for a pin."""
    live = await made(gateway, name)
    await made(gateway, f"{name}-next", context={"tone": "loud"})
    with pytest.raises(Unfit, match=r"context\.tone"):
        await canaries.begin(gateway, name, f"{name}-next", 0.5, "ana", "on trial")
    with pytest.raises(Unfit, match=r"context\.tone"):
        await canaries.pin(gateway, name, "acme", f"{name}-next", "ana", "on trial")
    assert (await find(gateway, name)).version == live.version
