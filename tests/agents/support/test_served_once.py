"""Once, whatever callers do: double clicks, the same ticket twice, new messages, several runs on one thread."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from agents.shared.shop import SUPPORT_DESK
from tests.agents.support.client import Conversation, Waiting, every
from tests.fakes.shop import Ledger, lock_waiters, locked

APPROVE = {"action": "approve"}
STRATEGIES = ["reject", "enqueue", "interrupt", "rollback"]


async def test_several_answers_at_once_refund_once(waiting: Conversation, ledger: Ledger) -> None:
    command = await waiting.resume(APPROVE)
    finished = await every(waiting.run(command=command) for _ in range(4))
    assert {values["outcome"] for values in finished} == {"refunded"}
    assert ledger.refunded_usd(waiting.ticket_id) == [640]
    assert ledger.mail_kinds(waiting.ticket_id) == ["acknowledge", "reply"]
    values = (await waiting.state())["values"]
    assert [message["type"] for message in values["messages"]] == ["human", "ai"]


async def test_opposite_answers_at_once_have_one_winner(waiting: Conversation, ledger: Ledger) -> None:
    approve, reject = (
        await waiting.resume(APPROVE),
        await waiting.resume({"action": "reject", "reason": "No."}),
    )
    await every([waiting.run(command=approve), waiting.run(command=reject)])
    values = (await waiting.state())["values"]
    paid = ledger.refunded_usd(waiting.ticket_id)
    assert (values["outcome"], paid) in [("refunded", [640]), ("refund_rejected", [])]
    assert ledger.mail_kinds(waiting.ticket_id) == ["acknowledge", "reply"]


async def test_an_answer_to_an_unknown_question_does_nothing(waiting: Conversation, ledger: Ledger) -> None:
    """Neither while another question waits, nor on a thread that is done."""
    question = await waiting.question()
    unknown: Any = {"resume": {uuid4().hex: APPROVE}}
    await waiting.run(command=unknown)
    assert await waiting.question() == question
    assert not ledger.refunds(waiting.ticket_id)

    await waiting.answer(APPROVE)
    done = (await waiting.state())["values"]
    late = [unknown, {"resume": {question["id"]: APPROVE}}, {"resume": APPROVE}]
    await every(waiting.run(command=command) for command in late)
    assert (await waiting.state())["values"] == done
    assert ledger.refunded_usd(waiting.ticket_id) == [640]
    assert ledger.mail_kinds(waiting.ticket_id) == ["acknowledge", "reply"]


async def test_a_second_request_after_an_approval_finds_the_money_gone(
    waiting: Conversation, ledger: Ledger
) -> None:
    await waiting.answer(APPROVE)
    values = await waiting.want_refund()
    assert values["outcome"] == "refund_declined"
    assert values["decision"]["status"] == "declined"
    assert "refunded already" in values["messages"][-1]["content"]
    assert values["turns"] == 2
    assert ledger.refunded_usd(waiting.ticket_id) == [640]
    assert ledger.mail_kinds(waiting.ticket_id) == ["acknowledge", "reply", "reply"]


async def test_a_second_request_after_a_rejection_asks_again(waiting: Conversation, ledger: Ledger) -> None:
    first = await waiting.question()
    await waiting.answer({"action": "reject", "reason": "No photo."})
    values = await waiting.want_refund()
    second = await waiting.question()
    assert values["decision"]["status"] == "proposed"
    assert "reject_reason" not in values["decision"]
    assert second["id"] != first["id"]
    assert second["value"]["attempt"] == 1
    assert "$640.00" in second["value"]["draft"]

    await waiting.answer(APPROVE)
    assert ledger.refunded_usd(waiting.ticket_id) == [640]
    assert ledger.mail_kinds(waiting.ticket_id) == ["acknowledge", "acknowledge", "reply", "reply"]


async def test_a_new_message_replaces_the_question(waiting: Conversation, ledger: Ledger) -> None:
    first = await waiting.question()
    values = await waiting.say(
        f"Any news on order {waiting.order_id}? It arrived broken, I want my money back!"
    )
    second = await waiting.question()
    assert second["id"] != first["id"]
    assert (values["turns"], second["value"]["amount_usd"]) == (2, 640)

    await waiting.run(command={"resume": {first["id"]: APPROVE}})
    assert await waiting.question() == second, "the old question can't be answered any more"
    assert not ledger.refunds(waiting.ticket_id)
    await waiting.answer(APPROVE)
    assert ledger.refunded_usd(waiting.ticket_id) == [640]
    assert ledger.mail_kinds(waiting.ticket_id) == ["acknowledge", "acknowledge", "reply"], "one a request"


async def test_a_refund_that_a_new_message_drops_is_told_to_the_desk(
    waiting: Conversation, ledger: Ledger
) -> None:
    values = await waiting.say("By the way, how long does standard delivery take?")
    assert (values["outcome"], (await waiting.state())["interrupts"]) == ("answered", [])
    (told,) = [mail for mail in ledger.mails(waiting.ticket_id) if mail["recipient"] == SUPPORT_DESK]
    assert f"a refund of $640.00 for order {waiting.order_id} was waiting for a decision" in told["body"]
    assert not ledger.refunds(waiting.ticket_id)


async def test_one_ticket_on_two_threads_at_once_is_one_refund(
    client: LangGraphClient, ticket: str, order_of: Callable[..., str], ledger: Ledger
) -> None:
    order_id = order_of()
    talks = [await Conversation.open(client, ticket, order_id=order_id) for _ in range(2)]
    await every(talk.want_refund() for talk in talks)
    assert ledger.mail_kinds(ticket) == ["acknowledge"]
    finished = await every(talk.answer(APPROVE) for talk in talks)
    assert [values["outcome"] for values in finished] == ["refunded"] * 2
    assert ledger.refunded_usd(ticket) == [640]
    assert ledger.mail_kinds(ticket) == ["acknowledge", "reply"]


async def test_answers_at_once_with_each_multitask_strategy(
    client: LangGraphClient, all_waiting: Waiting, ledger: Ledger
) -> None:
    async def answered_twice(talk: Conversation, strategy: Any) -> None:
        command = await talk.resume(APPROVE)
        await twice(lambda: talk.run(command=command, multitask_strategy=strategy, raise_error=False))
        await assert_refunded_once(talk, ledger)

    talks = [await all_waiting.take(client) for _ in STRATEGIES]
    await every(map(answered_twice, talks, STRATEGIES))


async def test_messages_at_once_with_each_multitask_strategy(
    client: LangGraphClient, order_of: Callable[..., str], ledger: Ledger
) -> None:
    """A small refund, asked for twice at once: paid once, whichever run survives."""

    async def asked_twice(strategy: Any) -> None:
        talk = await Conversation.open(client, f"multitask-{strategy}", order_id=order_of(48.5))
        await twice(lambda: talk.want_refund(multitask_strategy=strategy, raise_error=False))
        assert ledger.refunded_usd(talk.ticket_id) == [48.5], strategy
        assert (await talk.state())["values"]["messages"][-1]["type"] == "ai"

    await every(map(asked_twice, STRATEGIES))


@pytest.mark.parametrize("table", ["refunds", "mails"])
async def test_a_run_that_is_cut_off_in_the_middle_of_an_effect(
    client: LangGraphClient, all_waiting: Waiting, served_shop: str, ledger: Ledger, table: str
) -> None:
    """The refund, or the reply after it, waits for a lock in the database when another run takes the thread over."""
    talks = {strategy: await all_waiting.take(client) for strategy in ("enqueue", "interrupt", "rollback")}
    commands = {strategy: await talk.resume(APPROVE) for strategy, talk in talks.items()}
    with locked(served_shop, f"lock table shop.{table} in exclusive mode"):
        for strategy, talk in talks.items():
            await talk.start(command=commands[strategy])
        await lock_waiters(served_shop, like=f"insert into shop.{table}%", at_least=len(talks))
        seconds = [
            await talk.start(command=commands[strategy], multitask_strategy=strategy)
            for strategy, talk in talks.items()
        ]
    await every(talk.join(run) for talk, run in zip(talks.values(), seconds, strict=True))
    for talk in talks.values():
        await assert_refunded_once(talk, ledger)


async def test_twenty_threads_at_once(
    client: LangGraphClient, order_of: Callable[..., str], ledger: Ledger
) -> None:
    async def refunded(number: int) -> None:
        talk = await Conversation.open(client, f"parallel-{number}", order_id=order_of(20 + number))
        values = await talk.want_refund()
        assert values["outcome"] == "refunded"
        assert ledger.refunded_usd(talk.ticket_id) == [20 + number]
        assert ledger.mail_kinds(talk.ticket_id) == ["reply"]

    await every(map(refunded, range(20)))


async def twice(run: Callable[[], Awaitable[Any]]) -> None:
    """Start it twice at once; a 409 is a fair answer to either."""
    for result in await asyncio.gather(run(), run(), return_exceptions=True):
        if isinstance(result, httpx.HTTPStatusError):
            assert result.response.status_code == 409
        elif isinstance(result, BaseException):
            raise result


async def assert_refunded_once(talk: Conversation, ledger: Ledger) -> None:
    """A run that was cut off may have left the question open: then it is answered."""
    if (await talk.state())["interrupts"]:
        await talk.answer(APPROVE)
    state = await talk.state()
    assert state["next"] == []
    assert state["values"]["outcome"] == "refunded"
    assert ledger.refunded_usd(talk.ticket_id) == [640]
    assert ledger.mail_kinds(talk.ticket_id) == ["acknowledge", "reply"]
