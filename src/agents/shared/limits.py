"""What a conversation has used, by node and model, and when it is enough."""

from functools import reduce

from langchain_core.messages import AIMessage
from typing_extensions import TypedDict

from agents.shared.prices import price_of

# Sums are rounded to a digit that floats still hold exactly at this size, so that the order in which
# parallel branches are added cannot change the total.
_USD_DIGITS = 10


class UsageRow(TypedDict):
    """What one node spent on one model; `usd` counts nothing while `unpriced`."""

    calls: int
    input_tokens: int
    output_tokens: int
    usd: float
    unpriced: bool


Usage = dict[str, UsageRow]
"""Rows by "node|model"."""


def add_usage(left: Usage | None, right: Usage | None) -> Usage:
    """The sum of both, as a reducer: associative, {} changes nothing, neither side is altered."""
    total: Usage = dict(left or {})
    for key, row in (right or {}).items():
        total[key] = _add_rows(total[key], row) if key in total else row
    return total


def usage_of(node: str, model: str, message: AIMessage) -> Usage:
    """The usage of one answer of `model` (as configured: "provider:name") to `node`."""
    counts = message.usage_metadata
    if counts is None:
        return used(node, model)
    return used(node, model, tokens_in=counts["input_tokens"], tokens_out=counts["output_tokens"])


def used(node: str, model: str, *, tokens_in: int = 0, tokens_out: int = 0) -> Usage:
    """The usage of one call that cost so many tokens."""
    price = price_of(model)
    usd = (tokens_in * price["usd_in"] + tokens_out * price["usd_out"]) / 1_000_000 if price else 0.0
    row = UsageRow(
        calls=1,
        input_tokens=tokens_in,
        output_tokens=tokens_out,
        usd=round(usd, _USD_DIGITS),
        unpriced=price is None,
    )
    return {f"{node}|{model}": row}


def total_usd(usage: Usage) -> float:
    """USD of all priced rows."""
    return reduce(_add_usd, (row["usd"] for row in usage.values()), 0.0)


def total_tokens(usage: Usage) -> int:
    """Tokens in and out, of all rows."""
    return sum(_tokens(row) for row in usage.values())


def unpriced_models(usage: Usage) -> list[str]:
    """Names of the models that no price is known for, sorted."""
    return sorted({key.partition("|")[2] for key, row in usage.items() if row["unpriced"]})


def over_limit(
    usage: Usage,
    *,
    turns: int,
    max_turns: int,
    max_cost_usd: float,
    max_unpriced_tokens: int = 200_000,
) -> str | None:
    """Why the conversation has to end, or None.

    `turns` includes the one that is about to be worked on: max_turns of them are allowed. Money and tokens
    are those already spent: reaching the limit ends it.
    """
    if turns > max_turns:
        return f"turn {turns} is over the limit of {max_turns} turns"
    spent = total_usd(usage)
    if spent >= max_cost_usd:
        return f"${spent:.2f} spent, the limit is ${max_cost_usd:.2f}"
    unpriced = sum(_tokens(row) for row in usage.values() if row["unpriced"])
    if unpriced >= max_unpriced_tokens:
        names = ", ".join(unpriced_models(usage))
        return (
            f"{unpriced} tokens used on {names}, whose price is unknown; the limit is {max_unpriced_tokens}"
        )
    return None


def _tokens(row: UsageRow) -> int:
    return row["input_tokens"] + row["output_tokens"]


def _add_usd(left: float, right: float) -> float:
    return round(left + right, _USD_DIGITS)


def _add_rows(left: UsageRow, right: UsageRow) -> UsageRow:
    return UsageRow(
        calls=left["calls"] + right["calls"],
        input_tokens=left["input_tokens"] + right["input_tokens"],
        output_tokens=left["output_tokens"] + right["output_tokens"],
        usd=_add_usd(left["usd"], right["usd"]),
        unpriced=left["unpriced"] or right["unpriced"],
    )
