"""The reply to a customer, written from facts alone: two to six sentences, by outcome and tone."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

_OPEN = "<facts>"
_BREAK = re.compile(r"(?<=[.!?])\s+(?=[\"'(A-Z0-9])")
_MARKUP = re.compile(r"</?[a-zA-Z][^>]{0,40}>|[*_`#]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_LONGEST = 400  # characters of a sentence that is quoted
_SORRY = {
    "damaged": "We are sorry that it reached you damaged",
    "not_as_described": "We are sorry that it is not what we described",
    "late": "We are sorry about the delay",
    "wrong_item": "We are sorry that you were sent the wrong item",
}
_THANKS = {
    "friendly": "Thank you for writing to us!",
    "formal": "Thank you for your message.",
    "brief": "",
}
_CLOSING = {
    "friendly": "Just reply to this message if there is anything else.",
    "formal": "Please reply to this message should you have any further questions.",
    "brief": "",
}

Facts = Mapping[str, Any]


def find_facts(system: str) -> dict[str, Any]:
    """The JSON of the last facts block; raises ValueError when there is none.

    Decoded from the opening mark on, not up to the closing one: a title or a reason may hold either mark.
    """
    decoder, found, place = json.JSONDecoder(), None, system.find(_OPEN)
    while place >= 0:
        start = place + len(_OPEN)
        try:
            value, start = decoder.raw_decode(system, start)
        except json.JSONDecodeError:
            value = None
        if isinstance(value, dict) and "outcome" in value:
            found = value
        place = system.find(_OPEN, start)
    if found is None:
        raise ValueError("the prompt holds no facts with an outcome: add them as <facts>{...}</facts>")
    return found


def write_reply(facts: Facts) -> str:
    """Greeting and body; an outcome that it does not know is answered as handed to a person."""
    tone = facts.get("tone") if facts.get("tone") in _THANKS else "friendly"
    body = _BODIES.get(str(facts.get("outcome")), _human)(facts)
    asks = "please" in " ".join(body).casefold()  # one invitation to write is enough
    sentences = [_THANKS[str(tone)], *body, "" if asks else _CLOSING[str(tone)]]
    return f"{_greeting(facts, str(tone))}\n\n{' '.join(filter(None, sentences))}"


def _greeting(facts: Facts, tone: str) -> str:
    name = " ".join(str(facts.get("customer_name") or "").split())[:60]
    if not name:
        return "Dear customer," if tone == "formal" else "Hello,"
    return f"Dear {name}," if tone == "formal" else f"Hello {name.split()[0]},"


def _refunded(facts: Facts) -> list[str]:
    sorry = _SORRY.get(str(facts.get("reason")), "We have looked into your request")
    return [f"{sorry}.", f"We have refunded {_money(facts) or 'the amount'} for {_order(facts)}."]


def _rejected(facts: Facts) -> list[str]:
    amount = _money(facts)
    asked = f"the refund of {amount}" if amount else "the refund"
    return [
        f"A colleague has looked at your request and {asked} for {_order(facts)} was not approved.",
        f"The reason: {_sentence(facts.get('reject_reason')) or 'none was given.'}",
        _appeal(facts),
    ]


def _declined(facts: Facts) -> list[str]:
    amount = _money(facts)
    policy, reason = _sentence(facts.get("policy_text")), _sentence(facts.get("reason"))
    return [
        f"We cannot refund {f'{amount} for ' if amount else ''}{_order(facts)}.",
        f"The reason: {reason or policy or 'our return policy does not cover it.'}",
        f"Our policy: {policy}" if policy and reason and policy.casefold() != reason.casefold() else "",
        _appeal(facts),
    ]


def _not_found(facts: Facts) -> list[str]:
    number = facts.get("order_id")
    return [
        f"We could not find an order with the number {number}."
        if number
        else "We could not find that order.",
        "Please check the order number and send it to us again.",
    ]


def _number_missing(facts: Facts) -> list[str]:
    return [
        "To look into your refund we need to know which order it is about.",
        "Please send us the order number.",
    ]


def _answered(facts: Facts) -> list[str]:
    articles = [article for article in facts.get("articles") or [] if article.get("excerpt")]
    if not articles:
        return _no_article(facts)
    said = [_ended(part) for part in _sentences(articles[0]["excerpt"])[:3]]
    return [*said, f"This is from our help article {_title(articles[0])}{_see_also(articles[1:2])}."]


def _see_also(articles: list[Mapping[str, Any]]) -> str:
    return "".join(f"; see also {_title(article)}" for article in articles)


def _no_article(facts: Facts) -> list[str]:
    return ["We have no help article that answers your question.", _write_to(facts, "For an answer")]


def _order_change(facts: Facts) -> list[str]:
    return [
        f"We have passed your request about {_order(facts)} on to our support desk.",
        "Nothing has been changed yet.",
        _write_to(facts, "To add anything"),
    ]


def _complaint(facts: Facts) -> list[str]:
    return [
        "We are sorry that we let you down.",
        f"Your complaint{_about(facts)} is now with our support desk.",
        _write_to(facts, "To add anything"),
    ]


def _human(facts: Facts) -> list[str]:
    return [
        f"We have passed your message{_about(facts)} on to a colleague at our support desk.",
        _write_to(facts, "To add anything"),
    ]


_BODIES: dict[str, Callable[[Facts], list[str]]] = {
    "refund_proposed": _refunded,
    "refund_rejected": _rejected,
    "refund_declined": _declined,
    "order_not_found": _not_found,
    "order_number_missing": _number_missing,
    "answered": _answered,
    "no_article": _no_article,
    "order_change": _order_change,
    "complaint": _complaint,
    "human": _human,
}


def _money(facts: Facts) -> str:
    """ "" when there is none: 0 is what the graph writes when no money is decided."""
    amount = facts.get("amount_usd")
    return f"${float(amount):,.2f}" if amount else ""


def _number(facts: Facts) -> str:
    order = facts.get("order")
    return str(order["order_id"]) if order else ""


def _order(facts: Facts) -> str:
    number = _number(facts)
    return f"order {number}" if number else "your order"


def _about(facts: Facts) -> str:
    number = _number(facts)
    return f" about order {number}" if number else ""


def _appeal(facts: Facts) -> str:
    return _write_to(facts, "If you see this differently")


def _write_to(facts: Facts, when: str) -> str:
    desk = facts.get("desk")
    return f"{when}, please write to {desk}." if desk else f"{when}, please reply to this message."


def _title(article: Mapping[str, Any]) -> str:
    return f'"{" ".join(str(article.get("title") or "Help").split()).rstrip(".")}"'


def _sentence(text: object) -> str:
    """The first sentence of a text, with a capital and a full stop; "" for none."""
    parts = _sentences(str(text or ""))
    return _ended(parts[0][:1].upper() + parts[0][1:]) if parts else ""


def _sentences(text: str) -> list[str]:
    plain = " ".join(_MARKUP.sub("", text).split())
    return [part for part in _BREAK.split(plain) if part]


def _ended(text: str) -> str:
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} ..."
    return text if text.endswith((".", "!", "?")) else f"{text}."
