"""What a thread's state says is to be refunded, in a form that can be compared with tables, or why it is none."""

from decimal import Decimal
from typing import Annotated, Self

from langgraph.runtime import Runtime
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from agents.shared.approvals import LARGEST_USD
from agents.shared.asked import digest_of
from agents.shared.errors import PermanentError
from agents.shared.running import thread_if_any
from agents.shared.shop.orders import order_number
from agents.shared.shop.tickets import MAX_TICKET_ID
from agents.support.context import Context
from agents.support.questions import last_words
from agents.support.state import State, Status

MOST_REQUESTS = 1_000_000


class NoClaim(PermanentError):
    """The thread's state names no refund that can be made: look at its decision and its order."""


def _as_the_shop_keeps_it(order_id: str) -> str:
    """Keys are made of it: written in another way, it would be paid once more."""
    if order_number(order_id) != order_id:
        raise ValueError(f"{order_id!r} is not how the shop writes an order's number")
    return order_id


def _in_whole_cents(amount_usd: float) -> float:
    if round(amount_usd, 2) != amount_usd:
        raise ValueError(f"${amount_usd} has more than two decimals")
    return amount_usd


class Claim(BaseModel):
    """Which amount, of which order, in which request of which thread. Callers may have written any of it."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    status: Status
    thread_id: str
    ticket_id: Annotated[str, Field(max_length=MAX_TICKET_ID)]
    request: Annotated[int, Field(ge=1, le=MOST_REQUESTS)]
    order_id: Annotated[str, AfterValidator(_as_the_shop_keeps_it)]
    amount_usd: Annotated[
        float, Field(allow_inf_nan=False, gt=0, lt=LARGEST_USD), AfterValidator(_in_whole_cents)
    ]

    @classmethod
    def of(cls, state: State, runtime: Runtime[Context]) -> Self:
        """The claim of a state. Raises NoClaim."""
        decision, order = state.get("decision"), state.get("order")
        if not isinstance(decision, dict) or not isinstance(order, dict):
            raise NoClaim("there is no decision, or no order, to refund: `assess` sets both")
        try:
            return cls.model_validate(
                {
                    "status": decision.get("status"),
                    "thread_id": thread_if_any(runtime),
                    "ticket_id": state.get("ticket_id", ""),
                    "request": state.get("turns", 1),
                    "order_id": order.get("order_id"),
                    "amount_usd": decision.get("amount_usd"),
                }
            )
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise NoClaim(
                f"the state names no refund: {'.'.join(map(str, first['loc']))}: {first['msg']}"
            ) from error

    @property
    def amount(self) -> Decimal:
        """As the ledger counts: $640.5 is 640.5, and not what a float makes of it."""
        return Decimal(str(self.amount_usd))


def shown_of(state: State) -> str:
    """A digest of all that the gate shows and an answer decides about, as it stands in state."""
    shown = [state.get(name) for name in ("ticket_id", "turns", "order", "decision", "draft")]
    return digest_of(*shown, last_words(state))
