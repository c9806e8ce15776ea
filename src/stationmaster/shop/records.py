"""What goes into the shop in bulk, one class a table; amounts are USD as Decimal."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal


@dataclass(frozen=True)
class Customer:
    """`address` holds address1, address2, city, state, zip, country."""

    customer_id: str
    first_name: str
    last_name: str
    email: str
    address: dict[str, str]


@dataclass(frozen=True)
class PaymentMethod:
    """A card has `brand` and `last_four`, a gift card has `balance_usd`, PayPal has none of them."""

    payment_method_id: str
    customer_id: str
    source: str
    brand: str | None = None
    last_four: str | None = None
    balance_usd: Decimal | None = None


@dataclass(frozen=True)
class Product:
    """A product, whatever its options."""

    product_id: str
    name: str
    category: str


@dataclass(frozen=True)
class Variant:
    """A product with its options chosen; this is what is bought."""

    item_id: str
    product_id: str
    options: dict[str, str]
    available: bool
    price_usd: Decimal


@dataclass(frozen=True)
class Order:
    """The head of an order; `order_id` as the shop keeps it, without #."""

    order_id: str
    customer_id: str
    status: str
    placed_on: date
    delivered_on: date | None
    address: dict[str, str]


@dataclass(frozen=True)
class Item:
    """A line of an order, counted from 1, with name and price as they were when it was bought."""

    order_id: str
    line: int
    item_id: str
    name: str
    category: str
    options: dict[str, str]
    price_usd: Decimal
    quantity: int


@dataclass(frozen=True)
class Shipment:
    """A parcel and the items in it."""

    order_id: str
    tracking_id: str
    item_ids: list[str]


@dataclass(frozen=True)
class Payment:
    """What the customer paid; `line` counts an order's payments from 1."""

    order_id: str
    line: int
    payment_method_id: str
    amount_usd: Decimal


@dataclass(frozen=True)
class PastRefund:
    """What went back before the shop's own ledger began; `line` counts an order's past refunds from 1."""

    order_id: str
    line: int
    payment_method_id: str
    amount_usd: Decimal


@dataclass
class Records:
    """Rows of all tables, which may refer to each other."""

    customers: list[Customer] = field(default_factory=list)
    payment_methods: list[PaymentMethod] = field(default_factory=list)
    products: list[Product] = field(default_factory=list)
    variants: list[Variant] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    shipments: list[Shipment] = field(default_factory=list)
    payments: list[Payment] = field(default_factory=list)
    past_refunds: list[PastRefund] = field(default_factory=list)
