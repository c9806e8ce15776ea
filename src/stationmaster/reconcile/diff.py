"""What has to change so that a server has what the files say: a pure function of both. See `plan`.

Only marked things are changed or deleted. A field is drifted when the server has something else than what was applied
last: somebody changed it there.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from stationmaster.reconcile.canonical import digest, same
from stationmaster.reconcile.fields import Fields, served, wanted
from stationmaster.reconcile.resources import (
    STRATEGIES,
    Assistant,
    Cron,
    Kind,
    ServedAssistant,
    ServedCron,
    Work,
)
from stationmaster.reconcile.sparing import spared

Action = Literal["create", "update", "replace", "delete", "drift", "merge"]
REPLACED_FOR = frozenset({"assistant", "thread"})
"""Fields of a cron that no server changes: it is made anew; as for an overlap that is another strategy."""


class Absent:
    """Stands where a side has no such field; null is a value."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


@dataclass(frozen=True)
class Desired:
    """What the files say; names are unique."""

    assistants: tuple[Assistant, ...] = ()
    crons: tuple[Cron, ...] = ()


@dataclass(frozen=True)
class Actual:
    """What a server has: owned or not. `work`: of assistants without a file, by id, where a prune asks."""

    assistants: tuple[ServedAssistant, ...] = ()
    crons: tuple[ServedCron, ...] = ()
    work: Mapping[str, Work] = field(default_factory=dict)


@dataclass(frozen=True)
class FieldChange:
    """One field: what the server has, and what it will have. `filed`: the file changed since it was last applied."""

    field: str
    served: Any = ABSENT
    wanted: Any = ABSENT
    drifted: bool = False
    filed: bool = True


@dataclass(frozen=True)
class Change:
    """One thing that changes. `served`: the row that is changed or deleted; `surplus`: duplicates, to be deleted."""

    kind: Kind
    name: str
    action: Action
    fields: tuple[FieldChange, ...] = ()
    wanted: Assistant | Cron | None = None
    served: ServedAssistant | ServedCron | None = None
    surplus: tuple[ServedCron, ...] = ()

    @property
    def drifted(self) -> bool:
        """Whether carrying it out undoes what somebody changed on the server."""
        return any(field.drifted for field in self.fields)

    @property
    def anew(self) -> bool:
        """Whether its cron has to be made anew, since no server changes such a field."""
        return self.kind == "cron" and any(map(_made_anew_for, self.fields))


def diff(
    desired: Desired, actual: Actual, *, prune: bool = False, even_busy: bool = False
) -> tuple[Change, ...]:
    """The changes, in the order in which they are carried out: what others lean on is made first and deleted last."""
    crons = list(_crons(desired, actual, prune=prune))
    keep = unpruned(desired, actual, even_busy=even_busy)
    assistants = list(_assistants(desired, actual, None if not prune else keep))
    deleted = [change for change in assistants if change.action == "delete"]
    kept = [change for change in assistants if change.action != "delete"]
    return (*kept, *crons, *deleted)


def taken(desired: Desired, actual: Actual) -> list[ServedAssistant]:
    """Assistants of others under an id that a file's name stands for: they are never taken over."""
    ids = {assistant.assistant_id for assistant in desired.assistants}
    return [found for found in actual.assistants if found.assistant_id in ids and not found.owned]


def without_file(desired: Desired, assistants: Iterable[ServedAssistant]) -> list[ServedAssistant]:
    """The owned ones that no file stands for; those that lead to others first, since they are deleted first."""
    ids = {assistant.assistant_id for assistant in desired.assistants}
    found = [each for each in assistants if each.owned and each.assistant_id not in ids]
    return sorted(found, key=lambda each: (not each.leads_to, each.known_as))


def unpruned(desired: Desired, actual: Actual, *, even_busy: bool) -> dict[str, str]:
    """Why a prune leaves which of them, by id. Crons of others count: servers would delete them with it."""
    theirs = [cron for cron in actual.crons if not cron.owned]
    orphans = without_file(desired, actual.assistants)
    return spared(orphans, actual.assistants, theirs, actual.work, even_busy=even_busy)


def _assistants(desired: Desired, actual: Actual, kept: Mapping[str, str] | None) -> Iterator[Change]:
    """`kept`: what a prune leaves; None where there is none."""
    owned = {found.assistant_id: found for found in actual.assistants if found.owned}
    refused = {found.assistant_id for found in taken(desired, actual)}
    for assistant in sorted(desired.assistants, key=lambda each: each.name):
        if assistant.assistant_id in refused:
            continue
        found = owned.pop(assistant.assistant_id, None)
        if found is None:
            yield Change("assistant", assistant.name, "create", _new(wanted(assistant)), assistant)
        elif fields := _compared(wanted(assistant), _ours(assistant, found), found.applied):
            yield Change("assistant", assistant.name, _changed(fields), fields, assistant, found)
    if kept is not None:
        for found in without_file(desired, actual.assistants):
            if found.assistant_id not in kept:
                yield Change("assistant", found.known_as, "delete", served=found)


