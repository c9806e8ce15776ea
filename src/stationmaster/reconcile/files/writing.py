"""Files written from what a server has: a new one, or the keys of one that differ. Pure."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from stationmaster.errors import StationmasterError
from stationmaster.reconcile.canonical import same
from stationmaster.reconcile.diff import ABSENT, FieldChange
from stationmaster.reconcile.files import editing
from stationmaster.reconcile.files.format import AssistantFile, CronFile
from stationmaster.reconcile.files.problems import problem_of
from stationmaster.reconcile.files.reading import AssistantSource, CronSource
from stationmaster.reconcile.resources import FRESH, UTC_ZONE, Assistant, Cron
from stationmaster.yaml_source import Source, parse

HEADER = "# yaml-language-server: $schema=schema.json\n"
KEYS = {"keep_days": "keep"}
"""Fields that a file has under another name."""
_ADOPTABLE = {*AssistantFile.model_fields, *CronFile.model_fields, *KEYS} - {"name"}


@dataclass(frozen=True)
class Edit:
    """What is to be written, by file; and the fields that a file can't say, which an apply takes back."""

    texts: Mapping[Path, str]
    adopted: tuple[str, ...] = ()
    impossible: tuple[str, ...] = ()


class NotEditable(StationmasterError):
    """The file is laid out in a way that can't be changed without spoiling it, or would not be valid."""


def new_text(resource: Assistant | Cron) -> str:
    """A whole file that says it; what has its default is left out."""
    return HEADER + editing.dumped(_said(resource))


def adopted(
    found: AssistantSource | CronSource, fields: Sequence[FieldChange], names: Mapping[str, str]
) -> Edit:
    """The file with the server's side of each field. `names`: of assistants by id. NotEditable if it would be wrong."""
    text_files = found.texts.paths if isinstance(found, AssistantSource) else {}
    source, more = found.source, dict[Path, str]()
    expected = copy.deepcopy(source.value)
    done, impossible = list[str](), list[str]()
    for change in fields:
        path, value = _path(change, names), _value(change, names)
        if path is None:
            impossible.append(change.field)
            continue
        if path[0] == "context" and path[-1] in text_files and isinstance(value, str):
            more[text_files[path[-1]]] = value + "\n"
        else:
            source = _edited_inside(source, path, value)
            _put(expected, path, value)
        done.append(change.field)
    _check(found, source, expected)
    written = {source.path: source.text} if source.text != found.source.text else {}
    return Edit({**written, **more}, tuple(done), tuple(impossible))


def _edited_inside(source: Source, path: Sequence[str], value: Any) -> Source:
    """Of keys and values only those that differ, so that what is said beside the others stays; else the whole."""
    after, finer = source, list(_finer(path, _at(source.value, path), value))
    if [place for place, _ in finer] != [path]:
        try:
            for place, inner in finer:
                after = _edited(after, place, inner)
        except NotEditable:
            return _edited(source, path, value)
        if same(_at(after.value, path), value):
            return after
    return _edited(source, path, value)


def _finer(path: Sequence[str], before: Any, after: Any) -> Iterator[tuple[Sequence[str], Any]]:
    if not (isinstance(before, Mapping) and isinstance(after, Mapping) and before and after):
        yield path, after
        return
    for key, inner in after.items():
        if key not in before or not same(before[key], inner):
            yield from _finer((*path, key), before.get(key), inner)
    for key in before:
        if key not in after:
            yield (*path, key), editing.ABSENT


def _at(value: Any, path: Sequence[str]) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _edited(source: Source, path: Sequence[str], value: Any) -> Source:
    """Read again after each edit: lines move."""
    text = editing.changed(source.text, source.tree, path, value)
    after = parse(text, source.path, source.file)
    if isinstance(after, list):
        raise NotEditable(
            f"{source.file}: {'.'.join(path)} can't be written without spoiling it: edit it by hand"
        )
    return after


def _put(expected: dict[str, Any], path: Sequence[str], value: Any) -> None:
    first, *rest = path
    if not rest:
        expected[first] = value
    else:
        expected[first] = {**(expected.get(first) or {}), rest[0]: value}
        if not (inner := {key: item for key, item in expected[first].items() if item is not editing.ABSENT}):
            value = editing.ABSENT
        expected[first] = inner
    if value is editing.ABSENT and not (rest and expected[first]):
        expected.pop(first, None)


def _check(found: AssistantSource | CronSource, after: Source, expected: Mapping[str, Any]) -> None:
    if not same(after.value, expected):
        raise NotEditable(
            f"{after.file}: it is laid out in a way that can't be edited safely: edit it by hand"
        )
    model = AssistantFile if isinstance(found, AssistantSource) else CronFile
    try:
        model.model_validate(after.value)
    except ValidationError as error:
        problem = problem_of(after, model, error.errors(include_url=False)[0])
        raise NotEditable(f"the server has what a file must not say: {problem}") from None


def _said(resource: Assistant | Cron) -> dict[str, Any]:
    if isinstance(resource, Assistant):
        said: dict[str, Any] = {
            "name": resource.name, "graph": resource.graph, "description": resource.description,
            "live": resource.live or None, "context": dict(resource.context),
            "recursion_limit": resource.recursion_limit, "tags": list(resource.tags),
            "metadata": dict(resource.metadata),
        }  # fmt: skip
    else:
        said = {
            "name": resource.name, "assistant": resource.assistant, "schedule": resource.schedule,
            "timezone": resource.timezone if resource.timezone != UTC_ZONE else None,
            "input": dict(resource.input), "thread": resource.thread if resource.thread != FRESH else None,
            "overlap": resource.overlap, "missed": resource.missed, "keep": resource.keep_days,
            "enabled": None if resource.enabled else False, "review": dict(resource.review),
        }  # fmt: skip
    return {key: value for key, value in said.items() if value not in (None, "", {}, [])}


def _path(change: FieldChange, names: Mapping[str, str]) -> tuple[str, ...] | None:
    first, _, second = change.field.partition(".")
    if first not in _ADOPTABLE or (first == "assistant" and change.served not in names):
        return None
    if first in ("overlap", "thread", "missed", "keep_days") and change.served is None:
        return None
    return (first, second) if second else (KEYS.get(first, first),)


def _value(change: FieldChange, names: Mapping[str, str]) -> Any:
    if change.served is ABSENT:
        return editing.ABSENT
    return names.get(change.served) if change.field == "assistant" else change.served
