"""Threads in this process that wait at the gate, and what callers of the API can do to them."""

from typing import Any

from tests.agents.support.client import wants_refund
from tests.agents.support.in_process import Talk
from tests.fakes.shop import Ledger, place_order

APPROVE = {"action": "approve"}
REJECT = {"action": "reject", "reason": "It was used for a year."}


async def waiting(ledger: Ledger, ticket: str, paid_usd: float = 640.0, **context: Any) -> Talk:
    """A thread that waits at the gate for a new order's money."""
    talk = Talk.open(ticket, **context)
    state = await talk.say(wants_refund(place_order(ledger.uri, paid_usd)))
    assert state.get("outcome") == "refund_proposed"
    assert await talk.next() == ("approve",)
    return talk


async def forged(talk: Talk, **changes: Any) -> dict[str, Any]:
    """The thread's decision, with changes."""
    return {"decision": {**((await talk.state()).get("decision") or {}), **changes}}


async def questions(talk: Talk) -> list[Any]:
    return list((await talk.graph.aget_state(talk.config)).interrupts)


async def settle(talk: Talk) -> None:
    """Go on until nothing is left to run or a person is asked."""
    while await talk.next() and not await questions(talk):
        await talk.run(None)


async def assert_asked(talk: Talk, ledger: Ledger, amount_usd: float = 640.0) -> None:
    """Nothing is paid, a person is asked about that amount; whose no is a no, and after whose yes it is paid."""
    assert not ledger.refunds(talk.ticket_id)
    (question,) = await questions(talk)
    assert question.value["amount_usd"] == amount_usd
    await talk.answer(APPROVE)
    await settle(talk)
    assert await talk.next() == ()
    assert (await talk.state()).get("outcome") == "refunded"
    assert ledger.refunded_usd(talk.ticket_id) == [amount_usd]
