"""Whether a policy's match fits a review: names, and conditions on fields of the payload. Pure."""

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from stationmaster.reviews.model import Facts
from stationmaster.reviews.policies.format import Condition, Match


def fits(match: Match, facts: Facts) -> bool:
    """Every key of the match has to fit; a key that is not written fits anything."""
    return (
        _one_of(match.graph, facts.graph)
        and _one_of(match.assistant, facts.assistant_name, facts.assistant_id)
        and _one_of(match.shape, facts.shape)
        and _one_of(match.node, facts.node)
        and all(holds(condition, facts.payload, path) for path, condition in match.payload.items())
    )


def _one_of(wanted: Sequence[str], *names: str | None) -> bool:
    return not wanted or any(name in wanted for name in names)


def holds(condition: Condition, payload: object, path: str) -> bool:
    """True if one of the values at the path fits the whole condition. `*` in a path stands for every item."""
    found = list(_values(payload, path.split(".")))
    if condition.exists is not None and condition.exists != bool(found):
        return False
    return not condition.asks_for_a_value or any(_fits(condition, value) for value in found)


def _values(value: object, steps: Sequence[str]) -> Iterator[object]:
    if not steps:
        yield value
        return
    step, rest = steps[0], steps[1:]
    if isinstance(value, Mapping):
        items: list[Any] = list(value.values()) if step == "*" else [value[step]] if step in value else []
    elif isinstance(value, list):
        in_range = step.isascii() and step.isdigit() and len(step) < 10 and int(step) < len(value)
        items = value if step == "*" else [value[int(step)]] if in_range else []
    else:
        items = []
    for item in items:
        yield from _values(item, rest)


def _fits(condition: Condition, value: object) -> bool:
    if condition.has_equals and not _same(value, condition.equals):
        return False
    if condition.one_of is not None and not any(_same(value, wanted) for wanted in condition.one_of):
        return False
    return _within(condition, value)


def _same(value: object, wanted: object) -> bool:
    """JSON's equality: true is not 1, and 1 is 1.0."""
    return isinstance(value, bool) == isinstance(wanted, bool) and value == wanted


def _within(condition: Condition, value: object) -> bool:
    bounds = (condition.above, condition.at_least, condition.below, condition.at_most)
    if all(bound is None for bound in bounds):
        return True
    number = _number(value)
    if number is None:
        return False
    above, at_least, below, at_most = (None if bound is None else _exact(bound) for bound in bounds)
    return (
        (above is None or number > above)
        and (at_least is None or number >= at_least)
        and (below is None or number < below)
        and (at_most is None or number <= at_most)
    )


def _exact(number: float) -> Decimal:
    """The number as it was written: 99.9 and not the nearest binary fraction."""
    return Decimal(str(number))


def _number(value: object) -> Decimal | None:
    """Numbers, and text that is nothing but a number: an amount must not slip past a limit as "900.00"."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, int):
        return Decimal(value)
    try:
        number = Decimal(str(value).strip().lstrip("$").replace(",", ""))
    except InvalidOperation:
        return None
    return None if number.is_nan() else number
