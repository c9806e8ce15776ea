"""Says what does not fit together in an export: ids that lead nowhere, and sums that can't be."""

from collections.abc import Iterator
from decimal import Decimal

from agents.shared.shop.orders import order_number
from stationmaster.shop.export_files import Export, Problem
from stationmaster.shop.export_form import OrderRow, UserRow


def check(export: Export) -> list[Problem]:
    """Everything that is wrong between rows. A row that is bad by itself counts as known and is not repeated."""
    problems = [*_products(export), *_users(export)]
    numbers: dict[str, str] = {}
    for row_id, order in export.orders.rows.items():
        problems += [
            export.orders.problem(row_id, what)
            for what in (
                *_number(row_id, order, numbers),
                *_bought(export, order),
                *_paid(export, order),
                *_sent(order),
            )
        ]
    return problems


def _products(export: Export) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for row_id, product in export.products.rows.items():
        if product.product_id != row_id:
            yield export.products.problem(row_id, f"product_id: is {product.product_id}, not the row's id")
        for key, variant in product.variants.items():
            if variant.item_id != key:
                yield export.products.problem(row_id, f"variants.{key}: item_id is {variant.item_id}")
            if seen.setdefault(variant.item_id, row_id) != row_id:
                yield export.products.problem(
                    row_id, f"variants.{key}: product {seen[variant.item_id]} has the same item"
                )


def _users(export: Export) -> Iterator[Problem]:
    emails: dict[str, str] = {}
    methods: dict[str, str] = {}
    for row_id, user in export.users.rows.items():
        if (other := emails.setdefault(user.email.lower(), row_id)) != row_id:
            yield export.users.problem(row_id, f"email: user {other} has the same")
        for key, method in user.payment_methods.items():
            if method.id != key:
                yield export.users.problem(row_id, f"payment_methods.{key}: id is {method.id}")
            if (other := methods.setdefault(method.id, row_id)) != row_id:
                yield export.users.problem(row_id, f"payment_methods.{key}: user {other} has the same")
        for what in _orders_of(export, row_id, user):
            yield export.users.problem(row_id, what)


def _orders_of(export: Export, user_id: str, user: UserRow) -> Iterator[str]:
    for order_id in user.orders:
        order = export.orders.rows.get(order_id)
        if order is not None and order.user_id != user_id and order.user_id in export.users.places:
            yield f"orders: {order_id} belongs to user {order.user_id}"
        if export.orders.readable and order_id not in export.orders.places:
            yield f"orders: unknown order {order_id}"


def _number(row_id: str, order: OrderRow, numbers: dict[str, str]) -> Iterator[str]:
    number = order_number(row_id)
    if order.order_id != row_id:
        yield f"order_id: is {order.order_id}, not the row's id"
    if number is None:
        yield "order_id: must be up to 3 letters and 4 to 15 digits, with or without #"
    elif (other := numbers.setdefault(number, row_id)) != row_id:
        yield f"order_id: is the same number as {other}"


def _bought(export: Export, order: OrderRow) -> Iterator[str]:
    if export.users.readable and order.user_id not in export.users.places:
        yield f"user_id: unknown user {order.user_id}"
    for place, item in enumerate(order.items):
        product = export.products.rows.get(item.product_id)
        if export.products.readable and item.product_id not in export.products.places:
            yield f"items.{place}.product_id: unknown product {item.product_id}"
        elif product is not None and item.item_id not in {
            variant.item_id for variant in product.variants.values()
        }:
            yield f"items.{place}.item_id: product {item.product_id} has no item {item.item_id}"


def _paid(export: Export, order: OrderRow) -> Iterator[str]:
    user = export.users.rows.get(order.user_id)
    balance = Decimal(0)
    for place, movement in enumerate(order.payment_history):
        if user is not None and movement.payment_method_id not in user.payment_methods:
            yield (
                f"payment_history.{place}.payment_method_id: user {order.user_id} has no "
                f"{movement.payment_method_id}"
            )
        balance += movement.amount if movement.transaction_type == "payment" else -movement.amount
    if balance < 0:
        yield f"payment_history: refunds are ${-balance} more than payments"


def _sent(order: OrderRow) -> Iterator[str]:
    bought = {item.item_id for item in order.items}
    parcels: set[str] = set()
    for place, fulfillment in enumerate(order.fulfillments):
        for item_id in fulfillment.item_ids:
            if item_id not in bought:
                yield f"fulfillments.{place}.item_ids: {item_id} is not among the items"
        for tracking_id in fulfillment.tracking_id:
            if tracking_id in parcels:
                yield f"fulfillments.{place}.tracking_id: {tracking_id} is there twice"
            parcels.add(tracking_id)
