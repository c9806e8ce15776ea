"""Turns a checked export into records for the shop."""

from datetime import date

from agents.shared.shop.orders import order_number
from stationmaster.shop.days import made_up_days
from stationmaster.shop.export_files import Export
from stationmaster.shop.export_form import CreditCard, GiftCard, OrderRow, UserRow
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


def to_records(export: Export, today: date) -> Records:
    """Records of all rows. An export holds no dates: they are made up from the order's number and `today`."""
    records = Records()
    for product in export.products.rows.values():
        records.products.append(Product(product.product_id, product.name, product.category))
        records.variants.extend(
            Variant(item.item_id, product.product_id, item.options, item.available, item.price)
            for item in product.variants.values()
        )
    for user_id, user in export.users.rows.items():
        _add_user(records, user_id, user)
    categories = {entry.product_id: entry.category for entry in records.products}
    for row in export.orders.rows.values():
        number = order_number(row.order_id)
        if number is None:
            raise ValueError(f"{row.order_id!r} is no order number; check the export before it gets here")
        placed_on, delivered_on = made_up_days(number, row.status, today)
        address = row.address.model_dump()
        records.orders.append(Order(number, row.user_id, row.status, placed_on, delivered_on, address))
        _add_items(records, number, row, categories)
        _add_payments(records, number, row)
    return records


def _add_user(records: Records, user_id: str, user: UserRow) -> None:
    name = user.name
    records.customers.append(
        Customer(user_id, name.first_name, name.last_name, user.email, user.address.model_dump())
    )
    for method in user.payment_methods.values():
        card = (method.brand, method.last_four) if isinstance(method, CreditCard) else (None, None)
        balance = method.balance if isinstance(method, GiftCard) else None
        records.payment_methods.append(
            PaymentMethod(method.id, user_id, method.source, *card, balance_usd=balance)
        )


def _add_items(records: Records, number: str, row: OrderRow, categories: dict[str, str]) -> None:
    for line, item in enumerate(row.items, start=1):
        records.items.append(
            Item(
                order_id=number,
                line=line,
                item_id=item.item_id,
                name=item.name,
                category=categories[item.product_id],
                options=item.options,
                price_usd=item.price,
                quantity=1,
            )
        )
    records.shipments.extend(
        Shipment(number, tracking_id, fulfillment.item_ids)
        for fulfillment in row.fulfillments
        for tracking_id in fulfillment.tracking_id
    )


def _add_payments(records: Records, number: str, row: OrderRow) -> None:
    paid = [entry for entry in row.payment_history if entry.transaction_type == "payment"]
    back = [entry for entry in row.payment_history if entry.transaction_type == "refund"]
    records.payments.extend(
        Payment(number, line, entry.payment_method_id, entry.amount)
        for line, entry in enumerate(paid, start=1)
    )
    records.past_refunds.extend(
        PastRefund(number, line, entry.payment_method_id, entry.amount)
        for line, entry in enumerate(back, start=1)
    )
