"""One report a slot, and one mail a reader: whatever runs again, at once, or after a kill in between."""

import asyncio
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

from agents.digest import tools
from agents.digest.context import Context
from agents.digest.graph import builder
from agents.digest.state import Input, State
from agents.shared.database import DatabaseUnavailable
from agents.shared.resilience import RETRY
from tests.agents.digest.world import SLOT, Digest, World, ago


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many tries as ever, but hardly a wait between them."""
    fast = RETRY._replace(initial_interval=0.01, jitter=False)
    for spec in builder.nodes.values():
        if spec.retry_policy is not None:
            monkeypatch.setattr(spec, "retry_policy", fast)


async def test_a_second_run_gets_the_first_ones_report(world: World) -> None:
    digest = Digest.of()
    first = await digest.run()
    world.dead_letter(ago(hours=1), ticket="T")
    second = await digest.run(SLOT.replace(minute=30))  # another moment of the same slot
    assert (first["repeated"], second["repeated"]) == (False, True)
    assert second["figures"] == first["figures"]
    assert second["markdown"] == first["markdown"]
    assert (first["mailed"], second["mailed"]) == (["desk@shop.example"], [])
    assert len(world.reports()) == len(world.mails()) == 1


async def test_ten_runs_at_once_make_one_report(world: World) -> None:
    outs = await asyncio.gather(*(Digest.of().run() for _ in range(10)))
    assert len(world.reports()) == len(world.mails()) == 1
    assert len({out["markdown"] for out in outs}) == 1
    assert sum(len(out["mailed"]) for out in outs) == 1


async def test_a_new_reader_gets_the_slots_report_too(world: World) -> None:
    await Digest.of(recipients=["a@example.com"]).run()
    out = await Digest.of(recipients=["a@example.com", "b@example.com", "b@example.com"]).run()
    assert out["mailed"] == ["b@example.com"]
    assert [mail["recipient"] for mail in world.mails()] == ["a@example.com", "b@example.com"]


async def test_without_readers_it_is_kept(world: World) -> None:
    assert (await Digest.of(recipients=[]).run())["mailed"] == []
    assert (len(world.reports()), world.mails()) == (1, [])


async def test_names_have_slots_of_their_own(world: World) -> None:
    for name in ("daily", "managers"):
        assert (await Digest.of(name=name).run())["repeated"] is False
    assert len(world.mails()) == 2


async def test_a_run_that_died_between_report_and_mail_is_ended_by_the_next(world: World) -> None:
    died = builder.compile(checkpointer=InMemorySaver(), interrupt_before=["send"])
    config = {"configurable": {"thread_id": "t"}}
    await died.ainvoke({"slot": SLOT.isoformat()}, config, context=Context(model="offline:rules"))  # pyright: ignore[reportArgumentType]
    assert (len(world.reports()), world.mails()) == (1, [])
    assert (await Digest.of().run())["mailed"] == ["desk@shop.example"]


@pytest.mark.usefixtures("quick")
async def test_a_part_that_fails_for_now_is_read_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    tries, real = list[str](), tools._figures  # pyright: ignore[reportPrivateUsage]

    async def figures(query: str, **params: object) -> object:
        if query == "reviews":
            tries.append(query)
            if len(tries) < 3:
                raise DatabaseUnavailable("gone")
        return await real(query, **params)

    monkeypatch.setattr(tools, "_figures", figures)
    out = await Digest.of().run()
    assert out["degraded"] == []
    assert len(tries) == 4  # two that failed, then both spans


@pytest.mark.usefixtures("quick")
async def test_a_part_that_stays_away_is_told_in_the_report(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries, real = list[str](), tools._figures  # pyright: ignore[reportPrivateUsage]

    async def figures(query: str, **params: object) -> object:
        if query == "reviews":
            tries.append(query)
            raise DatabaseUnavailable("the database went away")
        return await real(query, **params)

    monkeypatch.setattr(tools, "_figures", figures)
    out = await Digest.of().run()
    assert len(tries) == 3
    assert "reviews" not in out["figures"]
    assert out["figures"]["quiet"] is False, "what could not be read may be anything"
    assert "## Could not be read\n\n- reviews: DatabaseUnavailable: the database went away" in out["markdown"]
    assert out["degraded"] == ["reviews: DatabaseUnavailable: the database went away"]


@pytest.mark.usefixtures("quick")
async def test_a_report_that_lacks_a_part_gives_way_to_a_whole_one_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, away = tools._figures, True  # pyright: ignore[reportPrivateUsage]

    async def figures(query: str, **params: object) -> object:
        if query == "reviews" and away:
            raise DatabaseUnavailable("gone")
        return await real(query, **params)

    monkeypatch.setattr(tools, "_figures", figures)
    first, again = await Digest.of().run(), await Digest.of().run()
    assert (first["repeated"], again["repeated"]) == (False, True), "no better, and not mailed again"
    assert (first["mailed"], again["mailed"]) == (["desk@shop.example"], [])
    away = False
    world.dead_letter(ago(hours=1), ticket="T")
    whole, after = await Digest.of().run(), await Digest.of().run()
    assert (whole["repeated"], whole["mailed"]) == (False, ["desk@shop.example"])
    assert whole["figures"]["tickets"]["now"]["dead_letters"] == 1
    assert (after["repeated"], after["mailed"], after["markdown"]) == (True, [], whole["markdown"])
    (kept,) = world.reports()
    assert kept["markdown"] == whole["markdown"]
    assert len(world.mails()) == 2


@pytest.mark.usefixtures("quick")
async def test_mail_that_can_not_be_queued_fails_the_run_and_goes_out_when_it_is_run_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries, real = list[int](), tools.mail_report

    async def away(*_: object, **__: object) -> bool:
        tries.append(1)
        raise DatabaseUnavailable("gone")

    monkeypatch.setattr(tools, "mail_report", away)
    with pytest.raises(DatabaseUnavailable):
        await Digest.of().run()
    assert (len(tries), len(world.reports()), world.mails()) == (3, 1, [])
    monkeypatch.setattr(tools, "mail_report", real)
    out = await Digest.of().run()
    assert (out["repeated"], out["mailed"]) == (True, ["desk@shop.example"])


async def test_a_bug_fails_the_run_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[str] = []

    async def figures(query: str, **_: object) -> object:
        tries.append(query)
        raise ValueError("a bug")

    monkeypatch.setattr(tools, "_figures", figures)
    with pytest.raises(ValueError, match="a bug"):
        await Digest.of().run()
    assert len(tries) == len(set(tries)), "none was tried again"
    assert not world.reports()


ADDED_SINCE = frozenset({"missing", "degraded", "mailed", "repeated", "headline", "usage"})


def older(saver: InMemorySaver) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The graph of an earlier release, whose state lacks some of today's fields; it stops before the report is kept."""
    kept = {name: hint for name, hint in State.__annotations__.items() if name not in ADDED_SINCE}
    state: Any = TypedDict("OlderState", kept)  # type: ignore[return-value]
    before: StateGraph[Any, Any, Any, Any] = StateGraph(state, context_schema=Context, input_schema=Input)
    for name, spec in builder.nodes.items():
        before.add_node(name, spec.runnable, input_schema=state)
    before.edges |= builder.edges
    before.waiting_edges |= builder.waiting_edges
    for source, branches in builder.branches.items():
        for name, branch in branches.items():
            before.branches[source][name] = branch._replace(input_schema=None)
    return before.compile(checkpointer=saver, interrupt_before=["keep"], name="digest")


async def test_a_report_that_waits_under_the_older_version_is_kept_and_mailed_by_this_one(
    world: World,
) -> None:
    saver = InMemorySaver()
    config: RunnableConfig = {"configurable": {"thread_id": "t"}}
    context = Context(model="offline:rules")
    earlier, today = older(saver), builder.compile(checkpointer=saver, name="digest")
    assert set(today.channels) - set(earlier.channels) >= ADDED_SINCE
    await earlier.ainvoke({"slot": SLOT.isoformat()}, config, context=context)
    assert not ADDED_SINCE & (await earlier.aget_state(config)).values.keys()
    assert not world.reports()

    out = await today.ainvoke(None, config, context=context)
    assert out["mailed"] == ["desk@shop.example"]
    assert len(world.reports()) == len(world.mails()) == 1
