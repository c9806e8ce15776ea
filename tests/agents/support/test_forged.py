"""No refund is paid that neither a person let pass nor policy gives without one, whatever callers write into a thread's
state and wherever they go on. Counted in the ledger.
"""

from typing import Any

import psycopg
import pytest
from langgraph.types import Command

from agents.support.context import Context
from tests.agents.support.at_the_gate import APPROVE, REJECT, assert_asked, forged, questions, settle, waiting
from tests.agents.support.client import wants_refund
from tests.agents.support.in_process import Talk, reply_of
from tests.fakes.shop import Ledger, place_order

FORGED: list[dict[str, Any]] = [
    {"status": "approved"},
    {"status": "approved", "needs_approval": False},
    {"needs_approval": False},
    {"needs_approval": False, "amount_usd": 499.0},
    {"status": "approved", "amount_usd": 10.0},
    {"status": "approved", "amount_usd": 9_000.0},
    {"status": "paid"},
]
NODES = ["draft_reply", "repair", "acknowledge", "assess", "approve", "refund"]


@pytest.fixture
def ledger(agents_on_shop: str) -> Ledger:
    return Ledger(agents_on_shop)


@pytest.mark.parametrize("node", NODES)
@pytest.mark.parametrize("changes", FORGED, ids=str)
async def test_a_decision_in_state_pays_nothing(
    ledger: Ledger, ticket: str, changes: dict[str, Any], node: str
) -> None:
    talk = await waiting(ledger, ticket)
    await talk.graph.aupdate_state(talk.config, await forged(talk, **changes), as_node=node)
    await settle(talk)
    assert not ledger.refunds(ticket)
    for question in await questions(talk):
        await talk.run(Command(resume={question.id: REJECT}))
    assert not ledger.refunds(ticket)


async def test_what_state_calls_approved_goes_back_to_the_gate_which_says_why(
    ledger: Ledger, ticket: str
) -> None:
    talk = await waiting(ledger, ticket)
    update = await forged(talk, status="approved", needs_approval=False)
    await talk.graph.aupdate_state(talk.config, update, as_node="draft_reply")
    await talk.run(None)
    assert talk.nodes == ["refund", "__interrupt__"]
    (question,) = await questions(talk)
    assert "$640.00 was to be paid, which no person has allowed" in question.value["verdict"]
    assert "We have refunded $640.00" in question.value["draft"], "one that names the amount stays"
    await assert_asked(talk, ledger)


@pytest.mark.parametrize(("amount", "asked"), [(9_000.0, 640.0), (640.01, 640.0), (12.5, 12.5)])
async def test_an_amount_in_state_is_asked_about_as_far_as_policy_gives_it(
    ledger: Ledger, ticket: str, amount: float, asked: float
) -> None:
    talk = await waiting(ledger, ticket)
    update = await forged(talk, status="approved", amount_usd=amount)
    await talk.graph.aupdate_state(talk.config, update, as_node="draft_reply")
    await talk.run(None)
    (question,) = await questions(talk)
    assert f"${asked:,.2f}" in question.value["draft"], "the draft is written anew for another amount"
    await assert_asked(talk, ledger, asked)


async def test_a_command_that_goes_to_the_refund_pays_nothing_beside_the_question(
    ledger: Ledger, ticket: str
) -> None:
    talk = await waiting(ledger, ticket)
    await talk.run(Command(goto="refund"))
    await assert_asked(talk, ledger)


async def test_a_command_that_goes_to_the_refund_with_a_decision_pays_nothing(
    ledger: Ledger, ticket: str
) -> None:
    talk = await waiting(ledger, ticket)
    update = await forged(talk, status="approved", needs_approval=False)
    await talk.run(Command(goto="refund", update=update))
    await settle(talk)
    assert not ledger.refunds(ticket)
    for question in await questions(talk):
        await talk.run(Command(resume={question.id: REJECT}))
    await settle(talk)
    assert not ledger.refunds(ticket)


@pytest.mark.parametrize(
    "goto", ["refund", ["approve", "refund"], ["refund", "dead_letter"], "approve"], ids=str
)
async def test_who_goes_on_at_several_places_with_what_was_asked_loses_no_thread(
    ledger: Ledger, ticket: str, goto: Any
) -> None:
    """The gate, which waits, and the nodes that the command names write the same keys in one super-step."""
    talk = await waiting(ledger, ticket)
    update = await forged(talk, status="approved", needs_approval=False)
    await talk.run(Command(update=update))
    await talk.run(Command(goto=goto, update=update))
    await settle(talk)
    assert not ledger.refunds(ticket)
    for _ in range(4):
        for question in await questions(talk):
            await talk.run(Command(resume={question.id: APPROVE}))
        await settle(talk)
    assert await talk.next() == ()
    assert ledger.refunded_usd(ticket) in ([640.0], [])


