"""From words to a proposal: what a model read has to stand in the words, or it is not used."""

from collections.abc import Mapping
from itertools import takewhile
from typing import Any, Literal, cast

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from agents.treasury.amounts import Number, amounts, numbers
from agents.treasury.state import Proposal

_PROPOSAL: TypeAdapter[Any] = TypeAdapter(Proposal)
_SHARES = frozenset({"share", "shares", "unit", "units"})
_NEEDED = {
    "payment": ("beneficiary", "account", "amount_usd", "reference"),
    "trade": ("side", "symbol", "quantity"),
}
_CALLED = {
    "beneficiary": "who is paid", "account": "their account", "amount_usd": "the amount in US dollars",
    "reference": "a reference, such as the invoice's number", "side": "whether to buy or to sell",
    "symbol": "the instrument's symbol", "quantity": "how many",
}  # fmt: skip


class Reading(BaseModel):
    """What the requester's newest message asks for; null is what it does not say."""

    kind: Literal["payment", "trade", "other"]
    beneficiary: str | None = None
    account: str | None = None
    amount_usd: float | None = None
    reference: str | None = None
    side: Literal["buy", "sell"] | None = None
    symbol: str | None = None
    quantity: int | None = Field(default=None)
    currency: str = "USD"


class Incomplete(Exception):
    """The request lacks something, or asks for what the treasury does not do; the message is for the requester."""


class Invented(Exception):
    """The model read what is not written; it is shown this and asked again."""


def proposal_of(reading: Reading, text: str) -> Proposal:
    """The proposal that stands in the words. Raises Incomplete and Invented."""
    if reading.kind == "other":
        raise Incomplete(
            "I only take payments and trades, one a message: say who is paid what, or what to buy or sell."
        )
    if reading.currency.upper() not in ("USD", "US DOLLARS", "$"):
        raise Incomplete(
            f"Amounts are in US dollars here, and this one is in {reading.currency}: name it in dollars."
        )
    if reading.kind == "payment":
        _require_clear(text)
    needed = _NEEDED[reading.kind]
    values = {name: getattr(reading, name) for name in needed}
    missing = [_CALLED[name] for name, value in values.items() if value in (None, "")]
    if missing:
        raise Incomplete(f"I still need {_listed(missing)}. Please send the whole request again.")
    _require_written(values, text)
    return validated({"kind": reading.kind, **values})


def validated(proposal: Mapping[str, Any]) -> Proposal:
    """The proposal in its own shape; Incomplete names the field that can't be used."""
    try:
        return cast("Proposal", _PROPOSAL.validate_python(dict(proposal)))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][-1]) if first["loc"] else "proposal"
        said = first["msg"].removeprefix("Value error, ")
        raise Incomplete(f"I can't use {_CALLED.get(name, name)} ({name}): {said}.") from error


def _require_clear(text: str) -> None:
    """No amount is taken from a text in which one can't be read for certain: it may be the one that is meant."""
    unclear = next((number.written for number in amounts(text) if number.value is None), None)
    if unclear:
        raise Incomplete(
            f"I can't tell for certain what amount {unclear!r} is. Please send the whole request again with the "
            "amount in digits, commas between thousands and no more than two decimals, such as $5,000,000.00."
        )


def _require_written(values: Mapping[str, Any], text: str) -> None:
    letters = _letters(text)
    for name, value in values.items():
        if name == "side":
            continue
        if name == "amount_usd":
            written = value in _values(amounts(text) or numbers(text))
        elif name == "quantity":
            symbol = "".join(takewhile(str.isalpha, values["symbol"])).casefold()
            written = value in _values(numbers(text, _SHARES | {symbol}))
        else:
            written = _letters(value) in letters
        if not written:
            raise Invented(f"{name} {value!r} does not stand in the message: take what is written, or null")


def _values(found: list[Number]) -> set[float | None]:
    return {number.value for number in found}


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
