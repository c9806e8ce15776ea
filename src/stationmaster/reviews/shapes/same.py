"""Whether two JSON values are the same, with their types, at any depth; and what an edit changed."""

import math
from collections.abc import Mapping
from typing import Any


def same(before: Any, after: Any) -> bool:
    """Equal, and of the same JSON type; 1, 1.0, true and "1" differ.

    One exception, since a browser can't write 640.0: an integer sent where the float of the same value stood
    is untouched. NaN is the same as NaN.
    """
    stack = [(before, after)]
    while stack:
        old, new = stack.pop()
        if isinstance(old, dict) and isinstance(new, dict):
            if old.keys() != new.keys():
                return False
            stack.extend((value, new[key]) for key, value in old.items())
        elif isinstance(old, list) and isinstance(new, list):
            if len(old) != len(new):
                return False
            stack.extend(zip(old, new, strict=True))
        elif not _same_scalar(old, new):
            return False
    return True


def _same_scalar(old: Any, new: Any) -> bool:
    if isinstance(old, float) and isinstance(new, float) and math.isnan(old) and math.isnan(new):
        return True
    if isinstance(old, dict | list) or isinstance(new, dict | list):
        return False  # never compared by ==, which may recurse too deep
    if type(old) is type(new):
        return old == new
    return type(old) is float and type(new) is int and old == new


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any] | None:
    """{key: {"before", "after"}} for each key that differs; a key that was or is missing has only the other half."""
    found: dict[str, Any] = {}
    for key in {**before, **after}:
        halves = {name: side[key] for name, side in (("before", before), ("after", after)) if key in side}
        if len(halves) == 1 or not same(halves["before"], halves["after"]):
            found[key] = halves
    return found or None
