"""Try it: answers of both sides, nothing that happens for real, nobody who is asked, and nothing left behind."""

import json
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from stationmaster.assistants import trying
from stationmaster.assistants.effects import Effects, declared, effects_of
from stationmaster.assistants.overlay import defaults_of
from stationmaster.assistants.trying import NotTried
from stationmaster.reconcile.reading_back import assistant_from
from stationmaster.reconcile.resources import Assistant
from stationmaster.reviews.agent_server import AgentServer
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.model import ThreadSnapshot
from stationmaster.reviews.observe import observe
from stationmaster.reviews.policies import load
from stationmaster.reviews.questions import SCRATCH, questions
from stationmaster.reviews.reading import checkpoint_from
from tests.fakes.agent_server import ROOT
from tests.stationmaster.console.pages.served.conftest import Served, fields, words

QUESTION = "How long does a refund take?"
REFUND = "My order 88123 arrived broken, I want my money back"
OPERATOR = "I want to talk to a person about order 88123"


async def scratch(place: Served) -> list[Any]:
    return list(await place.client.threads.search(metadata={SCRATCH: True}, limit=100))


def effects(uri: str) -> list[int]:
    tables = ("shop.refunds", "shop.mails", "shop.dead_letters", "reviews.reviews")
    with psycopg.connect(uri) as conn:
        return [conn.execute(f"select count(*) from {table}").fetchone()[0] for table in tables]  # pyright: ignore


async def streamed(place: Served, name: str, message: str, **more: str) -> list[dict[str, Any]]:
    async with place.person() as pia:
        told = await pia.post(f"/assistants/{name}/try/stream", data={"message": message, **more})
        assert told.status_code == 200 and told.headers["content-type"] == "application/x-ndjson"
        return [json.loads(line) for line in told.text.splitlines()]


async def test_a_question_is_answered_on_both_sides_and_nothing_is_left(place: Served, served_shop: str):
    live = await place.made(live=True)
    made = await place.made(context={"tone": "brief"})
    before = effects(served_shop)
    events = await streamed(place, made.known_as, QUESTION)
    said = {
        side: "".join(e.get("text", "") for e in events if e["side"] == side) for side in ("this", "live")
    }
    ends = {event["side"]: event for event in events if event["kind"] == "ended"}
    assert "refund" in said["this"].lower() and "refund" in said["live"].lower()
    assert said["this"] != said["live"]
    assert ends["this"]["state"] == ends["live"]["state"] == "stopped"
    assert "Stopped before send" in ends["this"]["words"]
    assert sum(event["kind"] == "text" for event in events) > 20  # it comes in pieces
    assert effects(served_shop) == before and await scratch(place) == []
    await place.client.assistants.update(live.assistant_id, metadata={"live": False})


@pytest.mark.parametrize(
    ("message", "node"), [(REFUND, ("acknowledge", "refund", "send")), (OPERATOR, ("hand_over",))]
)
async def test_what_would_pay_or_mail_stops_before_it(
    place: Served, served_shop: str, message: str, node: tuple[str, ...]
):
    made = await place.made(context={"approval_threshold_usd": 0})
    before = effects(served_shop)
    events = await streamed(place, made.known_as, message)
    (ended,) = (event for event in events if event["kind"] == "ended")
    assert ended["state"] == "stopped" and any(f"before {each} (" in ended["words"] for each in node)
    assert effects(served_shop) == before and await scratch(place) == []


async def test_without_scripts_both_answers_come_at_once_and_the_page_says_what_it_does(place: Served):
    made = await place.made()
    where = f"/assistants/{made.known_as}/try"
    async with place.person() as pia:
        page = (await pia.get(where)).text
        assert (
            "Nothing happens for real." in page and "mails the customer" in page and "pays the refund" in page
        )
        empty = await pia.post(where, data={"message": " "})
        assert empty.status_code == 422 and "Write a message first." in empty.text
        told = await pia.post(where, data=fields(page) | {"message": QUESTION})
    assert "Stopped before send" in told.text and "help article" in words(told.text)


async def test_what_was_typed_is_tried_before_it_is_saved(place: Served):
    made = await place.made(live=True)
    where = f"/assistants/{made.known_as}"
    async with place.person() as pia:
        sent = fields((await pia.get(where)).text) | {"field:context.tone": "brief"}
        looked = await pia.post(f"{where}/try", data=sent)
        assert looked.status_code == 200 and f"{made.known_as}@1, edited" in looked.text
        again = fields(looked.text) | {"message": QUESTION}
        assert again["field:context.tone"] == "brief"
        told = words((await pia.post(f"{where}/try", data=again)).text)
        assert "Thank you for writing to us!" in told  # the live side, friendly; the draft is brief
        assert told.count("Thank you for writing to us!") == 1
        wrong = await pia.post(f"{where}/try", data=again | {"field:context.temperature": "9"})
        assert wrong.status_code == 422 and "out of range" in wrong.text
    assert (await place.now(made)).version == 1
    await place.client.assistants.update(made.assistant_id, metadata={"live": False})


