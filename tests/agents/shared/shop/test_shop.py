"""The shop as the agents see it, on a seeded database: orders, policies, mail, dead letters."""

import asyncio
from datetime import date

import psycopg
import pytest

from agents.shared.shop import SUPPORT_DESK, dead_letters, mail, orders, policies
from agents.shared.shop.policies import NoPolicies
from stationmaster.postgres import connect


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("88123", "88123"),
        ("#88123", "88123"),
        (" # 88 123\n", "88123"),
        ("#W2611340", "W2611340"),
        ("w 2611340", "W2611340"),
        ("", None),
        ("#", None),
        ("my order", None),
        ("123", None),
        ("88123' or true", None),
        ("88123\0", None),
        ("８８１２３", None),
    ],
)
def test_order_number(text: str, number: str | None) -> None:
    assert orders.order_number(text) == number


async def test_the_blender_looks_as_promised(agents_on_seeded_database: str) -> None:
    order = await orders.find_order("#88123")
    assert order is not None
    placed, delivered = (date.fromisoformat(order.pop(name)) for name in ("placed_on", "delivered_on"))  # type: ignore[misc]
    assert (delivered - placed).days == 5
    assert order == {
        "order_id": "88123",
        "customer_id": "rosa_delgado_4401",
        "customer_name": "Rosa Delgado",
        "customer_email": "rosa.delgado@example.net",
        "status": "delivered",
        "days_since_delivery": 3,
        "items": [{"name": "Vitality Pro Blender", "category": "kitchen", "price_usd": 640.0, "quantity": 1}],
        "paid_usd": 640.0,
        "refunded_usd": 0.0,
        "refundable_usd": 640.0,
    }


async def test_an_order_on_its_way_has_no_day_of_delivery(agents_on_seeded_database: str) -> None:
    order = await orders.find_order("88126")
    assert order is not None
    assert (order["status"], order["delivered_on"], order["days_since_delivery"]) == ("pending", None, None)
    assert [(item["price_usd"], item["quantity"]) for item in order["items"]] == [(289.0, 1), (62.0, 2)]


@pytest.mark.parametrize("text", ["99999", "no number"])
async def test_no_such_order(agents_on_seeded_database: str, text: str) -> None:
    assert await orders.find_order(text) is None


async def test_each_reason_has_a_policy_and_an_unknown_one_gets_other(agents_on_seeded_database: str) -> None:
    reasons = ["damaged", "not_as_described", "late", "wrong_item", "changed_mind", "other"]
    found = [await policies.find_policy(reason) for reason in reasons]
    assert [policy["reason"] for policy in found] == reasons
    changed_mind = found[4]
    assert (changed_mind["window_days"], changed_mind["refund_share"]) == (30, 0.9)
    assert changed_mind["text"].startswith("Unused goods can be returned within 30 days")
    assert (await policies.find_policy("the moon"))["reason"] == "other"


async def test_a_shop_without_policies_says_what_to_do(agents_on_database: str) -> None:
    with pytest.raises(NoPolicies, match="stationmaster shop seed"):
        await policies.find_policy("damaged")


async def test_mail_is_queued_once_and_the_first_stays(agents_on_database: str) -> None:
    def queue(body: str) -> asyncio.Task[bool]:
        letter = {"key": "k", "ticket_id": "T-1", "to": SUPPORT_DESK, "subject": "Hello", "body": body}
        return asyncio.create_task(mail.queue_mail(**letter))

    assert await queue("first") is True
    assert await asyncio.gather(*(queue(f"later {number}") for number in range(5))) == [False] * 5
    async with await connect(agents_on_database) as conn:
        rows = await (await conn.execute("select recipient, body from shop.mails")).fetchall()
    assert rows == [{"recipient": SUPPORT_DESK, "body": "first"}]


async def test_mail_to_no_address_is_not_queued(agents_on_database: str) -> None:
    with pytest.raises(psycopg.errors.CheckViolation):
        await mail.queue_mail(key="k", ticket_id="T", to="nobody", subject="Hello", body="World")


async def test_a_dead_letter_is_buried_once(agents_on_database: str) -> None:
    async def bury(reason: str) -> bool:
        return await dead_letters.bury(
            key="k",
            graph="support",
            node="refund",
            ticket_id="T-1",
            thread_id=None,
            reason=reason,
            detail={"amount_usd": 1.5, "tries": [1, 2]},
        )

    assert [await bury("first"), await bury("second")] == [True, False]
    async with await connect(agents_on_database) as conn:
        rows = await (
            await conn.execute("select reason, thread_id, detail from shop.dead_letters")
        ).fetchall()
    assert rows == [{"reason": "first", "thread_id": None, "detail": {"amount_usd": 1.5, "tries": [1, 2]}}]
