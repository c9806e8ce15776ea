"""The hand-written demo orders as records for the shop."""

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from stationmaster.shop.handwritten import read
from stationmaster.shop.records import (
    Customer,
    Item,
    Order,
    PastRefund,
    Payment,
    PaymentMethod,
    Product,
    Records,
    Shipment,
    Variant,
)


@dataclass(frozen=True)
class DemoOrder:
    """One entry of content/demo_orders.yaml; `in_policy` is None for what was not delivered."""

    number: int
    reason: str
    status: str
    in_policy: bool | None
    written: dict[str, Any]

    @property
    def paid_usd(self) -> Decimal:
        return sum((_usd(paid["amount"]) for paid in self.written["payments"]), Decimal(0))

    @property
    def refunded_usd(self) -> Decimal:
        return sum((_usd(back["amount"]) for back in self.written.get("refunds", [])), Decimal(0))

    def add_to(self, records: Records, today: date, number: int) -> None:
        """Add the order under this number, with all that it refers to and its days counted from `today`."""
        self._add_customer(records)
        self._add_items(records, str(number))
        self._add_order(records, str(number), today)

    def _add_customer(self, records: Records) -> None:
        who = self.written["customer"]
        records.customers.append(
            Customer(who["id"], who["first_name"], who["last_name"], who["email"], who["address"])
        )
        for method in self.written["methods"]:
            balance = _usd(method["balance"]) if "balance" in method else None
            card = (method.get("brand"), method.get("last_four"))
            records.payment_methods.append(
                PaymentMethod(method["id"], who["id"], method["source"], *card, balance_usd=balance)
            )

    def _add_items(self, records: Records, order_id: str) -> None:
        for line, item in enumerate(self.written["items"], start=1):
            price = _usd(item["price"])
            records.products.append(Product(item["product"], item["name"], item["category"]))
            records.variants.append(Variant(item["item"], item["product"], item["options"], True, price))
            records.items.append(
                Item(
                    order_id=order_id,
                    line=line,
                    item_id=item["item"],
                    name=item["name"],
                    category=item["category"],
                    options=item["options"],
                    price_usd=price,
                    quantity=item["quantity"],
                )
            )

    def _add_order(self, records: Records, order_id: str, today: date) -> None:
        written, who = self.written, self.written["customer"]
        placed_on = today - timedelta(days=written["placed_days_ago"])
        delivered_on = None
        if "delivered_days_ago" in written:
            delivered_on = today - timedelta(days=written["delivered_days_ago"])
        records.orders.append(
            Order(order_id, who["id"], self.status, placed_on, delivered_on, who["address"])
        )
        if self.status in {"processed", "delivered"}:
            parcel = [item["item"] for item in written["items"]]
            records.shipments.append(Shipment(order_id, f"7400{order_id:0>8}", parcel))
        for line, paid in enumerate(written["payments"], start=1):
            records.payments.append(Payment(order_id, line, paid["method"], _usd(paid["amount"])))
        for line, back in enumerate(written.get("refunds", []), start=1):
            records.past_refunds.append(PastRefund(order_id, line, back["method"], _usd(back["amount"])))


def demo_orders() -> dict[str, DemoOrder]:
    """The demo orders by the name of what they show."""
    return {
        name: DemoOrder(entry["number"], entry["reason"], entry["status"], entry.get("in_policy"), entry)
        for name, entry in read("demo_orders").items()
    }


def _usd(amount: float) -> Decimal:
    return Decimal(str(amount)).quantize(Decimal("0.01"))
