"""A small export in the form that `shop import` takes, and ways to break it."""

import json
from pathlib import Path
from typing import Any

ADDRESS = {
    "address1": "12 Quay Street",
    "address2": "Floor 3",
    "city": "Portland",
    "country": "USA",
    "state": "OR",
    "zip": "97201",
}

PRODUCTS: dict[str, Any] = {
    "5000000001": {
        "name": "Hammock",
        "product_id": "5000000001",
        "variants": {
            "6000000001": {
                "item_id": "6000000001",
                "options": {"colour": "green", "width": "140 cm"},
                "available": True,
                "price": 89.5,
            },
            "6000000002": {
                "item_id": "6000000002",
                "options": {"colour": "red", "width": "140 cm"},
                "available": False,
                "price": 91.05,
            },
        },
    },
    "5000000002": {
        "name": "Picnic Basket",
        "product_id": "5000000002",
        "variants": {
            "6000000003": {"item_id": "6000000003", "options": {}, "available": True, "price": 40},
        },
    },
}

USERS: dict[str, Any] = {
    "mira_stone_7001": {
        "name": {"first_name": "Mira", "last_name": "Stone"},
        "address": ADDRESS,
        "email": "mira.stone7001@example.org",
        "payment_methods": {
            "gift_card_7001": {"source": "gift_card", "balance": 12.5, "id": "gift_card_7001"},
            "credit_card_7001": {
                "source": "credit_card",
                "brand": "visa",
                "last_four": "0042",
                "id": "credit_card_7001",
            },
        },
        "orders": ["#W7000001", "#W7000002"],
    },
    "otto_reed_7002": {
        "name": {"first_name": "Otto", "last_name": "Reed"},
        "address": ADDRESS,
        "email": "otto.reed7002@example.org",
        "payment_methods": {"paypal_7002": {"source": "paypal", "id": "paypal_7002"}},
        "orders": ["#W7000003"],
    },
}


def item(product: str, item_id: str) -> dict[str, Any]:
    """A line of an order, as the product file has it."""
    variant = PRODUCTS[product]["variants"][item_id]
    return {
        "name": PRODUCTS[product]["name"],
        "product_id": product,
        "item_id": item_id,
        "price": variant["price"],
        "options": variant["options"],
    }


ORDERS: dict[str, Any] = {
    "#W7000001": {
        "order_id": "#W7000001",
        "user_id": "mira_stone_7001",
        "address": ADDRESS,
        "items": [item("5000000001", "6000000001"), item("5000000001", "6000000001")],
        "fulfillments": [{"tracking_id": ["990000000001"], "item_ids": ["6000000001"]}],
        "status": "delivered",
        "payment_history": [
            {"transaction_type": "payment", "amount": 100, "payment_method_id": "gift_card_7001"},
            {"transaction_type": "payment", "amount": 79.0, "payment_method_id": "credit_card_7001"},
        ],
    },
    "#W7000002": {
        "order_id": "#W7000002",
        "user_id": "mira_stone_7001",
        "address": ADDRESS,
        "items": [item("5000000002", "6000000003")],
        "fulfillments": [],
        "status": "cancelled",
        "payment_history": [
            {"transaction_type": "payment", "amount": 40, "payment_method_id": "credit_card_7001"},
            {"transaction_type": "refund", "amount": 40, "payment_method_id": "credit_card_7001"},
        ],
    },
    "#W7000003": {
        "order_id": "#W7000003",
        "user_id": "otto_reed_7002",
        "address": ADDRESS,
        "items": [item("5000000001", "6000000002"), item("5000000002", "6000000003")],
        "fulfillments": [],
        "status": "pending",
        "payment_history": [
            {"transaction_type": "payment", "amount": 131.05, "payment_method_id": "paypal_7002"}
        ],
    },
}

REMOVE = object()


class Export:
    """The three files in a directory; `change` edits one place, and `write` writes them again."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        # By way of JSON, so that no two places share an object.
        self.files: dict[str, Any] = json.loads(
            json.dumps({"products": PRODUCTS, "users": USERS, "orders": ORDERS})
        )
        self.write()

    def write(self) -> None:
        for name, rows in self.files.items():
            (self.directory / f"{name}.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")

    def change(self, file: str, *path: str | int, to: object) -> None:
        """Put another value at a place, or REMOVE it."""
        *parents, last = path
        place: Any = self.files[file]
        for part in parents:
            place = place[part]
        if to is REMOVE:
            del place[last]
        else:
            place[last] = to
        self.write()
