"""JSON values compared and digested as what they mean: 500 is 500.0, true is not 1, the order of keys is nothing."""

import hashlib
import json
from typing import Any


def canonical(value: Any) -> str:
    """One text for all ways in which a JSON value can be written; ValueError for what is no JSON."""
    return json.dumps(
        _plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values mean the same."""
    return canonical(left) == canonical(right)


def digest(value: Any) -> str:
    """Sixteen hex digits that name a value: enough to tell whether it is still the one that was applied."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    """Whole numbers as int, tuples as lists, keys as text; servers and databases turn one into the other."""
    match value:
        case bool() | None | str() | int():
            return value
        case float():
            return int(value) if value.is_integer() and abs(value) < 2**53 else value
        case dict():
            return {str(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            raise ValueError(f"{type(value).__name__} is no JSON value")
