"""Promote and roll back on a real `langgraph dev`: whole content, read back, used by runs, refused when outdated."""

import asyncio
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.assistants.differing import drifted
from stationmaster.assistants.errors import NoSuchAssistant, NothingToDo, NotOurs
from stationmaster.assistants.overlay import Unfit
from stationmaster.assistants.proposing import propose_promote, propose_rollback
from stationmaster.assistants.versions import history
from stationmaster.assistants.writing import Written, carry_out
from stationmaster.reconcile.errors import Conflict
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import Assistant, ServedAssistant, Signature
from tests.stationmaster.assistants.conftest import made
from tests.stationmaster.assistants.serving import contexts, resume, run, seen


async def promoted(gateway: Gateway, name: str, origin: str, author: str = "anna") -> Written:
    return await carry_out(gateway, await propose_promote(gateway, None, name, origin), author, "better")


async def edited(gateway: Gateway, before: ServedAssistant, **content: Any) -> ServedAssistant:
    said = before.content()
    fields = {**{name: getattr(said, name) for name in said.__dataclass_fields__}, **content}
    return await gateway.update_assistant(before, Assistant(**fields), Signature("ben", "test"), exact=True)


async def test_a_promote_is_a_new_version_with_author_reason_source_and_the_version_before(
    gateway: Gateway, name: str
) -> None:
    await made(
        gateway, name, context={"tone": "formal"}, recursion_limit=30, tags=("a",), description="For customers.",
        metadata={"team": "care"}, live=True,
    )  # fmt: skip
    await made(gateway, f"{name}-next", context={"threshold": 100}, tags=("b", "c"), description="Tried out.")
    written = await promoted(gateway, name, f"{name}-next")
    after = written.after
    assert (after.version, after.context, after.recursion_limit, after.tags) == (
        2, {"threshold": 100}, None, ("a",),
    )  # fmt: skip
    assert (after.description, after.labels, after.live, after.known_as) == (
        "For customers.",
        {"team": "care"},
        True,
        name,
    )
    change = dict(after.change)
    assert change.pop("at")
    assert change == {
        "author": "anna", "reason": "better", "source": f"promote {name}-next@1", "from_version": 1,
    }  # fmt: skip
    assert {difference.field for difference in written.changes} == {
        "context.tone",
        "context.threshold",
        "recursion_limit",
    }
    assert after == await gateway.assistant(after.assistant_id)
    assert drifted(after)  # the file says otherwise


async def test_a_run_after_a_rollback_really_uses_the_old_content(
    gateway: Gateway, sdk: LangGraphClient, name: str
) -> None:
    first = await made(
        gateway, name, context={"tone": "formal", "threshold": 100}, recursion_limit=30, tags=("old",),
        description="First.", metadata={"team": "care", "note": "kept"},
    )  # fmt: skip
    second = await edited(
        gateway, first, context={"tone": "brief", "model": "offline:rules"}, recursion_limit=None, tags=(),
        description="", metadata={"team": "sales", "new": 1},
    )  # fmt: skip
    proposal = await propose_rollback(gateway, None, name)
    assert proposal.origin == f"{name}@1"
    after = (await carry_out(gateway, proposal, "anna", "worse than before")).after
    assert (after.version, after.content()) == (3, first.content())
    for node in await seen(sdk, await run(sdk, second.assistant_id)):
        assert node["context"] == {"tone": "formal", "threshold": 100, "model": None}
        assert node["configurable"] == {"tone": "formal", "threshold": 100}
        assert (node["recursion_limit"], node["tags"]) == (30, ["old"])


async def test_a_rollback_to_empty_content_empties(gateway: Gateway, sdk: LangGraphClient, name: str) -> None:
    """Servers take an empty config for none; the limit and the tags of the newer version must still go."""
    first = await made(gateway, name)
    await edited(gateway, first, context={"tone": "brief"}, recursion_limit=12, tags=("x",), description="d")
    after = (await carry_out(gateway, await propose_rollback(gateway, None, name), "anna", "")).after
    assert after.content() == first.content()
    (node, *_) = await seen(sdk, await run(sdk, first.assistant_id))
    assert (node["context"]["tone"], node["recursion_limit"], node["tags"]) == ("friendly", 40, [])


