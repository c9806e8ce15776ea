"""The form of a shop's export: one row of orders.json, users.json or products.json.

Each file is one JSON object, from id to row. Keys that are not named here are left aside.
"""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints


def _storable(text: str) -> str:
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("holds a character that a database can't store (NUL, or half of a surrogate pair)")
    return text


Text = Annotated[str, AfterValidator(_storable)]
Name = Annotated[str, StringConstraints(min_length=1), AfterValidator(_storable)]
Usd = Annotated[Decimal, Field(gt=0, max_digits=10, decimal_places=2)]


class Address(BaseModel):
    address1: Text
    address2: Text = ""
    city: Text
    state: Text
    zip: Text
    country: Text


class ItemRow(BaseModel):
    name: Name
    product_id: Name
    item_id: Name
    price: Usd
    options: dict[Text, Text]


class Fulfillment(BaseModel):
    tracking_id: list[Name]
    item_ids: list[Name] = Field(min_length=1)


class Movement(BaseModel):
    """Money that came in or went back; the amount is positive either way."""

    transaction_type: Literal["payment", "refund"]
    amount: Usd
    payment_method_id: Name


class OrderRow(BaseModel):
    order_id: Name
    user_id: Name
    address: Address
    items: list[ItemRow] = Field(min_length=1, max_length=1000)
    fulfillments: list[Fulfillment]
    status: Literal["pending", "processed", "delivered", "cancelled"]
    payment_history: list[Movement] = Field(max_length=1000)


class PersonName(BaseModel):
    first_name: Name
    last_name: Name


class CreditCard(BaseModel):
    source: Literal["credit_card"]
    id: Name
    brand: Name
    last_four: Annotated[str, StringConstraints(pattern=r"^[0-9]{4}$")]


class Paypal(BaseModel):
    source: Literal["paypal"]
    id: Name


class GiftCard(BaseModel):
    source: Literal["gift_card"]
    id: Name
    balance: Annotated[Decimal, Field(ge=0, max_digits=10, decimal_places=2)]


class UserRow(BaseModel):
    name: PersonName
    address: Address
    email: Annotated[str, StringConstraints(pattern=r"^[^@\s]+@[^@\s]+$"), AfterValidator(_storable)]
    payment_methods: dict[str, Annotated[CreditCard | Paypal | GiftCard, Field(discriminator="source")]]
    orders: list[Name]


class VariantRow(BaseModel):
    item_id: Name
    options: dict[Text, Text]
    available: bool
    price: Usd


class ProductRow(BaseModel):
    name: Name
    product_id: Name
    category: Name = "general"
    variants: dict[str, VariantRow]
