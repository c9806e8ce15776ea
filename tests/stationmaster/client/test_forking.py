"""Forks: another message, another result of a node; the history as it was; the refund single."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import StreamPart

from stationmaster.client import (
    Fork,
    NothingToFork,
    ThreadBusy,
    ThreadGone,
    branch,
    correct,
    edit_message,
    start,
    stream,
)
from tests.agents.support.client import GRAPH, Conversation, wants_refund
from tests.fakes.shop import Ledger, lock_waiters, locked

APPROVE = {"action": "approve"}
PERSON = "I want to talk to a person."


async def run(talk: Conversation, fork: Fork) -> list[str]:
    """Run the fork to where it stops; the nodes that ran."""
    parts: list[StreamPart] = [
        part async for part in stream(talk.client, talk.thread_id, GRAPH, checkpoint=fork.checkpoint)
    ]
    return [node for part in parts if part.event == "updates" for node in part.data]


async def message_ids(talk: Conversation) -> list[str]:
    return [message["id"] for message in (await talk.state())["values"]["messages"]]


def frozen(history: list[Any]) -> dict[str, Any]:
    """A history by checkpoint, as values that may not change."""
    return {
        item["checkpoint"]["checkpoint_id"]: (
            item["values"],
            item["next"],
            item["metadata"],
            item["created_at"],
        )
        for item in history
    }


async def test_correcting_the_intent_takes_the_other_branch(talk: Conversation, ledger: Ledger) -> None:
    """A customer who wanted a refund is handed to a person; the order that was read stays read."""
    await talk.want_refund()
    before = frozen(await talk.history())
    head = await talk.state()

    fork = await correct(talk.client, talk.thread_id, {"intent": "human"}, as_node="classify")
    assert fork.next == ("assess",)
    assert fork.origin == head["checkpoint"]
    assert await run(talk, fork) == ["assess", "draft_reply", "hand_over", "send"]

    values = (await talk.state())["values"]
    assert (values["outcome"], values["order_id"]) == ("human", talk.order_id)
    assert ledger.mail_kinds(talk.ticket_id) == ["acknowledge", "desk"]
    assert not ledger.refunds(talk.ticket_id)
    after = frozen(await talk.history())
    assert {key: after[key] for key in before} == before
    original = await talk.client.threads.get_state(talk.thread_id, checkpoint=fork.origin)
    assert original["interrupts"] == head["interrupts"]


async def test_the_other_way_round_the_refund_asks_a_person(talk: Conversation, ledger: Ledger) -> None:
    await talk.say(f"I have a question about order {talk.order_id}, which is damaged: do you ship abroad?")
    fork = await correct(talk.client, talk.thread_id, {"intent": "refund"}, as_node="classify")
    assert sorted(fork.next) == ["check_return_policy", "lookup_order"]
    await run(talk, fork)
    assert (await talk.question())["value"]["title"].startswith("Refund $640.00")
    await talk.answer(APPROVE)
    assert ledger.refunded_usd(talk.ticket_id) == [640]


async def test_a_second_correction_adds_to_the_first(
    talk: Conversation, order_of: Callable[..., str]
) -> None:
    await talk.want_refund()
    other = order_of(48.5)
    fork = await correct(talk.client, talk.thread_id, {"order_id": other}, as_node="classify")
    await run(talk, fork)
    assert (await talk.state())["values"]["decision"]["amount_usd"] == 48.5
    fork = await correct(talk.client, talk.thread_id, {"intent": "complaint"}, as_node="classify")
    await run(talk, fork)
    values = (await talk.state())["values"]
    assert (values["intent"], values["order_id"]) == ("complaint", other)


async def test_a_fork_after_the_refund_asks_again_and_pays_once(talk: Conversation, ledger: Ledger) -> None:
    """What the docstrings warn of, and what the support graph's keys keep from happening."""
    await talk.want_refund()
    first = await talk.question()
    await talk.answer(APPROVE)
    effects = [ledger.refunds(talk.ticket_id), ledger.mails(talk.ticket_id)]

    fork = await correct(talk.client, talk.thread_id, {"draft": "Dear Rosa, ..."}, as_node="draft_reply")
    assert fork.next == ("approve",)
    await run(talk, fork)
    again = await talk.question()
    assert again["id"] != first["id"]
    assert again["value"]["draft"] == "Dear Rosa, ..."
    values = await talk.answer(APPROVE)
    assert (values["outcome"], values["messages"][-1]["content"]) == ("refunded", "Dear Rosa, ...")
    assert [ledger.refunds(talk.ticket_id), ledger.mails(talk.ticket_id)] == effects
    assert ledger.refunded_usd(talk.ticket_id) == [640]


