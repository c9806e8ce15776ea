"""The six tickets of the demonstration, and what each must come to."""

from dataclasses import dataclass, replace

from stationmaster.shop.demo import DemoOrders


@dataclass(frozen=True)
class Ticket:
    """A customer's message, and what must become of it.

    `refund_usd` is what the ledger must show; `mails` counts mails to the customer and to the desk. Neither is known of
    an `open_ended` one.
    """

    name: str
    text: str
    intent: str
    outcome: str
    waits: bool = False
    refund_usd: float = 0.0
    mails: int = 0
    open_ended: bool = False

    def decided_otherwise(self) -> "Ticket":
        """The same, when a person said something else than what is expected: the outcome is then theirs."""
        return replace(self, open_ended=True)


def tickets(orders: DemoOrders) -> list[Ticket]:
    """The tickets, for the orders of this run: a demo order that was refunded before has a copy."""
    return [
        Ticket(
            name="blender",
            text=f"My blender arrived broken! Order {orders.blender}. I want my money back.",
            intent="refund",
            outcome="refunded",
            waits=True,
            refund_usd=640.0,
            mails=2,
        ),
        Ticket(
            name="small-refund",
            text=f"Hi, order {orders.small} arrived damaged. Please refund it.",
            intent="refund",
            outcome="refunded",
            refund_usd=orders.small_usd,
            mails=1,
        ),
        Ticket(
            name="question",
            text="How long does standard delivery take?",
            intent="question",
            outcome="answered",
        ),
        Ticket(
            name="no-such-order",
            text=f"I want a refund for order {orders.missing}, it never worked.",
            intent="refund",
            outcome="order_not_found",
        ),
        Ticket(
            name="wants-a-human",
            text="Can I talk to a real person please?",
            intent="human",
            outcome="human",
            mails=1,
        ),
        Ticket(
            name="too-late",
            text=f"I changed my mind about order {orders.old}, please refund it.",
            intent="refund",
            outcome="refund_declined",
            mails=1,
        ),
    ]