async def test_an_earlier_version_is_tried_with_its_own_settings(place: Served):
    made = await place.made(context={"tone": "friendly"})
    await place.client.assistants.update(made.assistant_id, context={"tone": "brief"})
    async with place.person() as pia:
        page = (await pia.get(f"/assistants/{made.known_as}/try?version=1")).text
        assert "an earlier version" in page
        told = await pia.post(f"/assistants/{made.known_as}/try", data=fields(page) | {"message": QUESTION})
    assert "Thank you for writing to us!" in told.text


async def test_what_a_killed_console_left_behind_is_taken_away(place: Served):
    left = await place.client.threads.create(metadata={SCRATCH: True})
    other = await place.client.threads.create(metadata={"graph_id": "support"})
    assert await trying.tidy(place.gateway, timedelta(hours=1)) == 0
    assert await trying.tidy(place.gateway, timedelta(0)) == 1
    assert left["thread_id"] not in [row["thread_id"] for row in await scratch(place)]
    assert await place.client.threads.get(other["thread_id"])


async def test_whoever_leaves_stops_it_and_the_thread_goes(place: Served):
    made = await place.made()
    schemas = await place.gateway.schemas("support")
    everybody = await place.gateway.assistants()
    system = next(each for each in everybody if each.system)
    found = await effects_of(place.gateway, system.assistant_id)
    given = {"messages": [{"role": "user", "content": QUESTION}]}
    events = trying.run(
        place.gateway, trying.trial(made.content(), system, defaults_of(schemas), found, given)
    )
    assert isinstance(await anext(events), trying.Step)
    assert len(await scratch(place)) == 1
    await events.aclose()
    assert await scratch(place) == []


async def test_the_inbox_never_sees_a_scratch_thread(place: Served):
    """Both threads stand at the same breakpoint; the review service looks at each as a webhook or a sweep makes it."""
    at_work = desk_of(place)
    opened: dict[bool, tuple[str, ...]] = {}
    for marked in (True, False):
        thread = await place.client.threads.create(metadata={SCRATCH: True} if marked else {})
        given: Any = {"messages": [{"role": "user", "content": QUESTION}]}
        await place.client.runs.wait(thread["thread_id"], "support", input=given, interrupt_before=["assess"])
        for source in ("hook", "sweep"):
            seen = await observe(at_work, thread["thread_id"], source)
            opened[marked] = opened.get(marked, ()) + seen.opened
        await place.client.threads.delete(thread["thread_id"])
        assert not marked or opened[marked] == ()
    assert len(opened[False]) == 1


def desk_of(place: Served) -> Desk:
    policies = load(ROOT / "webhooks" / "policies")
    return Desk(place.pool, AgentServer(place.client, place.gateway.url), policies, "test")


def test_a_graph_that_declares_nothing_is_not_tried():
    nothing = declared([{"id": "a", "type": "runnable"}, {"id": "b", "metadata": {"defer": True}}])
    assert nothing == Effects({}, declared=False)
    with pytest.raises(NotTried, match="does not say which of its nodes have an effect"):
        trying.trial(Assistant("x", "other"), _system(), {}, nothing, {})


def test_effects_are_those_that_the_graph_names():
    nodes = [
        {"id": "a", "metadata": {"effect": ""}},
        {"id": "b", "metadata": {"effect": "mails"}},
        {"id": "c"},
    ]
    assert declared(nodes) == Effects({"b": "mails"}, declared=True)
    assert declared(nodes[:1]) == Effects({}, declared=True)


def test_a_scratch_thread_asks_nobody():
    state = {
        "next": ["ask"],
        "tasks": [{"id": "t", "name": "ask", "interrupts": [{"id": "i", "value": "?"}]}],
    }
    checkpoint = checkpoint_from(state)
    assert questions(ThreadSnapshot("t", "interrupted", checkpoint, ()))
    assert not questions(ThreadSnapshot("t", "interrupted", checkpoint, (), metadata={SCRATCH: True}))
    assert questions(ThreadSnapshot("t", "interrupted", checkpoint, (), metadata={SCRATCH: "yes"}))


def _system() -> Any:
    return assistant_from(
        {
            "assistant_id": "a", "graph_id": "other", "name": "other", "version": 1,
            "metadata": {"created_by": "system"}, "config": {}, "context": {},
            "updated_at": "2026-11-30T10:00:00+00:00",
        }
    )  # fmt: skip
