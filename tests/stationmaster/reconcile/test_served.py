"""Plans carried out on a real server: it has what the files say, nothing else changes, nothing is made twice."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from stationmaster.reconcile.diff import Desired
from stationmaster.reconcile.fields import wanted
from stationmaster.reconcile.plan import as_json
from stationmaster.reconcile.reconciling import NotApplied, Wish, apply, look, still_different
from stationmaster.reconcile.resources import Assistant, Cron, Work
from stationmaster.reconcile.sparing import WAY_OUT
from tests.stationmaster.reconcile.conftest import RUNTIMES, Served
from tests.stationmaster.reconcile.wishes import BY, DESIRED, A, K, actual, applied, fields, told


@pytest.mark.parametrize("target", RUNTIMES, indirect=True)
async def test_what_the_files_say_is_what_the_server_has_and_a_second_apply_writes_nothing(
    served: Served,
) -> None:
    assert [outcome.change.action for outcome in await applied(served, DESIRED)] == ["create"] * 4
    assert await fields(served) == {
        "ServedAssistant a": wanted(A),
        "ServedAssistant b": wanted(DESIRED.assistants[1]),
        "ServedCron k": wanted(K),
        "ServedCron l": wanted(DESIRED.crons[1]),
    }
    (found,) = [each for each in await served.gateway.assistants() if each.owned and each.name == "a"]
    assert {**found.change, "at": None} == {
        "author": "ana", "source": "test", "reason": "because", "at": None, "from_version": None,
    }  # fmt: skip
    served.wire.reset()
    assert await applied(served, DESIRED) == []
    assert (served.wire.writes, served.wire.others) == ([], [])


EDITS: dict[str, Any] = {
    "description": "", "context.tone": {"context": {**A.context, "tone": "brief"}},
    "context.max_turns": {"context": {**A.context, "max_turns": 3}},
    "context.system_prompt": {"context": {key: A.context[key] for key in ("tone", "approval_threshold_usd")}},
    "recursion_limit": None, "tags": (), "metadata.team": {"metadata": {"cost": A.metadata["cost"]}},
    "metadata.cost": {"metadata": {"team": "shop", "cost": {"center": 8}}},
    "metadata.new": {"metadata": {**A.metadata, "new": 1}},
    "live": False,
}  # fmt: skip


@pytest.mark.parametrize("field", EDITS)
async def test_an_edit_of_one_field_changes_that_field_alone(served: Served, field: str) -> None:
    await applied(served, DESIRED)
    before = await fields(served)
    edit = EDITS[field] if isinstance(EDITS[field], dict) else {field: EDITS[field]}
    edited = replace(A, **edit)
    desired = replace(DESIRED, assistants=(edited, DESIRED.assistants[1]))
    assert told(await look(Wish(desired), served.gateway)) == [("a", "update", [field])]
    served.wire.reset()
    (outcome,) = await applied(served, desired)
    assert len(served.wire.writes) == 1
    assert outcome.version == 2
    assert await fields(served) == {**before, "ServedAssistant a": wanted(edited)}
    assert (await look(Wish(desired), served.gateway)).changes == ()


async def test_an_assistant_can_lose_everything_that_it_may(served: Served) -> None:
    """Servers take an empty config for none, and keep the old one."""
    bare = Assistant("a", "support")
    for context in ({}, A.context):
        await applied(served, Desired((replace(A, context=context),)))
        await applied(served, Desired((bare,)))
        assert await fields(served) == {"ServedAssistant a": wanted(bare)}


CRON_EDITS: dict[str, Any] = {
    "schedule": "0 8 * * *", "timezone": "America/New_York", "input": {}, "missed": "skip", "keep_days": 3,
    "enabled": False, "review": {}, "assistant": "b", "overlap": "replace", "thread": "daily",
}  # fmt: skip


@pytest.mark.parametrize("field", CRON_EDITS)
async def test_an_edit_of_one_field_of_a_cron_changes_that_field_alone_and_one_cron_stays(
    served: Served, field: str
) -> None:
    await applied(served, DESIRED)
    before = await fields(served)
    edited = replace(K, **{field: CRON_EDITS[field]})
    desired = replace(DESIRED, crons=(edited, DESIRED.crons[1]))
    action = "replace" if field in ("assistant", "overlap", "thread") else "update"
    assert told(await look(Wish(desired), served.gateway)) == [("k", action, [field])]
    await applied(served, desired)
    assert await fields(served) == {**before, "ServedCron k": wanted(edited)}
    assert len((await actual(served)).crons) == 2
    assert (await look(Wish(desired), served.gateway)).changes == ()


async def test_twenty_five_of_each_among_others_are_never_doubled(served: Served) -> None:
    """More than a page of what servers give by default."""
    for number in range(12):
        theirs = await served.others.assistants.create("support", name=f"n{number}")
        await served.others.crons.create(
            theirs["assistant_id"], schedule="0 1 * * *", metadata={"name": f"n{number}"}
        )
    desired = Desired(
        tuple(Assistant(f"n{number}", "support") for number in range(25)),
        tuple(Cron(f"n{number}", f"n{number}", "0 9 * * *") for number in range(25)),
    )
    for changes in (50, 0, 0):
        assert len(await applied(served, desired)) == changes
    moved = replace(desired, crons=tuple(replace(cron, schedule="0 8 * * *") for cron in desired.crons))
    assert len(await applied(served, Wish(moved, force=True))) == 25
    has = await actual(served)
    assert len([each for each in has.assistants if each.owned]) == 25
    assert len([each for each in has.assistants if not each.owned and not each.system]) == 12
    assert len([each for each in has.crons if each.owned]) == 25
    assert len([each for each in has.crons if not each.owned]) == 12
    for changes in (50, 0):
        assert len(await applied(served, Wish(Desired(), prune=True, force=True))) == changes
    assert len((await actual(served)).crons) == 12


async def test_drift_is_shown_by_field_left_if_asked_and_put_back(served: Served) -> None:
    await applied(served, DESIRED)
    a = A.assistant_id
    config: Any = {"tags": ["z"], "max_concurrency": 3}
    await served.others.assistants.update(
        a, context={"tone": "brief", "max_turns": 3}, config=config, name="mine",
        metadata={"theirs": 1, "team": "other"},
    )  # fmt: skip
    (cron,) = [each for each in (await actual(served)).crons if each.name == "k"]
    await served.others.crons.update(
        cron.cron_id, schedule="0 7 * * *", input={"a": 1}, end_time=datetime(2030, 1, 1, tzinfo=UTC)
    )
    made = await look(Wish(DESIRED), served.gateway)
    assert told(made) == [
        ("a", "drift", ["name", "context.tone", "context.approval_threshold_usd", "context.system_prompt",
                        "recursion_limit", "tags", "metadata.team", "config.max_concurrency", "context.max_turns"]),
        ("k", "drift", ["schedule", "input", "end_time"]),
    ]  # fmt: skip
    tone = next(each for each in as_json(made.changes[0])["fields"] if each["field"] == "context.tone")
    assert tone == {"field": "context.tone", "from": "brief", "to": "formal", "drifted": True}
    before = await fields(served)
    assert await applied(served, Wish(DESIRED, keep_drift=True)) == []
    assert await fields(served) == before
    await applied(served, DESIRED)
    assert (await look(Wish(DESIRED), served.gateway)).changes == ()
    (found,) = [each for each in (await actual(served)).assistants if each.assistant_id == a]
    assert found.labels == {**A.metadata, "theirs": 1}, "a label of others is theirs"


async def test_where_drift_is_kept_what_was_just_written_and_reads_otherwise_is_told(served: Served) -> None:
    await applied(served, DESIRED)
    await served.others.assistants.update(A.assistant_id, context={"tone": "brief"})
    new = Assistant("c", "support", "As it was told")
    wish = Wish(replace(DESIRED, assistants=(*DESIRED.assistants, new)), keep_drift=True)
    outcomes = await applied(served, wish)
    assert [outcome.change.name for outcome in outcomes] == ["c"]
    assert (await still_different(wish, served.gateway, outcomes)).changes == (), "drift that was to be kept"
    await served.others.assistants.update(new.assistant_id, description="As the server keeps it")
    (change,) = (await still_different(wish, served.gateway, outcomes)).changes
    assert (change.name, [each.field for each in change.fields]) == ("c", ["description"])


async def test_a_file_that_changed_beside_drift_is_an_update_that_says_so(served: Served) -> None:
    await applied(served, DESIRED)
    await served.others.assistants.update(A.assistant_id, config={"tags": ["z"]}, context=dict(A.context))
    edited = replace(A, description="New")
    (change,) = (await look(Wish(replace(DESIRED, assistants=(edited,))), served.gateway)).changes
    assert change.action == "update"
    assert {each.field: each.drifted for each in change.fields} == {
        "description": False, "recursion_limit": True, "tags": True
    }  # fmt: skip


async def test_what_is_not_ours_stays_even_under_our_names(served: Served) -> None:
    others = served.others
    theirs = await others.assistants.create(
        "support", name="a", metadata={"managed_by": "stationmaster", "name": "a"}
    )
    cron: Any = await others.crons.create(
        theirs["assistant_id"], schedule="0 1 * * *", metadata={"name": "k"}
    )
    await applied(served, DESIRED)
    await applied(served, Wish(Desired(), prune=True, force=True))
    assert await others.assistants.get(theirs["assistant_id"]) == theirs
    assert [each["cron_id"] for each in await others.crons.search(limit=100)] == [cron["cron_id"]]


async def test_an_id_that_somebody_else_took_is_refused_before_anything_is_written(served: Served) -> None:
    await served.others.assistants.create("support", assistant_id=A.assistant_id, name="squatter")
    served.wire.reset()
    with pytest.raises(NotApplied, match=r"squatter: .* not ours .* another name"):
        await applied(served, DESIRED)
    assert served.wire.writes == []


async def test_prune_spares_an_assistant_that_crons_of_others_use(served: Served) -> None:
    await applied(served, DESIRED)
    theirs: Any = await served.others.crons.create(A.assistant_id, schedule="0 1 * * *")
    made = await look(Wish(Desired(), prune=True), served.gateway)
    assert list(made.kept) == ["a"]
    await applied(served, Wish(Desired(), prune=True, force=True))
    assert [each.cron_id for each in (await actual(served)).crons] == [theirs["cron_id"]]
    assert [each.name for each in (await actual(served)).assistants if each.owned] == ["a"]


Asks = Callable[[str], Awaitable[str]]


@pytest.fixture
async def ask(served: Served) -> AsyncIterator[Asks]:
    """Makes a thread of an assistant wait for somebody; gives its id, and takes it away afterwards."""
    made: list[str] = []

    async def one(assistant_id: str) -> str:
        made.append((await served.others.threads.create())["thread_id"])
        given = {"ticket_id": "t", "messages": []}
        await served.others.runs.wait(made[-1], assistant_id, input=given, interrupt_before="*")
        return made[-1]

    yield one
    for thread in made:
        await served.others.threads.delete(thread)


async def test_prune_spares_an_assistant_whose_question_waits(served: Served, ask: Asks) -> None:
    await applied(served, DESIRED)
    thread = await ask(A.assistant_id)
    prune = Wish(Desired(), prune=True, force=True)
    made = await look(prune, served.gateway)
    assert made.kept == {"a": f"1 question waits for a person ({WAY_OUT})"}
    await applied(served, prune)
    assert [each.name for each in (await actual(served)).assistants if each.owned] == ["a"]
    assert (await served.others.threads.get(thread))["status"] == "interrupted"
    forced = replace(prune, even_busy=True)
    assert (await look(forced, served.gateway)).losing == {"a": Work(0, 1)}
    await applied(served, forced)
    assert [each.name for each in (await actual(served)).assistants if each.owned] == []


async def test_a_question_and_a_canary_that_come_up_meanwhile_are_seen_right_before_deleting(
    served: Served, ask: Asks
) -> None:
    await applied(served, DESIRED)
    arm = {"assistant": "b", "assistant_id": DESIRED.assistants[1].assistant_id}
    theirs = await served.others.assistants.create("support", name="live")

    async def meanwhile(request: httpx.Request) -> None:
        if request.url.path.startswith("/runs/crons"):
            served.wire.before_write = None
            await ask(A.assistant_id)
            await served.others.assistants.update(
                theirs["assistant_id"], metadata={"canary": {"pins": {"x": arm}}}
            )

    served.wire.before_write = meanwhile
    wish = Wish(Desired(), prune=True, force=True)
    outcomes = {each.change.name: each async for each in apply(wish, served.gateway, BY)}
    assert {name: each.status for name, each in outcomes.items()} == {
        "a": "failed", "b": "failed", "k": "done", "l": "done"
    }  # fmt: skip
    assert "1 question waits for a person" in outcomes["a"].detail
    assert "the canary or a pin of live leads to it by now; it was not deleted" in outcomes["b"].detail
    assert (await look(wish, served.gateway)).changes == ()


async def test_duplicates_are_merged_down_to_one_that_is_right(served: Served) -> None:
    await applied(served, DESIRED)
    for schedule in (K.schedule, "0 1 * * *"):
        await served.gateway.create_cron(replace(K, schedule=schedule), BY)
    (change,) = (await look(Wish(DESIRED), served.gateway)).changes
    assert (change.action, len(change.surplus)) == ("merge", 2)
    await applied(served, DESIRED)
    assert [each.schedule for each in (await actual(served)).crons if each.name == "k"] == [K.schedule]
    await served.gateway.create_cron(replace(K, name="nameless"), BY)
    await served.gateway.create_cron(replace(K, name="nameless"), BY)
    await applied(served, DESIRED)
    assert len([each for each in (await actual(served)).crons if each.name == "nameless"]) == 1, (
        "without a file too"
    )


async def test_more_than_thirty_percent_of_ten_wants_force(served: Served) -> None:
    several = tuple(Assistant(f"n{number}", "support") for number in range(10))
    await applied(served, Desired(several))
    three = tuple(replace(each, description="x") for each in several[:3]) + several[3:]
    four = tuple(replace(each, description="y") for each in several[:4]) + several[4:]
    await applied(served, Desired(three))
    with pytest.raises(NotApplied, match=r"4 of 10 things .* --force"):
        await applied(served, Desired(four))
    with pytest.raises(NotApplied, match="--force"):
        await applied(served, Wish(Desired(several[4:]), prune=True))
    await applied(served, Wish(Desired(four), force=True))


async def test_prune_where_there_is_no_file_is_taken_for_the_wrong_folder(served: Served) -> None:
    await applied(served, DESIRED)
    with pytest.raises(NotApplied, match="there is no file here"):
        await applied(served, Wish(Desired(), prune=True))
    assert len((await actual(served)).crons) == 2
