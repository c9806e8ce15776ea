"""The agency's book in Postgres: what there is, what was offered, what is held. Each statement has a tenant.

What must never happen is a constraint there: no seat is held twice, and nothing without a yes to what was shown.
"""

from agents.travel.inventory.holds import (
    NotAgreed,
    PriceChanged,
    ShareExceeded,
    agree,
    expire,
    hold,
    live_hold,
    release,
    share_exceeded,
)
from agents.travel.inventory.offers import NoSuchOffer, Quote, SoldOut, digest_of, keep, newest, quote
from agents.travel.inventory.search import NoSuchPlace, flights, nearby, place, stays
from agents.travel.inventory.visas import visa_for

__all__ = [
    "NoSuchOffer",
    "NoSuchPlace",
    "NotAgreed",
    "PriceChanged",
    "Quote",
    "ShareExceeded",
    "SoldOut",
    "agree",
    "digest_of",
    "expire",
    "flights",
    "hold",
    "keep",
    "live_hold",
    "nearby",
    "newest",
    "place",
    "quote",
    "release",
    "share_exceeded",
    "stays",
    "visa_for",
]
