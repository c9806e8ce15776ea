"""The offline agent's answer, put together from what its tools said."""

from typing import Any

from agents.helpdesk.failing import TOO_FAST
from agents.helpdesk.rules.reading import Wishes

GREETING = "Thank you for your message."
UNKNOWN = (
    "I found nothing about that in our help articles. Please tell me a little more, or ask for a colleague."
)
NO_ORDER = "Please tell me the number of your order; it stands in the confirmation that we mailed to you."
FOR_BOTH = ("There is no order ", "The shop sells nothing ")
"""How tools begin what a customer may read as well as a model."""
NOT_NOW = "I can't look that up right now; a colleague can tell you."
IN_A_MINUTE = "I can't check prices right now; please ask me in a minute."


def resolution(wishes: Wishes, results: dict[str, list[Any]]) -> dict[str, Any]:
    """The arguments of Resolution: status, reply, order."""
    sentences = [GREETING, *(_refund(result) for result in results.get("refund", []))]
    if "refund" not in results:
        sentences += [_order(result) for result in results.get("order_lookup", [])]
    sentences += [_vat(result) for result in results.get("vat", [])]
    sentences += [_prices(result) for result in results.get("price_check", [])]
    sentences += [_article(result) for result in results.get("search_articles", [])]
    if len(sentences) == 1:
        sentences.append(NO_ORDER if wishes.refund else UNKNOWN)
    orders = [order for order in results.get("order_lookup", []) if isinstance(order, dict)]
    return {
        "status": _status(results),
        "reply": " ".join(sentence for sentence in sentences if sentence),
        "order_id": orders[0]["order_id"] if len(orders) == 1 else None,
    }


def _status(results: dict[str, list[Any]]) -> str:
    refunds = results.get("refund", [])
    if any(isinstance(result, dict) for result in refunds):
        return "refunded"
    return "declined" if refunds else "answered"


def _refund(result: Any) -> str:
    if isinstance(result, dict):
        return (
            f"We have refunded ${result['amount_usd']:.2f} for order {result['order_id']} (reference "
            f"{result['reference']}); it goes back the way you paid."
        )
    said = str(result)
    reason = said.partition("with reason: ")[2]
    if reason:
        return f"We can't refund this order: {reason.rstrip('.')}."
    if " left to refund" in said:
        return said
    return "We can't refund this order." if "rejected" in said else "I can't refund this order myself."


def _instead(said: object) -> str:
    """What a customer reads of a tool that gave no result: most of its words are for a model."""
    text = str(said)
    for begin in FOR_BOTH:
        if begin in text:
            return text[text.index(begin) :].partition(";")[0].rstrip(".") + "."
    return IN_A_MINUTE if TOO_FAST in text else NOT_NOW


def _order(result: Any) -> str:
    if not isinstance(result, dict):
        return _instead(result)
    items = ", ".join(item["name"] for item in result["items"] or []) or "nothing"
    delivered = f", and was delivered on {result['delivered_on']}" if result["delivered_on"] else ""
    text = f"Order {result['order_id']} ({items}) was placed on {result['placed_on']}, is {result['status']}{delivered}"
    text += "."
    if result["refunded_usd"] > 0:
        text += f" ${result['refunded_usd']:.2f} of it was refunded before."
    return text


def _vat(result: Any) -> str:
    if not isinstance(result, dict):
        return _instead(result)
    return (
        f"On ${result['net_usd']:.2f} the tax for {result['country']} is ${result['vat_usd']:.2f} "
        f"({result['percent']:g} percent), ${result['gross_usd']:.2f} in all. {result['note']}"
    )


def _prices(result: Any) -> str:
    if not isinstance(result, list):
        return _instead(result)
    best = result[0]
    stock = "on stock" if best["available"] else "sold out for now"
    return f"{best['name']} starts at ${best['price_usd']:.2f} and is {stock}."


def _article(result: Any) -> str:
    if not isinstance(result, list):
        return UNKNOWN
    best = result[0]
    return f'{" ".join(best["excerpt"].split())} (from our help article "{best["title"]}")'
