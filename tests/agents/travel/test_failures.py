"""A database that is away, for a while or for good: tried three times, then dead-lettered, and nothing is half done."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

from agents.shared.database import DatabaseUnavailable
from agents.travel import inventory
from agents.travel.graph import builder, graph
from tests.agents.travel.agency import Agency
from tests.agents.travel.traveller import APPROVE, WISH, Traveller, hurry, whole


@pytest.fixture
def rosa(agency: Agency, monkeypatch: pytest.MonkeyPatch) -> Traveller:
    hurry(monkeypatch)
    agency.week()
    return Traveller(agency)


def away(times: int, real: Callable[..., Awaitable[Any]]) -> tuple[Any, list[int]]:
    """A stand-in that finds no database so many times, and then does the real thing; and a list of its calls."""
    calls: list[int] = []

    async def stand_in(*args: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) <= times:
            raise DatabaseUnavailable("away")
        return await real(*args, **named)

    return stand_in, calls


@pytest.mark.parametrize(
    "name",
    [
        "live_hold",
        "place",
        "flights",
        "visa_for",
        "stays",
        "quote",
        "keep",
        "share_exceeded",
        "agree",
        "hold",
    ],
)
async def test_one_that_comes_back_is_asked_again_and_holds_once(
    agency: Agency, rosa: Traveller, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    stand_in, calls = away(2, getattr(inventory, name))
    monkeypatch.setattr(inventory, name, stand_in)
    await rosa.say(WISH)
    values = await rosa.answer(APPROVE)
    assert (values["outcome"], len(calls) >= 3) == ("held", True)
    assert agency.taken() == (2, 4)


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("flights", "search_flights"),
        ("stays", "search_hotels"),
        ("visa_for", "check_visa"),
        ("keep", "offer"),
    ],
)
async def test_one_that_stays_away_ends_in_the_dead_letters(
    agency: Agency, rosa: Traveller, monkeypatch: pytest.MonkeyPatch, name: str, node: str
) -> None:
    stand_in, calls = away(99, getattr(inventory, name))
    monkeypatch.setattr(inventory, name, stand_in)
    values = await rosa.say(WISH)
    assert (values["outcome"], len(calls), await rosa.waits()) == ("failed", 3, False)
    (letter,) = agency.dead_letters(rosa.thread_id)
    assert (letter["node"], letter["detail"]["tenant"]) == (node, agency.tenant)
    assert "try again in a few minutes" in await rosa.reply()
    assert whole(values)


@pytest.mark.parametrize("name", ["agree", "hold"])
async def test_a_yes_that_can_not_be_kept_holds_nothing(
    agency: Agency, rosa: Traveller, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    await rosa.say(WISH)
    stand_in, calls = away(99, getattr(inventory, name))
    monkeypatch.setattr(inventory, name, stand_in)
    values = await rosa.answer(APPROVE)
    assert (values["outcome"], len(calls), agency.taken()) == ("failed", 3, (0, 0))
    monkeypatch.undo()
    await rosa.say("Search again")
    assert (await rosa.answer(APPROVE))["outcome"] == "held"


async def test_what_is_held_is_not_known_while_it_is_away_and_the_request_goes_on(
    rosa: Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in, _ = away(3, inventory.live_hold)
    monkeypatch.setattr(inventory, "live_hold", stand_in)
    values = await rosa.say(WISH)
    assert await rosa.waits()
    assert [note[:6] for note in values["degraded"]] == ["intake"]


async def test_a_hold_that_was_made_and_not_heard_of_is_found_again(
    agency: Agency, rosa: Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection breaks after the commit: whoever asks again gets the hold that there is."""
    await rosa.say(WISH)
    real, calls = inventory.hold, list[int]()

    async def lost_on_the_way(*args: Any) -> Any:
        calls.append(1)
        held = await real(*args)
        if len(calls) < 3:
            raise DatabaseUnavailable("went away in the middle")
        return held

    monkeypatch.setattr(inventory, "hold", lost_on_the_way)
    values = await rosa.answer(APPROVE)
    assert (values["outcome"], len(calls), len(agency.holds()), agency.taken()) == ("held", 3, 1, (2, 4))


async def test_another_process_goes_on_with_what_postgres_has_of_the_thread(
    agency: Agency, rosa: Traveller
) -> None:
    async with AsyncPostgresSaver.from_conn_string(agency.uri) as saver:
        await saver.setup()
        rosa.graph = builder.compile(checkpointer=saver)
        await rosa.say(WISH)
    async with AsyncPostgresSaver.from_conn_string(agency.uri) as saver:
        rosa.graph = builder.compile(checkpointer=saver)
        values = await rosa.answer(APPROVE)
    assert (values["outcome"], agency.taken()) == ("held", (2, 4))


async def test_a_bug_fails_loudly_at_once(rosa: Traveller, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    async def broken(*_: Any) -> Any:
        calls.append(1)
        raise ValueError("a bug")

    monkeypatch.setattr(inventory, "stays", broken)
    with pytest.raises(ValueError, match="a bug"):
        await rosa.say(WISH)
    assert len(calls) == 1


async def test_without_a_thread_nothing_begins(rosa: Traveller) -> None:
    with pytest.raises(ValueError, match="needs a thread"):
        await graph.ainvoke({"messages": [HumanMessage("Hello")]}, context=rosa.context)
