"""What statements may name: the tables of schema `desk`, their columns, and which of these may be written.

A test compares this with the database; the grants are made from it, so that parser and database say the same.
"""

from dataclasses import dataclass

SCHEMA = "desk"


@dataclass(frozen=True)
class Table:
    """A table or view of the schema. `update` and `insert` name the columns that a statement may set."""

    what: str
    columns: tuple[str, ...]
    update: tuple[str, ...] = ()
    insert: tuple[str, ...] = ()


TABLES: dict[str, Table] = {
    "orders": Table(
        "one row an order; status is pending, processed, delivered or cancelled",
        ("order_id", "customer_id", "status", "placed_on", "delivered_on", "paid_usd", "refunded_usd"),
    ),
    "order_items": Table(
        "what an order holds",
        ("order_id", "line", "sku", "product", "category", "price_usd", "quantity"),
    ),
    "customers": Table(
        "one row a customer",
        ("customer_id", "first_name", "last_name", "city", "state", "country"),
    ),
    "refunds": Table(
        "money that went back",
        ("refund_id", "order_id", "amount_usd", "provider", "created_at"),
    ),
    "stock": Table(
        "what lies in the warehouse; below reorder_level it is low",
        (
            "tenant", "sku", "product", "category", "unit_price_usd", "on_hand", "reorder_level", "supplier_id",
        ),
        update=("on_hand", "reorder_level", "supplier_id"),
    ),
    "suppliers": Table(
        "who delivers it, and in how many days",
        ("tenant", "supplier_id", "name", "lead_days"),
        update=("lead_days",),
    ),
    "purchase_requests": Table(
        "what was asked to be bought",
        ("request_id", "tenant", "sku", "quantity", "note", "requested_at"),
        insert=("sku", "quantity", "note"),
    ),
}  # fmt: skip

NAMES = frozenset({SCHEMA, *TABLES}.union(*(table.columns for table in TABLES.values())))
"""All of them are plain words that Postgres reads without quotes."""


def described() -> str:
    """The catalogue as a model reads it."""
    lines: list[str] = []
    for name, table in TABLES.items():
        lines.append(f"{SCHEMA}.{name} ({', '.join(table.columns)}): {table.what}")
        if table.update:
            lines.append(f"  UPDATE may set: {', '.join(table.update)}")
        if table.insert:
            lines.append(f"  INSERT may give: {', '.join(table.insert)}")
    return "\n".join(lines)
