"""The offline agent's next step: the tools that the message calls for, a refund of what they found, then the answer."""

import json
from collections.abc import Sequence
from typing import Any, cast

from langchain_core.messages import AnyMessage, ToolMessage

from agents.helpdesk.calls import RESOLUTION, of_request
from agents.helpdesk.rules.reading import Wishes, wishes_of, words_of
from agents.helpdesk.rules.saying import resolution
from agents.helpdesk.rules.summary import summary
from agents.shared.offline import Reply, Request

PAID = '{"refunded"'
"""How a receipt begins; of a refund that a reviewer changed, a note stands before it."""
Results = dict[str, list[Any]]
"""What each tool said in this request: parsed JSON, or the text of an error."""


def answer(request: Request) -> Reply:
    """The next step. Raises ValueError for a task that the rules do not know."""
    task = request.system.partition("\n")[0].removeprefix("Task:").strip()
    match task:
        case "help":
            return _help(request)
        case "summarize":
            return Reply(text=summary(request.last_human))
        case _:
            raise ValueError(f"the helpdesk's rules know no task {task!r}; they know help and summarize")


def _help(request: Request) -> Reply:
    messages = of_request(cast("list[AnyMessage]", request.messages))
    wishes = wishes_of(request.last_human)
    results = _results(messages)
    if not any(isinstance(message, ToolMessage) for message in messages):
        calls = [call for call in _first(wishes, request.last_human) if call[0] in request.tools]
        if calls:
            return Reply(tool_calls=tuple(calls))
    refunds = _refunds(wishes, results, request) if "refund" in request.tools else ()
    if refunds:
        return Reply(tool_calls=refunds)
    if _needs_person(wishes, results) and "escalate_to_human" in request.tools:
        return Reply(tool_calls=(("escalate_to_human", {"reason": _why(wishes)}),))
    return Reply(tool_calls=((RESOLUTION, resolution(wishes, results)),))


def _first(wishes: Wishes, text: str) -> list[tuple[str, dict[str, Any]]]:
    """All that can be asked at once."""
    if wishes.person and not wishes.orders:
        return [("escalate_to_human", {"reason": "the customer asks for a person"})]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("order_lookup", {"order_id": order}) for order in wishes.orders
    ]
    if wishes.vat:
        calls.append(("vat", {"net_usd": wishes.vat[0], "country": wishes.vat[1]}))
    if wishes.product:
        calls.append(("price_check", {"product": wishes.product}))
    if wishes.question and text.strip():
        calls.append(("search_articles", {"query": words_of(text) or text[:500]}))
    return calls


def _refunds(wishes: Wishes, results: Results, request: Request) -> tuple[tuple[str, dict[str, Any]], ...]:
    """A refund of all that is left, for each order that was found; once."""
    if not wishes.refund or "refund" in results:
        return ()
    reason = " ".join(request.last_human.split())[:200]
    return tuple(
        ("refund", {"order_id": order["order_id"], "amount_usd": order["refundable_usd"], "reason": reason})
        for order in results.get("order_lookup", [])
        if isinstance(order, dict) and order["refundable_usd"] > 0
    )


def _needs_person(wishes: Wishes, results: Results) -> bool:
    """Asked for, or a refund that no tool could bring: the tier has none, or no order was looked up."""
    if "escalate_to_human" in results:
        return False
    found = [order for order in results.get("order_lookup", []) if isinstance(order, dict)]
    looked = "order_lookup" in results
    open_refund = any(order["refundable_usd"] > 0 for order in found) or not looked
    return wishes.person or (
        wishes.refund and bool(wishes.orders) and open_refund and "refund" not in results
    )


def _why(wishes: Wishes) -> str:
    return (
        "the customer asks for a person"
        if wishes.person
        else "the customer wants a refund that needs a person"
    )


def _results(messages: Sequence[AnyMessage]) -> Results:
    found: Results = {}
    for message in messages:
        if isinstance(message, ToolMessage) and message.name:
            found.setdefault(message.name, []).append(_parsed(message))
    return found


def _parsed(message: ToolMessage) -> Any:
    if message.status == "error":
        return message.text
    try:
        return json.loads(message.text[max(message.text.find(PAID), 0) :])
    except ValueError:
        return message.text
