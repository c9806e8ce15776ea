"""The treasury's book in Postgres: what is checked against it, who signed, what goes out. Each statement has a tenant.

What must never happen is a constraint there: above $10,000 without two signatures nothing begins, whatever state says.
"""

from agents.treasury.book.entries import (
    Duplicate,
    Entered,
    NotEntered,
    cancel,
    cancel_waiting,
    enter,
    find,
    requester_of,
)
from agents.treasury.book.lookups import (
    Hit,
    Limits,
    NoSanctionsList,
    alike,
    held,
    is_known_payee,
    limits,
    over_the_day,
    paid_before,
    paid_to,
    price_of,
    screen,
    spent_today,
)
from agents.treasury.book.moving import Stopped, Unsigned, begin, fail, finish
from agents.treasury.book.signatures import LOCAL, MayNotSign, is_officer, sign, signers

__all__ = [
    "LOCAL",
    "Duplicate",
    "Entered",
    "Hit",
    "Limits",
    "MayNotSign",
    "NoSanctionsList",
    "NotEntered",
    "Stopped",
    "Unsigned",
    "alike",
    "begin",
    "cancel",
    "cancel_waiting",
    "enter",
    "fail",
    "find",
    "finish",
    "held",
    "is_known_payee",
    "is_officer",
    "limits",
    "over_the_day",
    "paid_before",
    "paid_to",
    "price_of",
    "requester_of",
    "screen",
    "sign",
    "signers",
    "spent_today",
]
