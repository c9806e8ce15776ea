"""The work of the support graph: each function is one node and returns the keys it changes.

Nodes with an effect do nothing else, and stand behind the gate. What a node can't do after its retries is
noted in state and ends in the dead letters; a bug is raised as it is.
"""

import logging

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from agents.shared.callers import MAIN
from agents.shared.failures import degraded, failed
from agents.shared.limits import over_limit
from agents.shared.payments import PaymentUnavailable
from agents.shared.resilience import giving_up
from agents.shared.running import tenant_on, thread_if_any
from agents.shared.shop.mail import SUPPORT_DESK
from agents.shared.shop.tickets import ticket_of
from agents.support import allowing, prompts, tools, verdict
from agents.support.asking import Classification, account, ask, classified, draft_prompt, drafted, task_prompt
from agents.support.claims import Claim
from agents.support.context import KEEP_MESSAGES, Context
from agents.support.state import Dropped, SearchTask, State, Update, one_more

logger = logging.getLogger(__name__)


async def intake(state: State, runtime: Runtime[Context]) -> Update:
    """Open a request: clear what belonged to the one before, count it, check the limits of the thread."""
    turns, context = state.get("turns", 0) + 1, Context.of(runtime)
    reason = over_limit(
        state.get("usage", {}), turns=turns, max_turns=context.max_turns, max_cost_usd=context.max_cost_usd
    )
    return {
        "ticket_id": ticket_of(state.get("ticket_id"), thread_if_any(runtime)),
        "turns": 1,
        "off": context.off,
        "article_search": context.article_search,
        "intent": None,
        "order_id": None,
        "details": None,
        "order": None,
        "policy": None,
        "articles": Overwrite([]),
        "decision": None,
        "decided_by": None,
        "draft": "",
        "attempts": {},
        "problem": None,
        "failures": Overwrite([]),
        "degraded": Overwrite([f"limit reached: {reason}"] if reason else []),
        "outcome": "closed" if reason else None,
        "dropped": _dropped(state),
    }


async def close(state: State) -> Update:
    """Say politely that this conversation goes on with a person."""
    text = (
        "Thank you for your patience. This conversation has reached the limit of what I can handle here, "
        f"so a colleague will take it from here: please write to {SUPPORT_DESK} and mention {state.get('ticket_id')}."
    )
    return {"messages": [AIMessage(text)]}


async def summarize(state: State, runtime: Runtime[Context]) -> Update:
    """Replace all but the newest messages by a summary, so that the state does not grow with the thread."""
    old = state["messages"][:-KEEP_MESSAGES]
    system = task_prompt("summarize", prompts.SUMMARIZE, state, runtime)
    reply = await ask("summarize", system, old, runtime, role="summarize")
    if reply.problem or not reply.message.text.strip():
        return account(reply)  # a refused summary loses nothing: the messages stay
    removed = [RemoveMessage(id=message.id) for message in old if message.id]
    return {"summary": reply.message.text, "messages": removed, **account(reply)}


async def classify(state: State, runtime: Runtime[Context]) -> Update:
    """Intent, order number, reason and searches, as structured output."""
    progress(runtime, "reading the message")
    system = task_prompt("classify", prompts.CLASSIFY, state, runtime)
    reply = await ask("classify", system, state["messages"], runtime, Classification, role="classify")
    return {**account(reply), **classified(reply)}


async def repair(state: State, runtime: Runtime[Context]) -> Update:
    """Show the model its unusable answer and what was wrong with it; once."""
    problem = state.get("problem")
    if problem is None:
        return {}
    mend = prompts.REPAIR.format(error=problem["error"], answer=problem["answer"])
    attempts = one_more(state, problem["node"])
    if problem["node"] == "classify":
        system = task_prompt("repair", f"{prompts.CLASSIFY}\n\n{mend}", state, runtime)
        reply = await ask("repair", system, state["messages"], runtime, Classification, role="classify")
        return {**account(reply), **classified(reply), "attempts": attempts}
    system = draft_prompt("repair", mend, state, runtime)
    reply = await ask("repair", system, state["messages"], runtime, role="draft")
    return {**account(reply), **drafted(reply), "attempts": attempts}


async def lookup_order(state: State, runtime: Runtime[Context]) -> Update:
    """The order that the customer names, or None: the shop's orders are the main tenant's."""
    order_id = state.get("order_id")
    progress(runtime, f"looking up order {order_id}")
    async with giving_up(runtime) as given_up:
        seen = order_id if order_id and await tenant_on(runtime) == MAIN else None
        return {"order": await tools.find_order(seen) if seen else None}
    return failed("lookup_order", given_up)


async def check_return_policy(state: State, runtime: Runtime[Context]) -> Update:
    """The policy for the customer's reason; it needs no order, so it runs beside the look-up."""
    details = state.get("details")
    async with giving_up(runtime) as given_up:
        return {"policy": await tools.find_policy(details["reason"] if details else "other")}
    return failed("check_return_policy", given_up)


async def search_kb(state: SearchTask, runtime: Runtime[Context]) -> Update:
    """Articles for one search; several run at once and the reducer merges them."""
    progress(runtime, f"searching the help articles: {state['query']}")
    async with giving_up(runtime) as given_up:
        return {"articles": await tools.search(state["query"])}
    return failed("search_kb", given_up)


async def assess(state: State, runtime: Runtime[Context]) -> Update:
    """Decide from what was found; pure, so that a fork from here decides the same."""
    searched = bool(state.get("articles"))
    if any(failure["node"] != "search_kb" or not searched for failure in state.get("failures", [])):
        return {"outcome": "dead_letter"}
    decision, outcome = verdict.assess(state, threshold_usd=Context.of(runtime).approval_threshold_usd)
    update: Update = {"decision": decision, "outcome": outcome}
    dropped, order = state.get("dropped"), state.get("order")
    if dropped and order and decision["status"] == "proposed" and order["order_id"] == dropped["order_id"]:
        update["dropped"] = None  # the customer asked for it again
    return update


