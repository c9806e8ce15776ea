"""The messages that the benchmarks send: one of each kind in turn, refunds about orders of their own."""

from collections.abc import Iterator
from itertools import cycle, islice

from tests.fakes.shop import place_order

_KINDS = ("question", "refund", "order_not_found", "human", "gate")


def tickets(uri: str, count: int) -> list[tuple[str, str]]:
    """So many (kind, message) for the shop at `uri`; `gate` is a refund that waits for a person."""
    return list(islice(_endless(uri), count))


def _endless(uri: str) -> Iterator[tuple[str, str]]:
    for kind in cycle(_KINDS):
        match kind:
            case "question":
                text = "How long does standard delivery take?"
            case "refund":
                text = f"Order {place_order(uri, 48.5)} arrived damaged, please refund it."
            case "order_not_found":
                text = "I want a refund for order 99999999, it never worked."
            case "human":
                text = "Can I talk to a real person please?"
            case _:
                text = f"My blender arrived broken, order {place_order(uri, 640.0)}. I want my money back."
        yield kind, text
