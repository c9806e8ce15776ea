"""A summary of a conversation in at most 120 words that keeps order numbers and amounts."""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from agents.support.rules.classify import classify
from agents.support.rules.orders import find_order_ids

WORDS = 120
_MOST_NUMBERS = 20  # of orders, and of amounts: more would leave no room for the words
_REQUESTS, _REQUEST_WORDS, _ANSWER_WORDS = 3, 12, 18
_FIGURE = r"[0-9][0-9,]*(?:\.[0-9]+)?"
_AMOUNT = re.compile(rf"(?i)[$€£] ?{_FIGURE}|\b{_FIGURE}(?= ?(?:dollars|usd|euros?|eur|bucks|pounds)\b)")
_ASKED = {
    "refund": "a refund",
    "question": "an answer",
    "order_change": "a change to an order",
    "complaint": "to complain",
    "human": "a person",
}


def summarize(messages: Sequence[BaseMessage], earlier: str = "") -> str:
    """`earlier` sums up what came before these messages: its numbers are kept, its words while they fit."""
    humans = [message.text for message in messages if isinstance(message, HumanMessage)]
    agents = [message.text for message in messages if isinstance(message, AIMessage) and message.text]
    spoken = [
        earlier,
        *(message.text for message in messages if isinstance(message, HumanMessage | AIMessage)),
    ]
    numbers = _numbers(spoken)
    story = [*_requests(humans), *(f"Last answer: {_first(agents[-1], _ANSWER_WORDS)}" for _ in agents[-1:])]
    room = WORDS - len(f"{numbers} {' '.join(story)}".split())
    before = _first(_without_numbers(earlier), max(room - 1, 0)) if earlier else ""
    parts = [f"Before: {before}" if before else "", *story, numbers]
    return " ".join(" ".join(filter(None, parts)).split()[:WORDS]) or "Nothing was said yet."


def _requests(humans: Sequence[str]) -> list[str]:
    return [
        f"Customer wanted {_ASKED[classify([raw]).intent]}: {_first(raw, _REQUEST_WORDS)}"
        for raw in humans[-_REQUESTS:]
        if raw.strip()
    ]


def _numbers(texts: Sequence[str]) -> str:
    """The newest ones when there are too many."""
    orders = list(dict.fromkeys(number for text in texts for number in find_order_ids(text)))[-_MOST_NUMBERS:]
    money = list(dict.fromkeys(_money(match[0]) for text in texts for match in _AMOUNT.finditer(text)))[
        -_MOST_NUMBERS:
    ]
    parts = [
        f"Orders: {', '.join(f'#{number}' for number in orders)}." if orders else "",
        f"Amounts: {', '.join(money)}." if money else "",
    ]
    return " ".join(filter(None, parts))


def _money(found: str) -> str:
    bare = found.replace(" ", "")
    return bare if bare[0] in "$€£" else f"${bare}"


def _without_numbers(summary: str) -> str:
    """A summary's words alone: its own lists of numbers stand at its end and are made anew."""
    return re.split(r"\b(?:Orders: #|Amounts: [$€£])", summary)[0].replace("Before: ", "")


def _first(text: str, words: int) -> str:
    """The first words, as a sentence."""
    split = text.split()
    short = " ".join(split[:words]).rstrip(" .,;:!?")
    return f"{short}{' ...' if len(split) > words else '.'}" if short else ""