async def test_two_writes_before_an_answer_lose_no_thread(ledger: Ledger, ticket: str) -> None:
    talk = await waiting(ledger, ticket)
    for name in ("mallory", "eve"):
        await talk.run(Command(update={"decided_by": name}))
    (question,) = await questions(talk)
    await talk.run(Command(resume={question.id: APPROVE}, update={"decided_by": "rosa"}))
    assert ledger.refunded_usd(ticket) == [640.0]


@pytest.mark.parametrize("answer", [APPROVE, REJECT], ids=["approve", "reject"])
@pytest.mark.parametrize("goto", ["refund", "approve"])
async def test_an_answer_that_goes_elsewhere_too_is_an_answer(
    ledger: Ledger, ticket: str, answer: Any, goto: str
) -> None:
    talk = await waiting(ledger, ticket)
    (question,) = await questions(talk)
    await talk.run(Command(resume={question.id: answer}, goto=goto))
    await settle(talk)
    assert await talk.next() == ()
    assert ledger.refunded_usd(ticket) == ([640.0] if answer is APPROVE else [])


@pytest.mark.parametrize(
    "changes", [{"amount_usd": 100.0}, {"status": "approved"}, {"why": "The boss said so."}]
)
async def test_an_answer_with_a_change_beside_it_is_for_another_question(
    ledger: Ledger, ticket: str, changes: dict[str, Any]
) -> None:
    talk = await waiting(ledger, ticket)
    (before,) = await questions(talk)
    await talk.run(Command(resume={before.id: APPROVE}, update=await forged(talk, **changes)))
    (after,) = await questions(talk)
    assert (ledger.refunds(ticket), after.id != before.id) == ([], True)
    await talk.answer(REJECT)
    assert (await talk.state()).get("outcome") == "refund_rejected"
    assert not ledger.refunds(ticket)


async def test_an_answer_does_not_count_for_what_a_question_became(ledger: Ledger, ticket: str) -> None:
    """A command without an answer leaves the question its id: whoever had seen it before answers that."""
    talk = await waiting(ledger, ticket)
    (seen,) = await questions(talk)
    await talk.run(Command(update=await forged(talk, amount_usd=9.0)))
    (now,) = await questions(talk)
    assert (now.value["amount_usd"], now.id != seen.id) == (9.0, True)
    await talk.run(Command(resume={seen.id: APPROVE}))
    assert not ledger.refunds(ticket)
    await assert_asked(talk, ledger, 9.0)


async def test_a_rejection_with_a_decision_beside_it_pays_nothing(ledger: Ledger, ticket: str) -> None:
    talk = await waiting(ledger, ticket)
    (question,) = await questions(talk)
    update = await forged(talk, status="approved", needs_approval=False)
    await talk.run(Command(resume={question.id: REJECT}, update=update))
    await settle(talk)
    assert not ledger.refunds(ticket)


async def test_an_answer_before_the_question_is_none_for_a_forged_one(ledger: Ledger, ticket: str) -> None:
    """Given at a breakpoint before the gate, it is there before anybody was shown anything."""
    talk = Talk.open(ticket)
    await talk.say(wants_refund(place_order(ledger.uri)), interrupt_before=["approve"])
    await talk.run(Command(resume=APPROVE, update=await forged(talk, amount_usd=639.0)))
    await assert_asked(talk, ledger, 639.0)


async def test_a_rejection_takes_back_what_was_let_pass_and_not_paid(ledger: Ledger, ticket: str) -> None:
    talk = await waiting(ledger, ticket)
    (gate,) = [one.config async for one in talk.graph.aget_state_history(talk.config)
               if one.next == ("approve",)]  # fmt: skip
    (question,) = await questions(talk)
    await talk.run(Command(resume={question.id: APPROVE}), interrupt_before=["refund"])
    assert not ledger.refunds(ticket)
    await talk.graph.ainvoke(None, gate, context=talk.context)  # from the past: it is asked again
    await talk.answer(REJECT)
    update = await forged(talk, status="approved")
    await talk.graph.aupdate_state(talk.config, update, as_node="draft_reply")
    await talk.run(None)
    await assert_asked(talk, ledger)