async def acknowledge(state: State, runtime: Runtime[Context]) -> Update:
    """Mail that the request is being reviewed. In front of the gate, and not in its node: the gate re-runs."""
    order = state.get("order")
    if order is None:
        return {}
    async with giving_up(runtime) as given_up:
        await tools.mail_customer(
            state,
            order,
            tenant=await tenant_on(runtime),
            effect="acknowledge",
            subject=f"Your refund request for order {order['order_id']}",
            body=f"Dear {order['customer_name']},\n\nwe have received your request for order {order['order_id']} "
            "and are reviewing it. You will hear from us soon.",
        )
    return degraded("acknowledge", given_up)  # the question goes to a person all the same


async def draft_reply(state: State, runtime: Runtime[Context]) -> Update:
    """The reply, from the facts; sent only after what it says has happened."""
    progress(runtime, "writing the reply")
    system = draft_prompt("draft_reply", "", state, runtime)
    reply = await ask("draft_reply", system, state["messages"], runtime, role="draft")
    return {**account(reply), **drafted(reply)}


async def refund(state: State, runtime: Runtime[Context]) -> Update:
    """Give the money back: once, by its key, however often this node runs.

    Whether it may is asked again: refunds that were switched off while this one waited are not paid either, and what
    state calls approved goes back to the gate where no person's answer is on record.
    """
    if "refund" in Context.of(runtime).off:
        return {"failures": [{"node": "refund", "reason": verdict.REFUNDS_OFF}]}
    decision = state.get("decision") or {}
    async with giving_up(runtime, tried_enough=(PaymentUnavailable,)) as given_up:
        claim = Claim.of(state, runtime)
        asked = await allowing.question_before_paying(claim, state, runtime)
        if asked is not None:
            return asked
        progress(runtime, f"refunding ${claim.amount_usd:.2f}")
        receipt = await tools.pay_back(state, claim, await tenant_on(runtime))
        return {
            "decision": {**decision, "status": "paid", "reference": receipt["reference"]},
            "outcome": "refunded",
        }
    return failed("refund", given_up)


async def hand_over(state: State, runtime: Runtime[Context]) -> Update:
    """Tell the support desk that a person is wanted."""
    intent, ticket_id, dropped = state.get("intent"), state.get("ticket_id"), state.get("dropped")
    text = _last_human(state["messages"])
    parts = [f"Ticket {ticket_id}, intent {intent}, order {state.get('order_id') or 'not named'}."]
    decision = state.get("decision")
    if decision and decision["status"] == "none" and decision["why"]:
        parts.append(f"Why you have it: {decision['why']}.")
    if dropped:
        parts.append(_dropped_note(dropped))
    body = "\n\n".join([*parts, text[:2_000]])
    async with giving_up(runtime) as given_up:
        await tools.tell_desk(
            state, tenant=await tenant_on(runtime), subject=f"[{intent}] ticket {ticket_id}", body=body
        )
        return {}
    return failed("hand_over", given_up)


async def dead_letter(state: State, runtime: Runtime[Context]) -> Update:
    """Keep what could not be handled, and tell the customer that a person will follow up."""
    failures, problem = list(state.get("failures", [])), state.get("problem")
    if problem is not None and problem["node"] != "approve":
        failures.append({"node": problem["node"], "reason": problem["error"]})
    if not failures:
        failures.append(
            {"node": "recursion_limit", "reason": "the super-steps ran out; this is a bug in the graph"}
        )
    async with giving_up(runtime) as given_up:
        await tools.bury(state, failures, tenant=await tenant_on(runtime), thread_id=thread_if_any(runtime))
    if given_up.reasons:
        logger.error("dead letter not stored: ticket %s, %s", state.get("ticket_id"), failures)
    return {**degraded("dead_letter", given_up), "draft": _follow_up(state), "outcome": "dead_letter"}


async def send(state: State, runtime: Runtime[Context]) -> Update:
    """The reply: into the conversation, and by mail to the customer of the order if there is one."""
    draft, order = state.get("draft") or _follow_up(state), state.get("order")
    async with giving_up(runtime) as given_up:
        if order is not None and "mail_reply" not in state.get("off", []):
            subject = f"Your order {order['order_id']}"
            await tools.mail_customer(
                state, order, tenant=await tenant_on(runtime), effect="reply", subject=subject, body=draft
            )
    return {**degraded("send", given_up), "messages": [AIMessage(draft)]}


def progress(runtime: Runtime[Context], text: str) -> None:
    """What goes on, for whoever streams `custom`; a retried node says it again."""
    runtime.stream_writer({"progress": text})


def _dropped(state: State) -> Dropped | None:
    """What the thread waited for a person to decide when this message took the question away."""
    decision, order = state.get("decision"), state.get("order")
    if decision is None or order is None or state.get("outcome") != "refund_proposed":
        return None
    return {"order_id": order["order_id"], "amount_usd": decision["amount_usd"]}


def _dropped_note(dropped: Dropped) -> str:
    return (
        f"Please look into this: a refund of ${dropped['amount_usd']:,.2f} for order {dropped['order_id']} was "
        "waiting for a decision when the customer wrote again, and was dropped."
    )


def _follow_up(state: State) -> str:
    return (
        "Thank you for your message. I could not finish this for you myself, so a colleague will look into it "
        f"personally and come back to you. Your ticket is {state.get('ticket_id')}."
    )


def _last_human(messages: list[AnyMessage]) -> str:
    return next((message.text for message in reversed(messages) if isinstance(message, HumanMessage)), "")