def _crons(desired: Desired, actual: Actual, *, prune: bool) -> Iterator[Change]:
    owned: dict[str, list[ServedCron]] = {}
    for found in actual.crons:
        if found.owned:
            owned.setdefault(found.name, []).append(found)
    by_name = {cron.name: cron for cron in desired.crons}
    for name in sorted({*owned, *by_name}):
        cron, rows = by_name.get(name), owned.get(name, [])
        if cron is None:
            yield from _without_file(name, rows, prune=prune)
        elif not rows:
            yield Change("cron", name, "create", _new(wanted(cron)), cron)
        else:
            yield from _with_file(cron, rows)


def _with_file(cron: Cron, rows: Sequence[ServedCron]) -> Iterator[Change]:
    """One that people paused is kept, else the row that needs the least; of equals one that runs, then the oldest."""
    compared = [(row, _compared(wanted(cron), _unpaused(row), row.applied)) for row in rows]
    compared.sort(key=lambda each: (not each[0].stopped, len(each[1]), *_age(each[0])))
    (kept, fields), surplus = compared[0], tuple(row for row, _ in compared[1:])
    if surplus:
        yield Change("cron", cron.name, "merge", fields, cron, kept, surplus)
    elif fields:
        change = Change("cron", cron.name, _changed(fields), fields, cron, kept)
        yield replace(change, action="replace") if change.anew and change.action == "update" else change


def _without_file(name: str, rows: Sequence[ServedCron], *, prune: bool) -> Iterator[Change]:
    kept, *surplus = sorted(rows, key=lambda row: (not row.stopped, *_age(row)))
    if prune:
        yield Change("cron", name, "delete", served=kept, surplus=tuple(surplus))
    elif surplus:
        yield Change("cron", name, "merge", served=kept, surplus=tuple(surplus))


def _made_anew_for(field: FieldChange) -> bool:
    if field.field == "overlap":  # two of them are one to the server
        return STRATEGIES.get(field.served, field.served) != STRATEGIES.get(field.wanted)
    return field.field in REPLACED_FOR or field.field.startswith("payload.")


def _age(row: ServedCron) -> tuple[bool, str, str]:
    return not row.enabled, row.created_at, row.cron_id


def _ours(assistant: Assistant, found: ServedAssistant) -> Fields:
    """Without labels that neither the file has nor an apply wrote: they are somebody else's."""
    known = {f"metadata.{key}" for key in assistant.metadata} | set(found.applied)
    return {
        name: value
        for name, value in served(found).items()
        if not name.startswith("metadata.") or name in known
    }


def _unpaused(row: ServedCron) -> Fields:
    """Of a cron that people paused counts whether it will be on once it is resumed."""
    return {**served(row), "enabled": row.on_once_resumed}


def _compared(wants: Fields, has: Fields, applied: Mapping[str, str]) -> tuple[FieldChange, ...]:
    return tuple(
        _field(name, wants, has, applied) for name in _names(wants, has) if not _equal(name, wants, has)
    )


def _names(wants: Fields, has: Fields) -> Iterable[str]:
    """In the order of the file, what only the server has behind it."""
    return dict.fromkeys([*wants, *sorted(has)])


def _equal(name: str, wants: Fields, has: Fields) -> bool:
    return name in wants and name in has and same(wants[name], has[name])


def _field(name: str, wants: Fields, has: Fields, applied: Mapping[str, str]) -> FieldChange:
    last = applied.get(name)
    return FieldChange(
        name,
        has.get(name, ABSENT),
        wants.get(name, ABSENT),
        drifted=bool(applied) and _digest(name, has) != last,
        filed=not applied or _digest(name, wants) != last,
    )


def _digest(name: str, fields: Fields) -> str | None:
    return digest(fields[name]) if name in fields else None


def _new(wants: Fields) -> tuple[FieldChange, ...]:
    return tuple(FieldChange(name, wanted=value) for name, value in wants.items())


def _changed(fields: Sequence[FieldChange]) -> Action:
    return "drift" if _only_drift(fields) else "update"


def _only_drift(fields: Sequence[FieldChange]) -> bool:
    return all(field.drifted and not field.filed for field in fields)