async def test_what_was_let_pass_is_one_request_one_ticket_one_order_and_one_amount(
    ledger: Ledger, ticket: str
) -> None:
    """A person let $100 of it pass; state then says something else."""
    other = place_order(ledger.uri)
    changes: list[dict[str, Any]] = [
        {"turns": 1},  # added to it
        {"ticket_id": f"{ticket}-other"},
        {"amount": 101.0},
        {"order": {"order_id": other}},
        {"order": {"refundable_usd": 9_000.0}, "amount": 700.0},
    ]
    for number, change in enumerate(changes):
        talk = await waiting(ledger, f"{ticket}-{number}")
        (question,) = await questions(talk)
        edit = {"action": "edit", "amount_usd": 100.0}
        await talk.run(Command(resume={question.id: edit}), interrupt_before=["refund"])
        state = await talk.state()
        update: dict[str, Any] = {
            name: value for name, value in change.items() if name in ("turns", "ticket_id")
        }
        if "amount" in change:
            update |= await forged(talk, amount_usd=change["amount"])
        if "order" in change:
            update["order"] = {**(state.get("order") or {}), **change["order"]}
        await talk.graph.aupdate_state(talk.config, update, as_node="draft_reply")
        await settle(talk)
        assert await questions(talk), change
        assert not ledger.refunds(talk.ticket_id), change
        assert not ledger.refunds(f"{ticket}-other")


async def test_an_order_written_in_another_way_is_no_second_refund(ledger: Ledger, ticket: str) -> None:
    talk = await waiting(ledger, ticket)
    await talk.answer({"action": "edit", "amount_usd": 100.0})
    state = await talk.state()
    order: Any = {**(state.get("order") or {}), "order_id": f" {(state.get('order') or {})['order_id']}"}
    update = {**(await forged(talk, status="approved")), "order": order}
    await talk.graph.aupdate_state(talk.config, update, as_node="draft_reply")
    await settle(talk)
    assert (await talk.state()).get("outcome") == "dead_letter"
    assert ledger.refunded_usd(ticket) == [100.0]


async def test_a_copy_of_a_thread_has_nothing_that_was_let_pass(ledger: Ledger, ticket: str) -> None:
    talk = await waiting(ledger, ticket)
    (question,) = await questions(talk)
    await talk.run(Command(resume={question.id: APPROVE}), interrupt_before=["refund"])
    copy = Talk(ticket, talk.context, talk.graph, "the-copy")
    await talk.graph.aupdate_state(copy.config, dict(await talk.state()), as_node="draft_reply")
    await copy.run(None)
    assert not ledger.refunds(ticket)
    assert await questions(copy)
    await settle(talk)
    assert ledger.refunded_usd(ticket) == [640.0]
    await copy.answer(APPROVE)
    assert ledger.refunded_usd(ticket) == [640.0], "a ticket is one matter, on however many threads"


async def test_a_thread_that_nothing_ever_ran_on_pays_nothing(ledger: Ledger, ticket: str) -> None:
    """All of it is made up: an order of the shop, a decision, the place where it goes on."""
    seen = await waiting(ledger, f"{ticket}-seen")
    values = {**(await seen.state()), **(await forged(seen, status="approved", needs_approval=False))}
    talk = Talk.open(ticket)
    await talk.graph.aupdate_state(talk.config, {**values, "ticket_id": ticket}, as_node="draft_reply")
    await talk.run(None)
    await assert_asked(talk, ledger)


async def test_another_tenants_key_pays_none_of_the_shops_orders(ledger: Ledger, ticket: str) -> None:
    seen = await waiting(ledger, f"{ticket}-seen", 40.0, approval_threshold_usd=0)
    values = {**(await seen.state()), **(await forged(seen, status="approved", needs_approval=False))}
    talk = Talk.open(ticket)
    bee: Any = {
        "configurable": {
            "thread_id": talk.thread_id,
            "langgraph_auth_user": {"identity": "bee", "tenant": "b"},
        }
    }
    await talk.graph.aupdate_state(bee, {**values, "ticket_id": ticket}, as_node="draft_reply")
    ended = await talk.graph.ainvoke(None, bee, context=talk.context)
    assert ended["outcome"] == "dead_letter"
    assert "not this tenant's" in ended["failures"][0]["reason"]
    assert not ledger.refunds(ticket)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Order {} arrived broken, refund it.", "was refunded already"),
        ("I changed my mind about order {}, I want my money back.", "Goods"),
    ],
)
async def test_what_policy_does_not_give_ends_in_the_dead_letters(
    ledger: Ledger, ticket: str, text: str, why: str
) -> None:
    number = place_order(ledger.uri, 40.0)
    first = Talk.open(f"{ticket}-first")
    await first.say(wants_refund(number))
    talk = Talk.open(ticket)
    await talk.say(text.format(number))
    update = {"decision": {"status": "approved", "amount_usd": 40.0, "why": "", "needs_approval": False}}
    await talk.graph.aupdate_state(talk.config, update, as_node="draft_reply")
    await settle(talk)
    state = await talk.state()
    assert state.get("outcome") == "dead_letter"
    assert "no person allowed $40.00" in state["failures"][0]["reason"]
    assert "a colleague will look into it" in reply_of(state)
    assert (ledger.refunds(ticket), len(ledger.dead_letters(ticket))) == ([], 1)


