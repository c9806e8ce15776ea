"""What the model may call. A tool that can't do what is asked raises ToolRefused, whose words the model reads; what
fails in between (a database, a payment provider) is tried again by the middleware around the tools.
"""

import json
from decimal import Decimal
from typing import Annotated, Any

from langchain.tools import ToolRuntime, tool
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.types import Command
from pydantic import Field

from agents.helpdesk import pace, prices
from agents.helpdesk import vat as vat_rates
from agents.helpdesk.allowing import key_of
from agents.helpdesk.context import Context
from agents.helpdesk.desk import tell_desk
from agents.helpdesk.refusing import amount_of, refusal
from agents.helpdesk.state import Paid, State
from agents.shared import payments
from agents.shared.callers import MAIN, caller_of
from agents.shared.errors import PermanentError
from agents.shared.resilience import breaker
from agents.shared.shop import articles, orders
from agents.shared.shop.mail import SUPPORT_DESK
from agents.shared.thread_tenants import tenant_of

Runtime = ToolRuntime[Context, State]
OrderId = Annotated[
    str, Field(max_length=40, description="The number of the order, as the customer wrote it")
]
LARGEST_USD = 99_999_999


class ToolRefused(PermanentError):
    """What was asked of a tool can't be; the message is for the model, and holds nothing internal."""


@tool
async def order_lookup(order_id: OrderId, runtime: Runtime) -> Command[Any] | str:
    """Look an order up: status, items, what was paid and what can still be refunded."""
    # The shop's orders belong to the main tenant: on a thread of another one there are none of them.
    tenant = await tenant_of(
        caller_of(runtime.config), runtime.config.get("configurable", {}).get("thread_id", "")
    )
    async with breaker("orders"):
        order = await orders.find_order(order_id) if tenant == MAIN else None
    if order is None:
        raise ToolRefused(f"There is no order {order_id}.")
    hidden = ("customer_id", "customer_email")
    shown = {name: value for name, value in order.items() if name not in hidden}
    return _with_state(runtime, _json(shown), orders={order["order_id"]: order})


@tool
async def vat(
    net_usd: Annotated[
        float, Field(ge=0, le=LARGEST_USD, allow_inf_nan=False, description="USD without tax")
    ],
    country: Annotated[str, Field(max_length=60, description="Country, as a name or two letters")],
) -> str:
    """Work out VAT for a country: percent, tax and gross amount."""
    return _json(await vat_rates.vat_on(Decimal(str(net_usd)), country))


@tool
async def search_articles(
    query: Annotated[str, Field(max_length=500, description="What to look for, in a few words")],
) -> str:
    """Search the help articles for how things work: delivery, returns, payment, accounts."""
    async with breaker("articles"):
        found = await articles.search_articles(query)
    if not found:
        raise ToolRefused("No help article matches; say so, or search for other words.")
    return _json(found)


@tool
async def price_check(
    product: Annotated[str, Field(max_length=200, description="Words of the product's name")],
    runtime: Runtime,
) -> str:
    """Look up what a product costs now, and whether it is on stock."""
    per_minute = Context.of(runtime).price_checks_per_minute
    await pace.take_turn("price_check", tenant=caller_of(runtime.config).tenant, per_minute=per_minute)
    found = await prices.find_prices(product)
    if not found:
        raise ToolRefused(f"The shop sells nothing called {product!r}; try fewer words.")
    return _json(found)


@tool
async def refund(
    order_id: OrderId,
    reason: Annotated[str, Field(max_length=500, description="Why, in the customer's words")],
    runtime: Runtime,
    amount_usd: Annotated[
        float | None, Field(gt=0, le=LARGEST_USD, description="USD; leave it out for all that is left")
    ] = None,
) -> Command[Any]:
    """Refund an order, or a part of it, to the way it was paid. A person decides before it is done."""
    asked = {"order_id": order_id, "amount_usd": amount_usd}
    why = refusal(asked, runtime.state)
    if why:
        raise ToolRefused(why)
    passed = await key_of(runtime.tool_call_id or "", asked, runtime.state, runtime.config)
    if passed is None:
        raise ToolRefused("No person has let this refund pass, so it was not made. Hand over to a person.")
    (key, request), number = passed, orders.order_number(order_id) or order_id
    async with breaker("payments"):
        receipt = await payments.refund(
            key=key,
            order_id=number,
            ticket_id=runtime.state.get("ticket_id", ""),
            amount=Decimal(str(amount_of(asked, runtime.state))),
            request=request,
        )
    paid: Paid = {"order_id": number, "amount_usd": receipt["amount_usd"], "reference": receipt["reference"]}
    return _with_state(runtime, _json({"refunded": True, **paid, "reason": reason}), receipts=[paid])


@tool(return_direct=True)
async def escalate_to_human(
    reason: Annotated[str, Field(max_length=1_000, description="What a person has to know")], runtime: Runtime
) -> Command[Any]:
    """Hand the request over to a person of the support desk. Ends the conversation with the customer for now."""
    await tell_desk(runtime.state, runtime.config, reason)
    text = f"{SUPPORT_DESK} has the request under ticket {runtime.state.get('ticket_id', '')}; a colleague goes on."
    return _with_state(runtime, text, escalations=[reason])


TOOLS: list[BaseTool] = [order_lookup, vat, search_articles, price_check, refund, escalate_to_human]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _with_state(runtime: Runtime, text: str, **update: Any) -> Command[Any]:
    """The tool's result, and what the graph remembers of it."""
    name = runtime.tool_call_id or ""
    message = ToolMessage(text, tool_call_id=name)
    return Command(update={**update, "messages": [message]})
