"""Makes up the seeded shop from the written catalogue and names: always the same, but for its dates."""

import random
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from itertools import product as combinations
from typing import Any

from stationmaster.shop.days import made_up_days
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

CUSTOMERS = 320
ORDERS = 1000
_STATUSES, _SHARES = ("delivered", "pending", "processed", "cancelled"), (62, 18, 10, 10)


def make_up(today: date) -> Records:
    """The customers, products and orders; only the dates depend on `today`."""
    chance = random.Random("a shop")  # noqa: S311 - chosen to be the same each time
    records = Records()
    for entry in read("catalogue"):
        _add_product(records, chance, entry)
    people = read("people")
    for number in range(1, CUSTOMERS + 1):
        _add_customer(records, chance, people, number)
    names = {entry.product_id: entry for entry in records.products}
    methods: dict[str, list[PaymentMethod]] = {}
    for method in records.payment_methods:
        methods.setdefault(method.customer_id, []).append(method)
    for number in range(ORDERS):
        customer = chance.choice(records.customers)
        # Five digits below the demo orders', with gaps, as a customer would see them.
        order_id = str(20_000 + number * 57 + chance.randrange(57))
        total = _add_order(records, chance, customer, order_id, names, today)
        _add_payments(records, chance, records.orders[-1], methods[customer.customer_id], total)
    return records


def _add_product(records: Records, chance: random.Random, entry: dict[str, Any]) -> None:
    records.products.append(Product(entry["id"], entry["name"], entry["category"]))
    base = Decimal(str(entry["price"]))
    for number, values in enumerate(combinations(*entry["options"].values()), start=1):
        options = dict(zip(entry["options"], values, strict=True))
        steps = sum(entry["options"][name].index(value) for name, value in options.items())
        price = (base * (100 + 4 * steps) / 100).quantize(Decimal("0.01"))
        available = chance.random() < 0.9
        records.variants.append(Variant(f"{entry['id']}-{number}", entry["id"], options, available, price))


def _add_customer(records: Records, chance: random.Random, people: dict[str, Any], number: int) -> None:
    first, last = chance.choice(people["first_names"]), chance.choice(people["last_names"])
    place = chance.choice(people["cities"])
    customer_id = f"{first}_{last}_{1000 + number}".lower()
    records.customers.append(
        Customer(
            customer_id=customer_id,
            first_name=first,
            last_name=last,
            email=f"{first}.{last}{1000 + number}@example.net".lower(),
            address={
                "address1": f"{chance.randint(1, 400)} {chance.choice(people['streets'])}",
                "address2": f"Apt {chance.randint(1, 60)}" if chance.random() < 0.4 else "",
                "city": place["city"],
                "state": place["state"],
                "zip": f"{place['zip']}{chance.randint(1, 99):02}",
                "country": "USA",
            },
        )
    )
    for place_in_list, source in enumerate(_sources(chance), start=1):
        records.payment_methods.append(
            _method(chance, customer_id, source, f"{1000 + number}{place_in_list:03}")
        )


def _sources(chance: random.Random) -> Sequence[str]:
    """One to three payment methods; a gift card never alone, for it would not pay for much."""
    main = chance.choice(("credit_card", "paypal"))
    return [main, *(source for source in ("credit_card", "gift_card") if chance.random() < 0.3)]


def _method(chance: random.Random, customer_id: str, source: str, number: str) -> PaymentMethod:
    method_id = f"{source}_{number}"
    match source:
        case "credit_card":
            brand, last_four = chance.choice(("visa", "mastercard", "amex")), f"{chance.randrange(10_000):04}"
            return PaymentMethod(method_id, customer_id, source, brand=brand, last_four=last_four)
        case "gift_card":
            return PaymentMethod(
                method_id, customer_id, source, balance_usd=Decimal(chance.randrange(0, 200, 5))
            )
        case _:
            return PaymentMethod(method_id, customer_id, source)


def _add_order(
    records: Records,
    chance: random.Random,
    customer: Customer,
    order_id: str,
    products: dict[str, Product],
    today: date,
) -> Decimal:
    """Add head, lines and parcel; the total comes back."""
    status = chance.choices(_STATUSES, _SHARES)[0]
    placed_on, delivered_on = made_up_days(order_id, status, today)
    records.orders.append(
        Order(order_id, customer.customer_id, status, placed_on, delivered_on, customer.address)
    )
    chosen = chance.sample(records.variants, chance.choices((1, 2, 3, 4, 5), (35, 30, 18, 10, 7))[0])
    total = Decimal(0)
    for line, variant in enumerate(chosen, start=1):
        quantity = chance.choices((1, 2, 3), (85, 12, 3))[0]
        bought = products[variant.product_id]
        total += variant.price_usd * quantity
        records.items.append(
            Item(
                order_id=order_id,
                line=line,
                item_id=variant.item_id,
                name=bought.name,
                category=bought.category,
                options=variant.options,
                price_usd=variant.price_usd,
                quantity=quantity,
            )
        )
    if status in {"processed", "delivered"}:
        tracking_id = f"{chance.randrange(10**11, 10**12)}"
        records.shipments.append(Shipment(order_id, tracking_id, [variant.item_id for variant in chosen]))
    return total


def _add_payments(
    records: Records, chance: random.Random, order: Order, methods: list[PaymentMethod], total: Decimal
) -> None:
    """One payment, or a gift card and the rest; a cancelled order got all of it back, some others a part."""
    parts = [(methods[0], total)]
    if methods[-1].source == "gift_card" and chance.random() < 0.4:
        share = min(total - 1, Decimal(chance.randrange(10, 100, 5)))
        parts = [(methods[-1], share), (methods[0], total - share)]
    for line, (method, amount) in enumerate(parts, start=1):
        records.payments.append(Payment(order.order_id, line, method.payment_method_id, amount))
        if order.status == "cancelled":
            records.past_refunds.append(PastRefund(order.order_id, line, method.payment_method_id, amount))
    if order.status == "delivered" and chance.random() < 0.05:
        method, amount = parts[-1]
        part = (amount / 4).quantize(Decimal("0.01"))
        records.past_refunds.append(PastRefund(order.order_id, 1, method.payment_method_id, part))
