"""Questions of every kind as the pages meet them, written to the database as observing writes them."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from psycopg.types.json import Jsonb

from agents.shared.approvals import Answer
from stationmaster.reviews import shapes
from stationmaster.reviews.audit import record
from stationmaster.reviews.database import Pool
from stationmaster.reviews.model import Pending
from tests.stationmaster.reviews.rows import insert

SCHEMA = Answer.model_json_schema()
GROUP = "refunds"
EVIL = "<script>window.pwned=1</script><img src=x onerror='window.pwned=1'>\"'`{{7*7}}</textarea></title>"


def refund(order: int = 88123, amount: float = 640.0, **more: Any) -> dict[str, Any]:
    """What the support graph asks before it pays."""
    return {
        "kind": "refund_approval", "title": f"Refund ${amount:,.2f} for order {order}?", "ticket_id": f"T-{order}",
        "customer_wrote": "The pump is dead after 19 days. I would like my money back, please; I kept the box.",
        "customer": {"name": "Maria Keller", "email": "maria@mail.example"},
        "order": {
            "order_id": str(order), "status": "delivered", "paid_usd": amount,
            "items": [
                {"name": "Espresso machine", "price_usd": 540.0, "quantity": 1},
                {"name": "Descaler", "price_usd": 12.5, "quantity": 8},
            ],
        },
        "amount_usd": amount, "verdict": "Delivered 19 days ago, inside the window.",
        "draft": f"Hello Maria,\n\nwe have refunded ${amount:,.2f}.\n\nThe shop",
        "on_approve": "Pays and sends the draft.",
    }  # fmt: skip


def contract() -> list[dict[str, Any]]:
    """A question in Agent Inbox's shape, with an argument of each JSON type."""
    args = {
        "client": "Northwind", "months": 12, "monthly_usd": 1890.0, "auto_renew": False, "clauses": ["payment"],
        "terms": {"notice_days": 30},
    }  # fmt: skip
    config = {"allow_ignore": True, "allow_respond": True, "allow_edit": True, "allow_accept": True}
    return [
        {
            "action_request": {"action": "write_contract", "args": args},
            "config": config,
            "description": "**Renew** it?",
        }
    ]


async def ask(
    pool: Pool, payload: Any, schema: Any = None, *, age: timedelta = timedelta(minutes=5),
    due: timedelta | None = None, kind: str = "interrupt", **columns: Any,
) -> str:  # fmt: skip
    """An open review of this payload, with the entry in the audit that wakes the consoles; its id."""
    now = datetime.now(UTC)
    pending = Pending("thread", "interrupt", payload, schema, node=columns.get("node"), kind=kind)  # pyright: ignore[reportArgumentType]
    shape = shapes.of(pending)
    described = shape.describe(pending)
    values = {
        "title": described.title, "amount_usd": described.amount_usd, "shape": shape.NAME, "kind": kind,
        "opened_at": now - age, "due_at": now + due if due is not None else None, "groups": [GROUP],
        "search_text": f"{described.title} {json.dumps(payload)}".replace("\\u0000", " ")[:5_000],
        "assistant_name": "support-friendly", "assistant_version": 3, **columns,
    }  # fmt: skip
    if isinstance(values.get("policy"), dict):
        values["policy"] = Jsonb(values["policy"])
    async with pool.connection() as conn:
        review = await insert(conn, payload=payload, response_schema=schema, **values)
        await record(
            conn, review_id=review.id, actor="stationmaster", action="opened", detail={"title": review.title}
        )
    return review.id


async def ask_refund(pool: Pool, order: int = 88123, amount: float = 640.0, **columns: Any) -> str:
    """A typed question: approve, edit or reject."""
    return await ask(pool, refund(order, amount), SCHEMA, **columns)