async def test_a_rollback_restores_the_graph_and_says_what_that_means(gateway: Gateway, name: str) -> None:
    first = await made(gateway, name)
    await edited(gateway, first, graph="other")
    proposal = await propose_rollback(gateway, None, name)
    assert any("The graph changes from other to configured" in said for said in proposal.consequences())
    assert (await carry_out(gateway, proposal, "anna", "")).after.graph == "configured"


async def test_each_node_records_the_configuration_of_the_documented_rule(
    gateway: Gateway, sdk: LangGraphClient, name: str
) -> None:
    """A run uses its assistant as it is when the run is made, to its end. A resume is a run. So: A, B, A on one thread,
    then A asks, is promoted, and answered: what came before the question saw the old A, what comes after sees the new.
    """
    a = await made(gateway, name, context={"tone": "formal"}, recursion_limit=31)
    b = await made(gateway, f"{name}-b", context={"tone": "brief", "threshold": 50})
    thread = (await run(sdk, a.assistant_id))["thread_id"]
    await run(sdk, b.assistant_id, thread)
    await run(sdk, a.assistant_id, thread)
    paused = await run(sdk, a.assistant_id, thread, input={"ask": True})
    written = await promoted(gateway, name, f"{name}-b")
    answered = await resume(sdk, a.assistant_id, thread)
    old, other = {"tone": "formal"}, {"tone": "brief", "threshold": 50}
    assert await contexts(sdk, answered) == [
        *((node, old) for node in ("first", "gate", "last")),
        *((node, other) for node in ("first", "gate", "last")),
        *((node, old) for node in ("first", "gate", "last")),
        ("first", old), ("gate", other), ("last", other),
    ]  # fmt: skip
    assert [node["recursion_limit"] for node in await seen(sdk, answered)][-3:] == [31, 40, 40]
    # `configurable` follows the first run of the thread for ever: graphs read the context.
    assert {node["configurable"].get("tone") for node in await seen(sdk, answered)} == {"formal"}
    versions = [each["metadata"]["assistant_version"] for each in (paused, answered)]
    assert versions == [1, written.after.version]


async def test_of_two_who_promote_at_once_one_wins_and_one_is_told(gateway: Gateway, name: str) -> None:
    live = await made(gateway, name)
    for other in ("x", "y"):
        await made(gateway, f"{name}-{other}", context={"model": other})
    proposals = [await propose_promote(gateway, None, name, f"{name}-{other}") for other in ("x", "y")]
    outcomes = await asyncio.gather(
        *(carry_out(gateway, each, "anna", "") for each in proposals), return_exceptions=True
    )
    (winner,) = [each for each in outcomes if isinstance(each, Written)]
    (told,) = [each for each in outcomes if isinstance(each, Conflict)]
    assert "somebody else is just replacing version 1" in str(told) or "version 1" in str(told)
    assert winner.after.version == 2
    assert await gateway.assistant(live.assistant_id) == winner.after


async def test_many_promotes_at_once_leave_one_version(gateway: Gateway, name: str) -> None:
    live = await made(gateway, name)
    await made(gateway, f"{name}-x", context={"model": "x"})
    proposal = await propose_promote(gateway, None, name, f"{name}-x")
    outcomes = await asyncio.gather(
        *(carry_out(gateway, proposal, str(n), "") for n in range(10)), return_exceptions=True
    )
    assert sorted(type(each).__name__ for each in outcomes) == ["Conflict"] * 9 + ["Written"]
    assert len(await gateway.versions(live.assistant_id)) == 2


