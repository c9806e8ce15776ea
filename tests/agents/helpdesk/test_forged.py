"""No refund is paid that no person let pass, whatever is written into the thread's state. Counted in the ledger."""

from decimal import Decimal
from typing import Any

import psycopg
import pytest
from langgraph.types import Command

from agents.helpdesk import gate
from agents.helpdesk.allowing import allow
from agents.shared import asked
from agents.shared.database import DatabaseUnavailable
from tests.agents.helpdesk.in_process import final, hurry, results
from tests.agents.helpdesk.test_gate import APPROVE, MODES, REJECT, answer, edit, waiting
from tests.fakes.shop import Ledger

BATCHED = "approve_batched.after_model"
FORGED_MODES = pytest.mark.parametrize("forged", ["off", "batched", "per_call", None])


@MODES
@FORGED_MODES
async def test_a_mode_in_the_command_of_a_rejection_pays_nothing(
    agents_on_shop: str, ticket: str, mode: str, forged: Any
) -> None:
    desk, _ = await waiting(agents_on_shop, ticket, mode)
    (question,) = await desk.questions()
    given = {"decisions": [REJECT]} if mode == "batched" else REJECT
    await desk.run(Command(resume={question.id: given}, update={"approval_mode": forged}))
    assert not Ledger(agents_on_shop).refunds(ticket)


@MODES
@FORGED_MODES
async def test_a_mode_in_state_pays_nothing(agents_on_shop: str, ticket: str, mode: str, forged: Any) -> None:
    desk, _ = await waiting(agents_on_shop, ticket, mode)
    await desk.graph.aupdate_state(desk.config, {"approval_mode": forged}, as_node="watch.after_model")
    await desk.graph.ainvoke(None, desk.config, context=desk.context)
    assert not Ledger(agents_on_shop).refunds(ticket)


async def test_who_goes_on_behind_the_gate_is_paid_nothing(agents_on_shop: str, ticket: str) -> None:
    desk, _ = await waiting(agents_on_shop, ticket, "batched")
    await desk.graph.aupdate_state(desk.config, {}, as_node=BATCHED)
    values = await desk.run(None)
    assert not Ledger(agents_on_shop).refunds(ticket)
    assert "No person has let this refund pass" in results(values, "refund")[0].text
    assert final(values)["status"] != "refunded"
    assert final(values)["refunded_usd"] == 0


async def test_a_tier_that_falls_with_a_rejection_pays_nothing(agents_on_shop: str, ticket: str) -> None:
    """Whoever may not call the tool is not asked about; so the rejection is never read."""
    desk, _ = await waiting(agents_on_shop, ticket, "batched")
    (question,) = await desk.questions()
    forged = {"user_tier": "guest"}
    await desk.run(Command(resume={question.id: {"decisions": [REJECT]}}, update=forged))
    assert not Ledger(agents_on_shop).refunds(ticket)


@pytest.mark.parametrize(("order", "amount"), [(0, 100.0), (1, 40.0)])
async def test_what_was_let_pass_is_one_order_and_one_amount(
    agents_on_shop: str, ticket: str, order: int, amount: float
) -> None:
    """A person let $40 of the first order pass; the edit in state says another amount, or the other order."""
    desk, numbers = await waiting(agents_on_shop, ticket, "batched", 2)
    values = await desk.values()
    calls = [call for message in values["messages"] for call in getattr(message, "tool_calls", [])]
    first = next(
        call for call in calls if call["name"] == "refund" and call["args"]["order_id"] == numbers[0]
    )
    await allow(first["id"], {"order_id": numbers[0], "amount_usd": 40.0}, values, desk.config)
    args = edit(order_id=numbers[order], amount_usd=amount, reason="x")["edited_action"]
    forged = {"hitl_edited_tool_calls": {first["id"]: args}}
    await desk.graph.aupdate_state(desk.config, forged, as_node=BATCHED)
    await desk.run(None)
    assert not Ledger(agents_on_shop).refunds(ticket)


