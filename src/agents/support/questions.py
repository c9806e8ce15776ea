"""What a reviewer is shown at the gate: computed from state alone, so that each re-run asks the same."""

from langchain_core.messages import HumanMessage

from agents.shared.approvals import Question
from agents.shared.shop.orders import Order
from agents.support.state import Decision, State

LONGEST_MESSAGE = 4_000
"""Characters of the customer's own words that are shown; the thread has all of them."""


def refund_question(state: State, decision: Decision, order: Order) -> Question:
    """The payload of the gate: ticket, what the customer wrote, order, customer, amount, verdict, draft, and what
    approving will do."""
    amount = f"${decision['amount_usd']:,.2f}"
    problem = state.get("problem")
    mails = "mail_reply" not in state.get("off", [])
    email = order["customer_email"]
    return {
        "kind": "refund_approval",
        "title": f"Refund {amount} for order {order['order_id']}?",
        "ticket_id": state.get("ticket_id", ""),
        "customer_wrote": last_words(state),
        "customer": {"name": order["customer_name"], "email": order["customer_email"]},
        "order": {
            "order_id": order["order_id"],
            "status": order["status"],
            "placed_on": order["placed_on"],
            "delivered_on": order["delivered_on"],
            "items": order["items"],
            "paid_usd": order["paid_usd"],
            "refundable_usd": order["refundable_usd"],
        },
        "amount_usd": decision["amount_usd"],
        "verdict": decision["why"],
        "draft": state.get("draft", ""),
        "on_approve": f"Refunds {amount} to the payment method of order {order['order_id']} and "
        f"{f'sends the draft to {email}' if mails else 'answers with the draft, which is not mailed'}. "
        "Neither can be undone.",
        "on_reject": f"No money moves; a reply with your reason "
        f"{f'goes to {email}' if mails else 'is given in the conversation'}.",
        "attempt": state.get("attempts", {}).get("approve", 0) + 1,
        "problem": problem["error"] if problem and problem["node"] == "approve" else None,
    }


def last_words(state: State) -> str:
    """What is judged here is what the customer asks for: the message that this question is about."""
    said = (message.text for message in reversed(state["messages"]) if isinstance(message, HumanMessage))
    text = next(said, "")
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"
