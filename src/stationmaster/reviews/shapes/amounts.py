"""The amount of money that a question is about, for policies ("above $500, two people") and for the list.

The rule: `amount_usd`, else `amount`, of the payload; else of its `args`. A number, or a string that is a plain
decimal ("640.00", "$1,200"). An amount too large for a float counts as the largest one, so that no policy is
passed by under it; NaN is none. A batch of tool calls is about the sum of its calls. The amount of an answer: `sent`.
"""

import math
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from stationmaster.reviews.shapes.same import changes

KEYS = ("amount_usd", "amount")
_DECIMAL = re.compile(r"[$]?\s?(-?\d{1,3}(?:,\d{3})+|-?\d{1,30})(\.\d{1,30})?", re.ASCII)


def amount_of(payload: Any) -> float | None:
    """The payload's own amount, else that of its `args`; None where nobody named one."""
    if not isinstance(payload, dict):
        return None
    for holder in (payload, payload.get("args")):
        if isinstance(holder, dict):
            for key in KEYS:
                if (amount := number_of(holder.get(key))) is not None:
                    return amount
    return None


def total(payloads: Iterable[Any]) -> float | None:
    """The sum of what has an amount; None if nothing has."""
    return sum_of(amount for payload in payloads if (amount := amount_of(payload)) is not None)


def sum_of(amounts: Iterable[float]) -> float | None:
    """What is paid in all; None of none. What comes back offsets nothing: 5,000 out and 4,900 in is about 5,000."""
    found = list(amounts)
    paid = [amount for amount in found if amount > 0]
    return _bounded(sum(paid or found)) if found else None


def changed_parts(payload: Any, answer: Mapping[str, Any]) -> dict[str, Any] | None:
    """What an answer says otherwise than the payload under the same key; an amount also where there was none.

    An amount counts whatever the decision is called, so that no rule about money is passed by under another name.
    """
    before = payload if isinstance(payload, dict) else {}
    after = {
        key: value for key, value in answer.items() if key in before or (key in KEYS and value is not None)
    }
    return changes({key: before[key] for key in after if key in before}, after)


def number_of(value: Any) -> float | None:
    """A number, or a text that is a plain decimal; None of anything else, NaN too."""
    if isinstance(value, str) and (found := _DECIMAL.fullmatch(value.strip()[:80])):
        value = float(found[1].replace(",", "") + (found[2] or ""))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return _bounded(value)


def _bounded(value: float) -> float | None:
    if isinstance(value, float) and math.isnan(value):
        return None
    largest = sys.float_info.max
    return largest if value > largest else -largest if value < -largest else float(value)