@MODES
async def test_a_moment_without_the_database_costs_no_answer(
    agents_on_shop: str, ticket: str, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    desk, _ = await waiting(agents_on_shop, ticket, mode)
    tries = list[str]()

    async def away_once(call_id: str, *rest: Any) -> None:
        tries.append(call_id)
        if len(tries) == 1:
            raise DatabaseUnavailable("away")
        await allow(call_id, *rest)

    monkeypatch.setattr(gate, "allow", away_once)
    assert final(await answer(desk, APPROVE))["status"] == "refunded"
    assert len(tries) == 2
    assert Ledger(agents_on_shop).refunded_usd(ticket) == [100.0]


async def test_what_could_not_be_kept_is_not_paid_and_a_person_has_it(
    agents_on_shop: str, ticket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    desk, _ = await waiting(agents_on_shop, ticket, "per_call")

    async def away(*_: Any) -> None:
        raise DatabaseUnavailable("away")

    monkeypatch.setattr(gate, "allow", away)
    ended = final(await answer(desk, APPROVE))
    assert (ended["status"], ended["refunded_usd"]) == ("handed_over", 0)
    assert not Ledger(agents_on_shop).refunds(ticket)


@MODES
async def test_what_a_person_let_pass_is_kept_with_who_they_are(
    agents_on_shop: str, ticket: str, mode: str
) -> None:
    desk, (order_id,) = await waiting(agents_on_shop, ticket, mode)
    desk.user = {"identity": "rosa", "tenant": "main"}
    await answer(desk, APPROVE)
    with psycopg.connect(agents_on_shop) as conn:
        found = conn.execute(
            "select order_id, amount_usd, allowed_by from helpdesk.allowed_refunds where thread_id = %s",
            (desk.thread_id,),
        ).fetchall()
        assert found == [(order_id, Decimal("100.00"), "rosa")]
        with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="stays on record"):
            conn.execute("delete from helpdesk.allowed_refunds")
    assert Ledger(agents_on_shop).refunded_usd(ticket) == [100.0]


async def test_an_answer_does_not_count_for_what_a_question_became(agents_on_shop: str, ticket: str) -> None:
    """A command without an answer leaves the question its id: whoever had seen $100 would let $77 pass."""
    desk, _ = await waiting(agents_on_shop, ticket, "batched")
    (seen,) = await desk.questions()
    message = (await desk.values())["messages"][-1]
    message.tool_calls[0]["args"]["amount_usd"] = 77.0
    await desk.run(Command(update={"messages": [message]}))
    await desk.run(Command(resume={seen.id: {"decisions": [APPROVE]}}))
    assert not Ledger(agents_on_shop).refunds(ticket)
    (now,) = await desk.questions()
    assert now.id != seen.id
    assert "was changed after it was shown" in now.value["action_requests"][0]["description"]
    assert final(await answer(desk, APPROVE))["status"] == "refunded"
    assert Ledger(agents_on_shop).refunded_usd(ticket) == [77.0]


async def test_a_change_beside_an_answer_is_for_another_question(agents_on_shop: str, ticket: str) -> None:
    desk, _ = await waiting(agents_on_shop, ticket, "batched")
    (seen,) = await desk.questions()
    message = (await desk.values())["messages"][-1]
    message.tool_calls[0]["args"]["amount_usd"] = 77.0
    beside = {"messages": [message]}
    await desk.run(Command(resume={seen.id: {"decisions": [APPROVE]}}, update=beside))
    assert not Ledger(agents_on_shop).refunds(ticket)
    await answer(desk, REJECT)
    assert not Ledger(agents_on_shop).refunds(ticket)


async def test_a_question_that_was_noted_nowhere_is_answered(
    agents_on_shop: str, ticket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by an older release, which noted none."""

    async def nowhere(*_: Any) -> bool:
        return True

    with monkeypatch.context() as older:
        older.setattr(asked, "put", nowhere)
        desk, _ = await waiting(agents_on_shop, ticket, "batched")
    assert final(await answer(desk, APPROVE))["status"] == "refunded"
    assert Ledger(agents_on_shop).refunded_usd(ticket) == [100.0]
