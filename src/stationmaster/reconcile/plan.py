"""The plan as a value: changes, what is refused, and a checksum that names exactly this plan. Pure."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from stationmaster.reconcile.canonical import canonical
from stationmaster.reconcile.diff import (
    ABSENT,
    Actual,
    Change,
    Desired,
    FieldChange,
    diff,
    taken,
    unpruned,
)
from stationmaster.reconcile.fields import served, wanted
from stationmaster.reconcile.resources import ServedAssistant, ServedCron, Work

SMALL = 10
"""Fewer owned things than this may all change at once..."""
SHARE = 0.3
"""...of more, only this share without `--force`."""


@dataclass(frozen=True)
class Plan:
    """What an apply does to the server at `target`.

    `left`: changes that are known and not made, since they would undo what was changed on the server. `kept`: why
    prune leaves which assistants, by name. `losing`: the work that is lost with those that it deletes. `taken`: names
    whose id somebody else's assistant has. `orphans`: owned things without a file, which only prune deletes. `paused`:
    crons that people stopped. `even_busy`: prune deletes assistants although work waits under them.
    """

    target: str
    desired: Desired
    changes: tuple[Change, ...]
    owned: int
    prune: bool = False
    left: tuple[Change, ...] = ()
    even_busy: bool = False
    kept: Mapping[str, str] = field(default_factory=dict)
    losing: Mapping[str, Work] = field(default_factory=dict)
    taken: tuple[str, ...] = ()
    paused: tuple[str, ...] = ()
    orphans: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    """Of assistants by their ids, of files and server."""

    @property
    def checksum(self) -> str:
        """Of everything that an apply depends on, the state of the server included."""
        text = canonical(
            {
                "target": self.target,
                "prune": self.prune,
                "changes": [{**as_json(change), "seen": _seen(change)} for change in self.changes],
                "desired": [_said(self.desired.assistants), _said(self.desired.crons)],
            }
        )
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()

    @property
    def counts(self) -> Mapping[str, int]:
        """How many of each action."""
        return Counter(change.action for change in self.changes)

    @property
    def touched(self) -> int:
        """How many things that are on the server it changes or deletes."""
        return sum(change.action != "create" for change in self.changes)

    @property
    def large(self) -> bool:
        """Whether it changes so much of what is there that somebody should mean it."""
        return self.owned >= SMALL and self.touched > SHARE * self.owned

    def keeping_drift(self) -> "Plan":
        """The same without the changes that would undo what was changed on the server."""
        return replace(
            self,
            changes=tuple(change for change in self.changes if not change.drifted),
            left=tuple(change for change in self.changes if change.drifted),
        )


def plan(
    desired: Desired, actual: Actual, *, target: str = "", prune: bool = False, even_busy: bool = False
) -> Plan:
    """What has to be done so that the server has what the files say."""
    assistants = [found for found in actual.assistants if found.owned]
    crons = [found for found in actual.crons if found.owned]
    kept = unpruned(desired, actual, even_busy=even_busy) if prune else {}
    changes = diff(desired, actual, prune=prune, even_busy=even_busy)
    return Plan(
        target,
        desired,
        changes,
        len(assistants) + len(crons),
        prune,
        even_busy=even_busy,
        kept={each.known_as: kept[each.assistant_id] for each in assistants if each.assistant_id in kept},
        losing=_losing(changes, actual.work),
        taken=tuple(sorted(found.name for found in taken(desired, actual))),
        paused=tuple(sorted(cron.name for cron in crons if cron.stopped)),
        names={
            **{found.assistant_id: found.known_as or found.name for found in actual.assistants},
            **{each.assistant_id: each.name for each in desired.assistants},
        },
        orphans=() if prune else _orphans(desired, assistants, crons),
    )


def _losing(changes: Sequence[Change], work: Mapping[str, Work]) -> dict[str, Work]:
    gone = [each.served for each in changes if each.action == "delete"]
    return {
        row.known_as: work[row.assistant_id]
        for row in gone
        if isinstance(row, ServedAssistant) and work.get(row.assistant_id)
    }


def _orphans(
    desired: Desired, assistants: Sequence[ServedAssistant], crons: Sequence[ServedCron]
) -> tuple[str, ...]:
    named = {each.name for each in desired.assistants}
    scheduled = {each.name for each in desired.crons}
    return (
        *sorted(f"assistant {each.known_as}" for each in assistants if each.known_as not in named),
        *sorted({f"cron {each.name}" for each in crons if each.name not in scheduled}),
    )


def as_json(change: Change, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """{kind, name, action, fields: [{field, from?, to?, drifted?}]}; a side that has no such field is left out.

    `names`: of assistants by id, so that a cron's assistant is told by name.
    """
    found: dict[str, Any] = {
        "kind": change.kind, "name": change.name, "action": change.action,
        "fields": [_field(each, names or {}) for each in change.fields],
    }  # fmt: skip
    if change.surplus:
        found["surplus"] = [row.cron_id for row in change.surplus]
    return found


def _field(change: FieldChange, names: Mapping[str, str]) -> dict[str, Any]:
    def told(side: Any) -> Any:
        return names.get(side, side) if change.field == "assistant" else side

    return {
        "field": change.field,
        **({} if change.served is ABSENT else {"from": told(change.served)}),
        **({} if change.wanted is ABSENT else {"to": told(change.wanted)}),
        **({"drifted": True} if change.drifted else {}),
    }


def _seen(change: Change) -> Any:
    """What the server had when the plan was made: an apply finds it changed, or goes on."""
    match change.served:
        case ServedAssistant() as row:
            return [row.assistant_id, row.version]
        case ServedCron() as row:
            rows = sorted([row, *change.surplus], key=lambda each: (each is not row, each.cron_id))
            return [[each.cron_id, served(each), each.paused] for each in rows]
        case None:
            return None


def _said(resources: Any) -> Any:
    return [[each.name, wanted(each)] for each in sorted(resources, key=lambda each: each.name)]
