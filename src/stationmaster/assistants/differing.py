"""What differs between two versions, field by field, as a file would name the fields. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stationmaster.assistants.routes import Routes, percent
from stationmaster.reconcile.canonical import same
from stationmaster.reconcile.fields import digests, served, wanted
from stationmaster.reconcile.resources import Assistant, ServedAssistant

_ABSENT = object()


@dataclass(frozen=True)
class Difference:
    """One field. `before` or `after` is None where the field is not set; `added` and `removed` tell it from null."""

    field: str
    before: Any
    after: Any
    added: bool = False
    removed: bool = False


def differences(before: ServedAssistant, after: ServedAssistant) -> tuple[Difference, ...]:
    """From one version, or assistant, to another; content only, neither canary nor who made it."""
    return compare(served(before), served(after))


def written(before: ServedAssistant, content: Assistant) -> tuple[Difference, ...]:
    """What writing the content would change."""
    return compare(served(before), wanted(content))


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Difference, ...]:
    """Field by field, in the order in which a file has them; 500 and 500.0 are one value."""
    fields = [*after, *(name for name in before if name not in after)]
    found = (_difference(name, before.get(name, _ABSENT), after.get(name, _ABSENT)) for name in fields)
    return tuple(sorted(filter(None, found), key=lambda difference: _place(difference.field)))


def routing(metadata: Mapping[str, Any]) -> str:
    """Canary and pins in a few words; "" for neither."""
    routes = Routes.of(metadata)
    canary = routes.canary
    parts = [f"{canary.arm.name} at {percent(canary.share)}"] if canary else []
    parts += [f"{key} pinned to {arm.name}" for key, arm in sorted(routes.pins.items())]
    return ", ".join(parts)


def drifted(version: ServedAssistant) -> bool:
    """Whether it says something else than the file that was applied last; False for what no file ever said."""
    return bool(version.applied) and digests(version.content()) != dict(version.applied)


def _difference(name: str, before: Any, after: Any) -> Difference | None:
    if before is _ABSENT:
        return Difference(name, None, after, added=True)
    if after is _ABSENT:
        return Difference(name, before, None, removed=True)
    return None if same(before, after) else Difference(name, before, after)


def _place(field: str) -> tuple[int, str]:
    order = (
        "graph",
        "context",
        "recursion_limit",
        "tags",
        "description",
        "live",
        "metadata",
        "config",
        "name",
    )
    first = field.partition(".")[0]
    return (order.index(first) if first in order else len(order), field)
