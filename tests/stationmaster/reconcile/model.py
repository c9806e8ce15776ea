"""A server in memory for the pure part: it takes a plan as a real one does, and strategies for what it may hold."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

from hypothesis import strategies as st

from stationmaster.reconcile.bodies import note_for
from stationmaster.reconcile.diff import Actual, Change, Desired
from stationmaster.reconcile.fields import digests
from stationmaster.reconcile.resources import (
    APPLIED,
    LIVE,
    MANAGED_BY,
    MANAGER,
    NAME,
    PAUSED,
    STRATEGIES,
    Assistant,
    Cron,
    ServedAssistant,
    ServedCron,
)

NAMES = ("a", "b", "c", "d")
GRAPHS = ("support", "digest")
json_values = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, 1.0, 500.0]),
    st.sampled_from(["", "x", "y\nz"]), st.lists(st.integers(0, 2), max_size=2),
)  # fmt: skip
settings = st.dictionaries(st.sampled_from(["tone", "limit", "prompt"]), json_values, max_size=3)
labels = st.dictionaries(
    st.sampled_from(["team", "cost"]), json_values.filter(lambda value: value is not None)
)


@st.composite
def assistants(draw: st.DrawFn, name: str | None = None) -> Assistant:
    return Assistant(
        name or draw(st.sampled_from(NAMES)), draw(st.sampled_from(GRAPHS)), draw(st.sampled_from(["", "what", "why"])),
        draw(settings), draw(st.sampled_from([None, 7, 40])), tuple(draw(st.lists(st.sampled_from("uv"), max_size=2))),
        draw(labels), draw(st.booleans()),
    )  # fmt: skip


@st.composite
def crons(draw: st.DrawFn, name: str | None = None) -> Cron:
    return Cron(
        name or draw(st.sampled_from(NAMES)), draw(st.sampled_from(NAMES)),
        draw(st.sampled_from(["0 9 * * *", "0 8 * * 1"])),
        draw(st.sampled_from(["UTC", "Europe/London"])), draw(settings), draw(st.sampled_from(["fresh", "daily"])),
        draw(st.sampled_from(["skip", "queue", "replace"])), draw(st.sampled_from(["once", "skip"])),
        draw(st.sampled_from([14, 30])), draw(st.booleans()), draw(st.sampled_from([{}, {"due": "4h"}])),
    )  # fmt: skip


def served_assistant(
    assistant: Assistant, applied: Assistant | None, *, mine: bool = True
) -> ServedAssistant:
    """As a server has it after `applied` was applied, whatever was changed since. Not mine: under another id."""
    marks = {MANAGED_BY: MANAGER, NAME: assistant.name, LIVE: assistant.live} if mine else {}
    return ServedAssistant(
        assistant.assistant_id if mine else str(uuid4()), assistant.name, assistant.graph, assistant.description,
        assistant.context, assistant.recursion_limit, assistant.tags,
        {**assistant.metadata, **marks, **({APPLIED: digests(applied)} if applied else {})}, 1, "2026-11-30",
    )  # fmt: skip


def served_cron(cron: Cron, applied: Cron | None, *, mine: bool = True, paused: bool = False) -> ServedCron:
    """The same of a cron."""
    marks = {MANAGED_BY: MANAGER, NAME: cron.name, **cron.behaviour} if mine else {}
    stopped = {PAUSED: note_for(cron, {"reason": "storm"})} if paused else {}
    return ServedCron(
        str(uuid4()), cron.thread_id, cron.assistant_id, cron.schedule, cron.timezone,
        {"input": dict(cron.input), "multitask_strategy": STRATEGIES[cron.overlap]}, cron.enabled and not paused, None,
        {**marks, **stopped, **({APPLIED: digests(applied)} if applied else {})}, None if cron.thread_id else "keep",
    )  # fmt: skip


@st.composite
def worlds(draw: st.DrawFn) -> tuple[Desired, Actual]:
    """Files and a server: things applied from these files or from older ones, changed since or not, doubled."""
    filed = tuple(draw(st.lists(assistants(), max_size=4, unique_by=lambda each: each.name)))
    named = st.sampled_from([each.name for each in filed])  # files with another assistant are refused
    planned = draw(st.lists(crons(), max_size=4 if filed else 0, unique_by=lambda each: each.name))
    desired = Desired(filed, tuple(replace(each, assistant=draw(named)) for each in planned))
    has, scheduled = list[ServedAssistant](), list[ServedCron]()
    for name in draw(st.sets(st.sampled_from(NAMES))):
        applied = draw(_some([each for each in desired.assistants if each.name == name], assistants(name)))
        now = draw(st.one_of(st.just(applied), assistants(name)))
        has.append(served_assistant(now, draw(st.sampled_from([applied, None]))))
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=5)):
        given = draw(_some([each for each in desired.crons if each.name == name], crons(name)))
        cron = draw(st.one_of(st.just(given), crons(name)))
        scheduled.append(served_cron(cron, draw(st.sampled_from([given, None])), paused=draw(st.booleans())))
    has += [served_assistant(each, None, mine=False) for each in draw(st.lists(assistants(), max_size=2))]
    scheduled += [served_cron(each, None, mine=False) for each in draw(st.lists(crons(), max_size=2))]
    return desired, Actual(tuple(draw(st.permutations(has))), tuple(draw(st.permutations(scheduled))))


def _some(given: list[Any], other: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.sampled_from(given), other) if given else other


def carried_out(changes: tuple[Change, ...], actual: Actual) -> Actual:
    """The server afterwards."""
    has = {each.assistant_id: each for each in actual.assistants}
    scheduled = {each.cron_id: each for each in actual.crons}
    for change in changes:
        if isinstance(change.served, ServedCron) or isinstance(change.wanted, Cron):
            _cron(change, scheduled)
        elif isinstance(change.wanted, Assistant):
            before = has.get(change.wanted.assistant_id)
            after = served_assistant(change.wanted, change.wanted)
            has[after.assistant_id] = replace(after, metadata=_merged(before, after.metadata))
        elif isinstance(change.served, ServedAssistant):
            del has[change.served.assistant_id]
            scheduled = {
                key: row for key, row in scheduled.items() if row.assistant_id != change.served.assistant_id
            }
    return Actual(tuple(has.values()), tuple(scheduled.values()))


def _merged(before: ServedAssistant | None, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """PATCH merges; what an earlier apply wrote and the file no longer says is set to null."""
    if before is None:
        return dict(metadata)
    gone = {key: None for key in before.labels if f"metadata.{key}" in before.applied}
    return {**before.metadata, **gone, **metadata}


def _cron(change: Change, scheduled: dict[str, ServedCron]) -> None:
    before = change.served if isinstance(change.served, ServedCron) else None
    for row in change.surplus:
        del scheduled[row.cron_id]
    paused = before is not None and before.stopped
    if isinstance(change.wanted, Cron) and (change.fields or before is None):
        after = served_cron(change.wanted, change.wanted, paused=paused)
        if before is not None and not change.anew:
            after = replace(after, cron_id=before.cron_id)
        if before is not None:
            del scheduled[before.cron_id]
        scheduled[after.cron_id] = after
    elif before is not None and change.action == "delete":
        del scheduled[before.cron_id]
