"""The amount of money in what an answer will send: read like a question's own, wherever the answer puts it.

An answer may raise an amount, name one where there was none, or bury it deeper than a question is read. What it says
anew is therefore looked for at any depth and under every key; what can't be read is None, which a policy's figure
takes for above (`policies.needs_two`). An amount that the proposal named in the same place was judged when it opened.
"""

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from stationmaster.reviews.shapes.amounts import KEYS, amount_of, number_of, sum_of
from stationmaster.reviews.shapes.same import same

NOTHING = 0.0
"""Of an answer by which nothing is paid, as a rejection."""
Path: TypeAlias = tuple[str | int, ...]


def of_change(before: Any, after: Any) -> float | None:
    """Of arguments, or of a state, that were proposed as `before` and go out as `after`."""
    fresh = _anew(before, after)
    if fresh is None:
        return None
    own = amount_of(after)
    if own is None and amount_of(before) is not None:
        return None  # the amount was taken out: what is paid then, nobody can tell
    return _largest(own, sum_of(fresh))


def of_calls(proposed: Iterable[tuple[Any, Any]]) -> float | None:
    """Of the calls that will run: (arguments proposed, arguments sent) each. One without an amount counts nothing, as
    when the question opened."""
    amounts = list[float]()
    for before, after in proposed:
        amount = of_change(before, after)
        if amount is None and (_names(before) or _names(after)):
            return None
        amounts.append(amount or NOTHING)
    return sum_of(amounts) or NOTHING


def of_reply(payload: Any, reply: Any, *, negative: bool = False) -> float | None:
    """Of an answer in the graph's own words: the amounts that it names, else the question's.

    A number without an amount's name can be one: alone or in a list it is taken for it, as a part of an object that
    names no amount it makes the answer unreadable, as do digits in a text. `negative`: nothing is paid unless an amount
    is named.
    """
    named = _anew({}, reply)
    if named is None:
        return None
    if named:
        return sum_of(named)
    if negative:
        return NOTHING
    bare = _bare(reply)
    if bare is None or (isinstance(reply, dict) and _unnamed(payload, reply)):
        return None
    return sum_of(bare) if bare else amount_of(payload)


def _anew(before: Any, after: Any) -> list[float] | None:
    """The amounts in `after` that were not in the same place in `before`; None if one of them is no number."""
    known = dict(_named(before))
    found: list[float] = []
    for path, value in _named(after):
        if value is None or (path in known and same(known[path], value)):
            continue
        amount = number_of(value)
        if amount is None:
            return None
        found.append(amount)
    return found


def _named(value: Any) -> Iterator[tuple[Path, Any]]:
    """Whatever stands under an amount's key, with its place."""
    return ((path, item) for path, item in _walk(value) if path and path[-1] in KEYS)


def _names(value: Any) -> bool:
    return any(item is not None for _, item in _named(value))


def _walk(value: Any) -> Iterator[tuple[Path, Any]]:
    """Everything in a JSON value, without recursion."""
    stack: list[tuple[Path, Any]] = [((), value)]
    while stack:
        path, item = stack.pop()
        yield path, item
        if isinstance(item, dict):
            stack.extend(((*path, key), inner) for key, inner in item.items())
        elif isinstance(item, list):
            stack.extend(((*path, number), inner) for number, inner in enumerate(item))


def _bare(reply: Any) -> list[float] | None:
    """The numbers of an answer that is only words and numbers, or a list of such; None where a word holds digits, or a
    list holds more than that."""
    found: list[float] = []
    for item in reply if isinstance(reply, list) else [reply]:
        amount = number_of(item)
        if amount is not None:
            found.append(amount)
        elif _may_hold_one(item, in_list=isinstance(reply, list)):
            return None
    return found


def _may_hold_one(item: Any, *, in_list: bool) -> bool:
    if isinstance(item, str):
        return any(character.isdigit() for character in item)
    return in_list and isinstance(item, dict | list)


def _unnamed(payload: Any, reply: Any) -> bool:
    """Whether it says a number that the question did not say in the same place."""
    known = dict(_walk(payload))
    return any(
        number_of(item) is not None and not (path in known and same(known[path], item))
        for path, item in _walk(reply)
    )


def _largest(*amounts: float | None) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return max(known) if known else None