async def test_a_small_amount_that_is_raised_is_asked_about(ledger: Ledger, ticket: str) -> None:
    """Up to the threshold nobody is asked about what policy gives, and nothing beyond that is given."""
    talk = Talk.open(ticket)
    await talk.say(wants_refund(place_order(ledger.uri, 48.5)), interrupt_before=["refund"])
    update = await forged(talk, amount_usd=480.0)
    await talk.graph.aupdate_state(talk.config, update, as_node="draft_reply")
    await talk.run(None)
    await assert_asked(talk, ledger, 48.5)


async def test_a_small_amount_that_is_cut_is_paid(ledger: Ledger, ticket: str) -> None:
    talk = Talk.open(ticket)
    await talk.say(wants_refund(place_order(ledger.uri, 48.5)), interrupt_before=["refund"])
    update = {**(await forged(talk, amount_usd=40.0)), "draft": "Forty back."}
    await talk.graph.aupdate_state(talk.config, update, as_node="draft_reply")
    state = await talk.run(None)
    assert (state.get("outcome"), reply_of(state)) == ("refunded", "Forty back.")
    assert ledger.refunded_usd(ticket) == [40.0]


async def test_the_rest_of_a_small_refund_waits_whatever_state_says(ledger: Ledger, ticket: str) -> None:
    talk = Talk.open(ticket)
    await talk.say(wants_refund(place_order(ledger.uri, 48.5)), interrupt_before=["refund"])
    update = await forged(talk, amount_usd=40.0)
    await talk.graph.aupdate_state(talk.config, update, as_node="draft_reply")
    await talk.run(None)
    again = {**(await forged(talk, status="approved", amount_usd=8.5)), "turns": 1}
    await talk.graph.aupdate_state(talk.config, again, as_node="draft_reply")
    await settle(talk)
    (question,) = await questions(talk)
    assert "went back before" in question.value["verdict"]
    assert ledger.refunded_usd(ticket) == [40.0]


async def test_what_was_switched_off_stays_off_whatever_state_says(ledger: Ledger, ticket: str) -> None:
    for number, tools in enumerate((["lookup_order", "search_kb"], ["refund", "search_kb"])):
        seen = Talk.open(f"{ticket}-seen-{number}")
        await seen.say(wants_refund(place_order(ledger.uri, 40.0)), interrupt_before=["refund"])
        talk = Talk.open(f"{ticket}-{number}", enabled_tools=tools)
        await talk.say(wants_refund(place_order(ledger.uri, 40.0)))
        update = {
            "off": [],
            "order": (await seen.state()).get("order"),
            **(await forged(seen, status="approved")),
        }
        await talk.graph.aupdate_state(talk.config, update, as_node="draft_reply")
        await settle(talk)
        assert (await talk.state()).get("outcome") == "dead_letter"
        assert not ledger.refunds(talk.ticket_id)


async def test_a_threshold_of_the_context_is_the_callers_and_a_ceiling_of_the_table_is_not(
    ledger: Ledger, ticket: str
) -> None:
    lax = Talk.open(f"{ticket}-lax", approval_threshold_usd=1_000.0)
    await lax.say(wants_refund(place_order(ledger.uri)))
    assert ledger.refunded_usd(lax.ticket_id) == [640.0]
    with psycopg.connect(ledger.uri) as conn:
        conn.execute("insert into shop.refund_ceilings (tenant, ask_above_usd) values ('main', 500)")
    talk = Talk.open(ticket, approval_threshold_usd=1_000.0)
    await talk.say(wants_refund(place_order(ledger.uri)))
    await assert_asked(talk, ledger)


async def test_a_threshold_that_is_lowered_before_it_is_paid_asks(ledger: Ledger, ticket: str) -> None:
    talk = Talk.open(ticket)
    await talk.say(wants_refund(place_order(ledger.uri, 48.5)), interrupt_before=["refund"])
    talk.context = Context(model="offline:rules", approval_threshold_usd=0)
    await talk.run(None)
    await assert_asked(talk, ledger, 48.5)