async def test_a_version_that_was_expected_and_is_not_current_refuses(
    gateway: Gateway, sdk: LangGraphClient, name: str
) -> None:
    live = await made(gateway, name)
    await made(gateway, f"{name}-x", context={"model": "x"})
    proposal = await propose_promote(gateway, None, name, f"{name}-x", expected=1)
    await sdk.assistants.update(live.assistant_id, context={"tone": "brief"})  # in Studio
    with pytest.raises(Conflict, match="version 1 was expected and 2 is current"):
        await carry_out(gateway, proposal, "anna", "")
    with pytest.raises(Conflict, match=f"{name}@1"):
        await propose_promote(gateway, None, name, f"{name}-x", expected=1)
    now = await gateway.assistant(live.assistant_id)
    assert now
    assert (now.version, now.context) == (2, {"tone": "brief"})


async def test_the_history_says_who_why_and_what(gateway: Gateway, sdk: LangGraphClient, name: str) -> None:
    live = await made(gateway, name, context={"tone": "formal"})
    await made(gateway, f"{name}-x", context={"tone": "brief"})
    await promoted(gateway, name, f"{name}-x")
    await sdk.assistants.update(live.assistant_id, description="by hand")
    now = await gateway.assistant(live.assistant_id)
    assert now
    steps = await history(gateway, now)
    assert [step.version.version for step in steps] == [3, 2, 1]
    assert [[each.field for each in step.changes] for step in steps] == [
        ["description"],
        ["context.tone"],
        [],
    ]
    assert [step.current for step in steps] == [True, False, False]


async def test_what_nobody_made_here_is_not_changed(
    gateway: Gateway, sdk: LangGraphClient, name: str
) -> None:
    await sdk.assistants.create("configured", name=name)
    await made(gateway, f"{name}-x", context={"tone": "brief"})
    with pytest.raises(NotOurs, match="somebody else made it"):
        await propose_promote(gateway, None, name, f"{name}-x")
    with pytest.raises(NotOurs, match="the server makes it anew"):
        await propose_promote(gateway, None, "configured", f"{name}-x")


async def test_what_does_not_make_sense_is_said(gateway: Gateway, name: str) -> None:
    await made(gateway, name)
    await made(gateway, f"{name}-x")
    with pytest.raises(NothingToDo, match="say the same"):
        await propose_promote(gateway, None, name, f"{name}-x")
    with pytest.raises(NothingToDo, match="no earlier version"):
        await propose_rollback(gateway, None, name)
    with pytest.raises(NoSuchAssistant, match=f"did you mean {name}"):
        await propose_rollback(gateway, None, f"{name}z")
    with pytest.raises(NoSuchAssistant, match="has no version 9: it has 1 to 1"):
        await propose_rollback(gateway, None, name, 9)


async def test_running_and_waiting_are_counted_and_their_fate_said(
    gateway: Gateway, sdk: LangGraphClient, name: str
) -> None:
    live = await made(gateway, name)
    await made(gateway, f"{name}-x", context={"tone": "brief"})
    await run(sdk, live.assistant_id, input={"ask": True})
    await run(sdk, live.assistant_id, input={"ask": True})
    proposal = await propose_promote(gateway, None, name, f"{name}-x")
    assert (proposal.impact.waiting, proposal.impact.running, proposal.impact.known_from) == (2, 0, "threads")
    assert proposal.consequences() == [
        "No run is under way.",
        "2 questions wait for a person: they stay as asked; once answered, their runs go on with version 2.",
    ]


async def test_what_its_graph_refuses_becomes_no_version(gateway: Gateway, name: str) -> None:
    """Every run of the live assistant would fail: by another's content, and by an earlier version's."""
    live = await made(gateway, name, context={"tone": "loud"}, live=True)
    mended = await edited(gateway, live, context={"tone": "formal"})
    await made(gateway, f"{name}-next", context={"tone": "loud"})
    with pytest.raises(Unfit, match=rf"{name}-next@1 can't be run: .*context\.tone"):
        await propose_promote(gateway, None, name, f"{name}-next")
    with pytest.raises(Unfit, match=rf"version 1 of {name} can't be run: .*context\.tone"):
        await propose_rollback(gateway, None, name)
    assert await gateway.assistant(live.assistant_id) == mended
