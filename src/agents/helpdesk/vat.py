"""VAT on a net amount: the rates are rows of a table, the sums are whole cents."""

import re
from decimal import ROUND_HALF_UP, Decimal

from typing_extensions import TypedDict

from agents.shared.database import connection
from agents.shared.queries import load

_FIND_RATE = load(__file__)["find_rate"]
OTHERS = "*"
_NAMES = {
    "US": ("us", "usa", "u s", "united states", "united states of america", "america"),
    "GB": ("gb", "uk", "u k", "united kingdom", "great britain", "britain", "england", "scotland", "wales"),
    "DE": ("de", "germany", "deutschland"),
    "IN": ("in", "india", "bharat"),
}
_CODES = {name: code for code, names in _NAMES.items() for name in names}
_CENT = Decimal("0.01")


class Vat(TypedDict):
    """Amounts in USD with two decimals; `percent` is 19.0 for 19 percent."""

    country: str
    percent: float
    net_usd: float
    vat_usd: float
    gross_usd: float
    note: str


def country_code(country: str) -> str:
    """The two letters of a country as people write it: "UK" and "united kingdom" are GB; "*" is what nobody knows."""
    words = " ".join(re.findall(r"[^\W\d_]+", country.casefold()))
    if words in _CODES:
        return _CODES[words]
    return words.upper() if re.fullmatch(r"[a-z]{2}", words) else OTHERS


async def vat_on(net_usd: Decimal, country: str) -> Vat:
    """VAT on a net amount, rounded half up to a cent. Raises DatabaseUnavailable."""
    async with connection() as conn:
        row = await (await conn.execute(_FIND_RATE, {"country": country_code(country)})).fetchone()
    if row is None:
        raise LookupError("helpdesk.vat_rates has no row '*': run the migrations again, or add it")
    net = net_usd.quantize(_CENT, ROUND_HALF_UP)
    tax = (net * row["percent"] / 100).quantize(_CENT, ROUND_HALF_UP)
    return {
        "country": row["name"],
        "percent": float(row["percent"]),
        "net_usd": float(net),
        "vat_usd": float(tax),
        "gross_usd": float(net + tax),
        "note": row["note"],
    }
