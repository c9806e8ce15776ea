"""What the customer's newest message asks for: the sum of the signals in it decides."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from agents.support.rules.languages import unreadable
from agents.support.rules.orders import find_order_id, find_order_ids
from agents.support.rules.queries import find_queries
from agents.support.rules.reasons import Reason, find_reason
from agents.support.rules.signals import Intent, signals
from agents.support.rules.text import Text, read

# Of equal sums the one that costs a person a look wins over the one that costs the shop money or the customer
# a wrong answer.
_TIES: tuple[Intent, ...] = ("human", "order_change", "refund", "complaint", "question")
# A bare damage report or a lone question word is no wish: the message before may say what it belongs to.
_ENOUGH = 2


@dataclass(frozen=True)
class Classification:
    """The arguments of the tool of that name."""

    intent: Intent
    order_id: str | None
    reason: Reason
    queries: list[str]

    def as_args(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Reading:
    """The signals of one message, summed."""

    text: Text
    sums: Counter[Intent]
    topics: tuple[str, ...]  # best first


def classify(humans: Sequence[str], summary: str = "") -> Classification:
    """Of a conversation's human messages, oldest first; `summary` is of what came before them, if anything.

    A message without a wish of its own ("it's 88123", an answer to "which order?") carries on the one before.
    Text that can't be read (empty, emoji, another language) goes to a person: the rules and the articles are
    English, and a guess would be worse than a short wait.
    """
    newest = _weigh(humans[-1] if humans else "")
    order_id = _order_id(humans, summary)
    meant = newest if _has_wish(newest) else _carried_on(humans, newest)
    intent: Intent = "human" if not _has_wish(meant) and unreadable(meant.text) else _winner(meant)
    if unreadable(newest.text):
        intent = "human"
    return Classification(intent, order_id, find_reason(meant.text), find_queries(meant.text, meant.topics))


def _weigh(raw: str) -> Reading:
    text = read(raw)
    found = [signal for signal in signals() if signal.found.search(text.concepts)]
    sums: Counter[Intent] = Counter()
    topics: Counter[str] = Counter()
    for signal in found:
        sums[signal.intent] += signal.weight
        if signal.topic:
            topics[signal.topic] += signal.weight
    return Reading(text, sums, tuple(topic for topic, _ in topics.most_common()))


def _has_wish(reading: Reading) -> bool:
    return max(reading.sums.values(), default=0) >= _ENOUGH


def _carried_on(humans: Sequence[str], newest: Reading) -> Reading:
    """The latest earlier message with a wish, when the newest only names an order."""
    if find_order_id(newest.text.raw) is None:
        return newest
    earlier = (_weigh(raw) for raw in reversed(humans[:-1]))
    return next((reading for reading in earlier if _has_wish(reading)), newest)


def _winner(reading: Reading) -> Intent:
    best = max(reading.sums.values(), default=0)
    for intent in _TIES:
        if best and reading.sums[intent] == best:
            return intent
    return "question"


def _order_id(humans: Sequence[str], summary: str) -> str | None:
    """From the newest message that names one; from a summary only when it names no other."""
    for raw in reversed(humans):
        found = find_order_id(raw)
        if found:
            return found
    summed = find_order_ids(summary)
    return summed[0] if len(summed) == 1 else None
