"""State with ranges in which nothing unknown has a place: a bad write fails at the next node, with the field named."""

from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from pydantic import ValidationError

from agents.treasury.state import State
from tests.agents.treasury.desk import APPROVE, Book, Desk, pay


@pytest.mark.parametrize(
    ("update", "field"),
    [
        ({"risk": 101}, "risk"),
        ({"turns": -1}, "turns"),
        ({"proposal": {**pay(10), "amount_usd": -5.0}}, "amount_usd"),
        ({"proposal": {**pay(10), "amount_usd": 10.001}}, "amount_usd"),
        ({"proposal": {**pay(10), "amount_usd": "10"}}, "amount_usd"),
        ({"proposal": {**pay(10), "iban": "x"}}, "iban"),
        ({"proposal": {"kind": "gift"}}, "proposal"),
        ({"clarifications": [{"question": "x", "who": "y"}]}, "who"),
        ({"outcome": "paid"}, "outcome"),
    ],
)
async def test_a_bad_write_beside_an_answer_fails_at_the_next_node(
    book: Book, update: dict[str, Any], field: str
) -> None:
    desk = Desk()
    await desk.ask(pay(7_200))
    with pytest.raises(ValidationError) as raised:
        await desk.answer(APPROVE, by="ada", update=update)
    assert field in {str(part) for error in raised.value.errors() for part in error["loc"]}
    assert book.statuses(desk.thread_id) == ["checked"]
    assert book.signers(desk.thread_id) == []


async def test_after_a_bad_write_the_thread_is_readable_and_can_be_put_right(book: Book) -> None:
    desk = Desk()
    await desk.ask(pay(7_200))
    with pytest.raises(ValidationError, match="risk"):
        await desk.answer(APPROVE, by="ada", update={"risk": 101})
    assert (await desk.graph.aget_state(desk.config())).next == ("gate",)
    await desk.graph.aupdate_state(desk.config(), {"risk": 50}, as_node="record")
    await desk.run(None)
    values = await desk.answer(APPROVE, by="ada")
    assert values["outcome"] == "executed"
    assert book.signers(desk.thread_id) == ["ada"]


async def test_an_edit_that_does_not_fit_fails_at_the_next_node_too(book: Book) -> None:
    desk = Desk()
    await desk.ask(pay(7_200))
    await desk.graph.aupdate_state(desk.config(), {"attempts": -1}, as_node="backfill")
    with pytest.raises(ValidationError, match="attempts"):
        await desk.run(None)
    assert (await desk.graph.aget_state(desk.config())).next == ("sign",)


async def test_what_is_asked_wrongly_fails_with_the_field_and_can_be_asked_again(book: Book) -> None:
    desk = Desk()
    for wrong in (pay(-1), pay(1, beneficiary="J\u200bosé Ramírez Quintero"), pay(1, account="")):
        with pytest.raises(ValidationError, match=r"amount_usd|beneficiary|account"):
            await desk.ask(wrong)
    assert book.transactions(desk.thread_id) == []
    assert (await desk.ask(pay(1)))["outcome"] == "executed"


async def test_input_sets_nothing_but_what_is_asked(book: Book) -> None:
    desk = Desk()
    await desk.run({"request": pay(40_000), "signatures": ["ada", "bo"], "turns": 7, "bogus": 1})
    values = await desk.values()
    assert (values["signatures"], values["turns"]) == ([], 1)
    assert await desk.waits()


async def test_clients_send_messages_as_roles(book: Book) -> None:
    desk = Desk()
    values = await desk.run({"messages": [{"role": "user", "content": "Buy 2 ACME"}]})
    assert values["outcome"] == "executed"
    assert isinstance(values["messages"][0], HumanMessage)


async def test_checkpoints_hold_plain_json(book: Book) -> None:
    desk = Desk()
    await desk.ask(pay(40_000))
    values = await desk.values()
    assert type(values["proposal"]) is dict
    assert type(values["verdict"]) is dict
    assert State(**values).verdict == values["verdict"]
