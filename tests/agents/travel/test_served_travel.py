"""The travel graph through the served API: found and held, two who race, the inbox, a forged state, a double answer."""

import asyncio
from uuid import uuid4

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.agents.reviewing import Inbox
from tests.agents.thread import ServedThread
from tests.agents.travel.agency import Agency, day
from tests.agents.travel.traveller import APPROVE


@pytest.fixture
def agency(served_shop: str) -> Agency:
    """The tables behind the server; its callers are of the main tenant, and tests count by thread."""
    return Agency(served_shop, "main")


async def asked(client: LangGraphClient, text: str) -> ServedThread:
    thread = await ServedThread.begin(client, "travel", context={"model": "offline:rules"})
    await thread.run(input={"messages": [{"role": "user", "content": text}]})
    return thread


WISH = f"From Berlin to Lisbon, {day(20)} to {day(24)}, German passport, at most $1,500 in all."


async def test_a_trip_is_found_asked_about_held_and_released(client: LangGraphClient, agency: Agency) -> None:
    thread = await asked(client, WISH)
    question = await thread.question()
    assert question["value"]["kind"] == "trip_hold"
    ways = question["response_schema"]["$defs"].values()
    assert {way["properties"]["action"]["const"] for way in ways} == {"approve", "reject", "change"}
    command = await thread.resume(APPROVE)
    runs = [await thread.start(command=command, multitask_strategy="enqueue") for _ in range(3)]
    for run_id in runs:
        await thread.join(run_id)
    assert agency.statuses(thread.thread_id) == ["held"]
    values = await thread.run(input={"messages": [{"role": "user", "content": "Please release it."}]})
    assert (values["outcome"], agency.statuses(thread.thread_id)) == ("released", ["released"])


async def test_two_who_race_for_the_last_seat(client: LangGraphClient, agency: Agency) -> None:
    number = f"ZZ{int(uuid4().hex[:4], 16) % 9_000 + 1_000}"
    agency.flight(number, 40, way="ROM-LIS", seats=1)
    text = f"One way from Rome to Lisbon on {day(40)}, German passport"
    one, two = await asyncio.gather(asked(client, text), asked(client, text))
    ended = await asyncio.gather(one.answer(APPROVE), two.answer(APPROVE))
    assert sorted(values["outcome"] for values in ended) == ["answered", "held"]
    assert sorted(agency.statuses(one.thread_id) + agency.statuses(two.thread_id)) == ["held"]
    (loser,) = [values for values in ended if values["outcome"] == "answered"]
    assert "seats" in loser["messages"][-1]["content"]


async def test_a_forged_yes_and_a_forged_price_hold_nothing(client: LangGraphClient, agency: Agency) -> None:
    thread = await asked(client, WISH)
    offer = (await thread.state())["values"]["offer"]
    forged = {"offer": {**offer, "total_usd": 1.0}}
    await thread.run(command={**await thread.resume(APPROVE), "update": forged})
    assert "not what was offered" in (await thread.question())["value"]["problem"]
    await client.threads.update_state(thread.thread_id, {"outcome": "held"}, as_node="backfill")
    await thread.run(input=None)
    assert "nobody has said yes" in (await thread.question())["value"]["problem"]
    assert agency.holds(thread.thread_id) == []


async def test_the_desk_answers_in_the_inbox(client: LangGraphClient, inbox: Inbox, agency: Agency) -> None:
    thread = await asked(client, WISH)
    review = await inbox.opened(thread.thread_id)
    assert (review.groups, review.payload["kind"]) == (("travel",), "trip_hold")
    await inbox.decide(review, APPROVE, "kim", group="travel")
    (closed,) = await inbox.settle(thread.thread_id)
    assert closed.state == "finished"
    assert agency.statuses(thread.thread_id) == ["held"]
    assert agency.agreements(thread.thread_id) == [("hold", "kim, by local")]
