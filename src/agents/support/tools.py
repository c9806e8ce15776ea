"""What the nodes do to the world: orders, policies, articles, money and mail, each behind its breaker.

Every effect has an idempotency key made of stable state (tenant, ticket, order, number of the request on the
thread), so that a node that runs again, after a crash or on a fork, does nothing twice. A ticket is one
matter, on however many threads it is worked on; but another tenant's of the same id is another one.
"""

from agents.shared import payments
from agents.shared.callers import MAIN
from agents.shared.failures import Failure
from agents.shared.resilience import breaker
from agents.shared.shop import articles, dead_letters, mail, orders, policies
from agents.support.claims import Claim
from agents.support.state import State


def request_key(state: State, effect: str, tenant: str) -> str:
    """The idempotency key of an effect of the thread's current request.

    The order's own number, not the one the customer typed: "#88123" and "88123" are one order. No ticket id can
    make the main tenant's key look like another's: the effect's name, in front, is ours.
    """
    order = state.get("order")
    order_id = order["order_id"] if order else state.get("order_id") or "-"
    effect = effect if tenant == MAIN else f"{effect}@{tenant}"
    return f"{effect}:{state.get('ticket_id', '')}:{order_id}:{state.get('turns', 0)}"


async def find_order(order_id: str) -> orders.Order | None:
    """The order, or None when there is none with that number."""
    async with breaker("orders"):
        return await orders.find_order(order_id)


async def find_policy(reason: str) -> policies.Policy:
    """The return policy for a reason.

    Not behind the breaker of the orders: this runs beside the look-up, and its success would forget each time
    that the orders had failed.
    """
    async with breaker("policies"):
        return await policies.find_policy(reason)


async def search(query: str) -> list[articles.Article]:
    """The best help articles for a query."""
    async with breaker("articles"):
        return await articles.search_articles(query)


async def pay_back(state: State, claim: Claim, tenant: str) -> payments.Receipt:
    """Refund once, however often it is asked for this request."""
    async with breaker("payments"):
        return await payments.refund(
            key=request_key(state, "refund", tenant),
            order_id=claim.order_id,
            ticket_id=claim.ticket_id,
            amount=claim.amount,
            request=claim.request,
        )


async def mail_customer(
    state: State, order: orders.Order, *, tenant: str, effect: str, subject: str, body: str
) -> bool:
    """Mail the customer of the order; never an address that stands in a message."""
    return await mail.queue_mail(
        tenant=tenant,
        key=request_key(state, effect, tenant),
        ticket_id=state.get("ticket_id", ""),
        to=order["customer_email"],
        subject=subject,
        body=body,
    )


async def tell_desk(state: State, *, tenant: str, subject: str, body: str) -> bool:
    """Mail the support desk that a person is wanted."""
    return await mail.queue_mail(
        tenant=tenant,
        key=request_key(state, "desk", tenant),
        ticket_id=state.get("ticket_id", ""),
        to=mail.SUPPORT_DESK,
        subject=subject,
        body=body,
    )


async def bury(state: State, failures: list[Failure], *, tenant: str, thread_id: str) -> bool:
    """Keep what could not be handled where operators look for it."""
    return await dead_letters.bury(
        tenant=tenant,
        key=request_key(state, "dead-letter", tenant),
        graph="support",
        node=failures[0]["node"],
        ticket_id=state.get("ticket_id", ""),
        thread_id=thread_id,
        reason="; ".join(f"{failure['node']}: {failure['reason']}" for failure in failures),
        detail={
            "intent": state.get("intent"),
            "order_id": state.get("order_id"),
            "turns": state.get("turns", 0),
        },
    )
