"""Reads a request in plain words: who is paid what and why, or what is bought or sold."""

import re
from typing import Any

from agents.treasury.amounts import amounts

_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_ACCOUNT = re.compile(
    r"\b(?:account|acct|iban)\b\.?\s*(?:no\.?|number)?\s*:?\s*([A-Za-z0-9][A-Za-z0-9-]{4,41})", re.IGNORECASE
)
_REFERENCE = re.compile(
    r"\b(?:reference|ref|invoice|inv)\b\.?\s*(?:no\.?|number|#)?\s*:?\s*#?([A-Za-z0-9][\w/-]*)", re.IGNORECASE
)
_BENEFICIARY = re.compile(
    r"\bto\s+(.{2,140}?)(?=\s*[,;(]|\s+(?:account|acct|iban|at|for|ref|reference|invoice)\b|\.?\s*$|\.\s)",
    re.IGNORECASE,
)
_TRADE = re.compile(
    rf"\b(buy|sell)\s+({_NUMBER})\s+(?:(?:shares?|units?)\s+(?:of\s+)?)?\$?([A-Za-z][A-Za-z0-9.]{{0,9}})\b",
    re.IGNORECASE,
)
_PAYS = re.compile(r"\b(?:pay|paid|payment|send|transfer|wire|remit|settle)\b", re.IGNORECASE)


def read(text: str) -> dict[str, Any]:
    """The arguments of the tool `Reading`; what is not written, or not written clearly, is left out."""
    trades = _TRADE.findall(text)
    pays = bool(amounts(text) or _PAYS.search(text))
    if (trades and pays) or len(trades) > 1 or not (trades or pays):
        return {"kind": "other"}
    if pays:
        return {"kind": "payment", **_money(text), **_payee(text)}
    side, quantity, symbol = trades[0]
    found = {
        "kind": "trade",
        "side": side.lower(),
        "quantity": _whole(quantity),
        "symbol": symbol.upper(),
    }
    return {name: value for name, value in found.items() if value is not None}


def _money(text: str) -> dict[str, Any]:
    """Where several amounts are written, which one is meant is not."""
    found = {(number.value, number.currency) for number in amounts(text)}
    if len(found) != 1:
        return {}
    value, currency = found.pop()
    return {"amount_usd": value, "currency": currency} if value is not None else {"currency": currency}


def _payee(text: str) -> dict[str, Any]:
    account = _IBAN.search(text) or _ACCOUNT.search(text)
    beneficiary, reference = _BENEFICIARY.search(text), _REFERENCE.search(text)
    found = {
        "account": account[account.lastindex or 0].strip() if account else None,
        "beneficiary": beneficiary[1].strip() if beneficiary else None,
        "reference": reference[1] if reference else None,
    }
    return {name: value for name, value in found.items() if value}


def _whole(number: str) -> int | None:
    value = float(number.replace(",", ""))
    return int(value) if value.is_integer() else None
