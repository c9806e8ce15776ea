"""Limits end a conversation politely: turns, cost, super-steps, length."""

from collections.abc import Callable
from typing import Any

from langgraph_sdk.client import LangGraphClient

from agents.support.context import KEEP_MESSAGES, RECURSION_LIMIT
from tests.agents.support.client import Conversation, every, wants_refund
from tests.fakes.shop import Ledger

APPROVE = {"action": "approve"}
PERSON = "I want to talk to a person."


def spent(model: str, *, tokens: int = 0, usd: float = 0.0, unpriced: bool = False) -> dict[str, Any]:
    """A usage row as state holds it."""
    row = {"calls": 1, "input_tokens": tokens, "output_tokens": 0, "usd": usd, "unpriced": unpriced}
    return {f"classify|{model}": row}


async def test_a_turn_too_many_is_closed_politely(
    client: LangGraphClient, ticket: str, order_of: Callable[..., str], ledger: Ledger
) -> None:
    talk = await Conversation.open(client, ticket, order_id=order_of(48.5), max_turns=1)
    assert (await talk.say(PERSON))["outcome"] == "human"
    values = await talk.want_refund()
    assert values["outcome"] == "closed"
    assert "colleague" in values["messages"][-1]["content"]
    assert ticket in values["messages"][-1]["content"]
    assert values["degraded"] == ["limit reached: turn 2 is over the limit of 1 turns"]
    assert not ledger.refunds(ticket)
    assert (await talk.status(), (await talk.state())["next"]) == ("idle", [])
    assert [message["type"] for message in values["messages"]] == ["human", "ai"] * 2


async def test_money_and_unpriced_tokens_that_are_spent_close_the_conversation(
    client: LangGraphClient,
) -> None:
    async def closed(ticket: str, usage: dict[str, Any], reason: str, **context: Any) -> None:
        talk = await Conversation.open(client, ticket, **context)
        await talk.say(PERSON)
        await client.threads.update_state(talk.thread_id, {"usage": usage}, as_node="send")
        values = await talk.say(PERSON)
        assert values["outcome"] == "closed"
        assert reason in values["degraded"][0]
        assert values["usage"]["draft_reply|offline:rules"]["calls"] == 1, "no model was asked again"

    await every(
        [
            closed("cost-default", spent("openai:gpt-5", usd=5.0), "$5.00 spent, the limit is $5.00"),
            closed(
                "cost-set",
                spent("openai:gpt-5", usd=0.2),
                "$0.20 spent, the limit is $0.10",
                max_cost_usd=0.1,
            ),
            closed("cost-unknown", spent("openai:new", tokens=200_000, unpriced=True), "price is unknown"),
        ]
    )


async def test_what_is_spent_below_the_limit_closes_nothing(client: LangGraphClient, ticket: str) -> None:
    talk = await Conversation.open(client, ticket, max_cost_usd=0.3)
    await talk.say(PERSON)
    usage = spent("openai:gpt-5", usd=0.2)
    await client.threads.update_state(talk.thread_id, {"usage": usage}, as_node="send")
    values = await talk.say(PERSON)
    assert values["outcome"] == "human"
    assert values["usage"]["classify|openai:gpt-5"]["usd"] == 0.2


async def test_the_graphs_own_recursion_limit_holds_over_the_api(talk: Conversation) -> None:
    """The server has a default of its own, some ten thousand; it fills in only for graphs that bind none."""
    parts = await talk.stream("tasks", input=talk.input(PERSON))
    first = next(data for event, data in parts if event == "tasks")
    assert first["input"]["remaining_steps"] == RECURSION_LIMIT - 1


async def test_a_low_recursion_limit_ends_politely_and_is_counted(
    client: LangGraphClient, order_of: Callable[..., str], ledger: Ledger
) -> None:
    """From five super-steps on, the fewest in which a request can be handed to a person."""

    async def limited(limit: int, paid_usd: float) -> tuple[int, str]:
        talk = await Conversation.open(client, f"limit-{paid_usd}-{limit}", order_id=order_of(paid_usd))
        values = await talk.want_refund(config={"recursion_limit": limit})
        letters = [letter["node"] for letter in ledger.dead_letters(talk.ticket_id)]
        if values["outcome"] == "dead_letter":
            assert letters == ["recursion_limit"]
            assert "colleague" in values["messages"][-1]["content"]
        else:
            assert not letters
        assert len(ledger.refunds(talk.ticket_id)) == (values["outcome"] == "refunded")
        return limit, values["outcome"]

    limits = range(5, 13)
    small = await every(limited(limit, 48.5) for limit in limits)
    large = await every(limited(limit, 640.0) for limit in limits)
    assert {outcome for _, outcome in small} == {"dead_letter", "refunded"}
    assert {outcome for _, outcome in large} == {"dead_letter", "refund_proposed"}
    for outcomes in (small, large):
        enough = [limit for limit, outcome in outcomes if outcome != "dead_letter"]
        assert enough == list(range(enough[0], 13)), "with more steps it never does worse"


async def test_a_long_conversation_is_summarised_and_its_facts_survive(
    talk: Conversation, ledger: Ledger
) -> None:
    texts = [wants_refund(talk.order_id), *(f"And another thing, number {n}." for n in range(28))]
    messages = [{"role": "user" if n % 2 == 0 else "assistant", "content": t} for n, t in enumerate(texts)]
    messages.append({"role": "user", "content": "It really is broken. Please give me my money back."})
    values = await talk.run(input={"ticket_id": talk.ticket_id, "messages": messages})
    assert len(values["messages"]) == KEEP_MESSAGES
    assert talk.order_id in values["summary"]
    assert len(values["summary"].split()) <= 120
    assert (values["intent"], values["order_id"]) == ("refund", talk.order_id)
    values = await talk.answer(APPROVE)
    assert ledger.refunded_usd(talk.ticket_id) == [640]
    assert len(values["messages"]) == KEEP_MESSAGES + 1


async def test_one_message_of_200_kb(talk: Conversation, ledger: Ledger) -> None:
    text = f"{wants_refund(talk.order_id)} {'It is broken in so many ways. ' * 7_000}"
    assert len(text) > 200_000
    values = await talk.say(text)
    assert (values["intent"], values["outcome"]) == ("refund", "refund_proposed")
    await talk.answer(APPROVE)
    assert ledger.refunded_usd(talk.ticket_id) == [640]