async def test_an_edited_message_that_wants_the_same_is_one_refund(
    client: LangGraphClient, ticket: str, order_of: Callable[..., str], ledger: Ledger
) -> None:
    talk = await Conversation.open(client, ticket, order_id=order_of(48.5))
    await talk.want_refund()
    (asked, *_) = await message_ids(talk)
    fork = await edit_message(
        client, talk.thread_id, asked, f"Good day! {wants_refund(talk.order_id)} Please."
    )
    await run(talk, fork)
    assert ledger.refunded_usd(ticket) == [48.5]
    assert ledger.mail_kinds(ticket) == ["reply"]


async def test_an_edited_message_leaves_the_history_as_it_was(talk: Conversation) -> None:
    await talk.say(PERSON)
    await talk.say("Do you ship abroad?")
    before, ids = frozen(await talk.history()), await message_ids(talk)
    fork = await edit_message(talk.client, talk.thread_id, ids[2], "How can I pay?")
    assert fork.next == ("intake",)
    await run(talk, fork)
    messages = (await talk.state())["values"]["messages"]
    assert [message["id"] for message in messages[:3]] == ids[:3]
    assert messages[2]["content"] == "How can I pay?"
    assert len(messages) == 4
    after = frozen(await talk.history())
    assert {key: after[key] for key in before} == before


async def test_the_first_message_and_one_that_was_edited_before(talk: Conversation) -> None:
    """On the fork, later messages are not there; the ticket that came with the first one is."""
    await talk.say("Do you ship abroad?")
    await talk.say("How can I pay?")
    first = (await message_ids(talk))[0]
    for text in ("Never mind, a person please.", PERSON):
        await run(talk, await edit_message(talk.client, talk.thread_id, first, text))
        values = (await talk.state())["values"]
        assert values["messages"][0]["content"] == text
        assert (len(values["messages"]), values["ticket_id"], values["turns"]) == (2, talk.ticket_id, 1)


async def test_an_edit_takes_the_question_off_the_branch(talk: Conversation, ledger: Ledger) -> None:
    await talk.want_refund()
    (asked, *_) = await message_ids(talk)
    await run(talk, await edit_message(talk.client, talk.thread_id, asked, PERSON))
    assert (await talk.state())["interrupts"] == []
    assert not ledger.refunds(talk.ticket_id)


async def test_what_there_is_nothing_to_fork_of(talk: Conversation) -> None:
    client, thread_id = talk.client, talk.thread_id
    with pytest.raises(NothingToFork, match="has no history: send its first message"):
        await edit_message(client, thread_id, "m1", "x")
    await talk.say(PERSON)
    ids = await message_ids(talk)
    with pytest.raises(NothingToFork, match=f"thread {thread_id} has no message m1"):
        await edit_message(client, thread_id, "m1", "x")
    with pytest.raises(NothingToFork, match="was not sent by a person: use `correct`"):
        await edit_message(client, thread_id, ids[1], "x")
    with pytest.raises(NothingToFork, match="lookup_order has not run on thread"):
        await correct(client, thread_id, {"order": None}, as_node="lookup_order")
    gone = "01a22c47-ee1b-719c-8a95-eb85c10ed321"
    with pytest.raises(ThreadGone, match=gone):
        await correct(client, gone, {}, as_node="classify")


async def test_a_thread_at_work_is_not_forked(talk: Conversation, served_shop: str) -> None:
    with locked(served_shop, "lock table shop.mails in exclusive mode"):
        run = await start(talk.client, talk.thread_id, GRAPH, input=talk.input(PERSON))
        await lock_waiters(served_shop, like="%shop.mails%")
        with pytest.raises(ThreadBusy, match="wait for its end, or cancel it"):
            await correct(talk.client, talk.thread_id, {"intent": "human"}, as_node="classify")
    await talk.join(run.run_id)


async def test_a_branch_longer_than_a_page(talk: Conversation, monkeypatch: pytest.MonkeyPatch) -> None:
    await talk.say(PERSON)
    await talk.say(PERSON)
    (first, *_) = await message_ids(talk)
    monkeypatch.setattr(branch, "PAGE", 4)
    await run(talk, await edit_message(talk.client, talk.thread_id, first, "How can I pay?"))
    assert (await talk.state())["values"]["intent"] == "question"
