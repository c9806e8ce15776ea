"""From the Agent Server's JSON to the words of the review service; pure, and forgiving about what is missing."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from stationmaster.reviews.model import Checkpoint, RunInfo, Task, ThreadSnapshot

Json = Mapping[str, Any]


def snapshot_from(
    row: Json, state: Json, runs: Sequence[Json], forgotten: frozenset[str] = frozenset()
) -> ThreadSnapshot:
    """One look at a thread, from its row, its state with subgraphs, and its runs, newest first."""
    return ThreadSnapshot(
        thread_id=str(row["thread_id"]),
        status=str(row.get("status") or "idle"),
        checkpoint=checkpoint_from(state),
        runs=_newest_first(run_from(run) for run in runs),
        forgotten=forgotten,
        metadata=_mapping(row.get("metadata")),
    )


def checkpoint_from(state: Json) -> Checkpoint:
    """A state, nested ones included. A thread that never ran has an empty one, with checkpoint id ""."""
    config = _mapping(state.get("checkpoint"))
    metadata = _mapping(state.get("metadata"))
    parent = _mapping(state.get("parent_checkpoint"))
    return Checkpoint(
        checkpoint_id=str(config.get("checkpoint_id") or ""),
        namespace=str(config.get("checkpoint_ns") or ""),
        next=tuple(str(node) for node in state.get("next") or ()),
        tasks=tuple(_task(task) for task in state.get("tasks") or ()),
        source=metadata.get("source"),
        values=state.get("values"),
        parent_id=parent.get("checkpoint_id"),
        run_id=metadata.get("run_id"),
        assistant_id=metadata.get("assistant_id"),
        graph=metadata.get("graph_id"),
        config=config,
    )


def run_from(run: Json) -> RunInfo:
    """A run; `kwargs` is what its caller asked for."""
    kwargs = _mapping(run.get("kwargs"))
    command = _mapping(kwargs.get("command"))
    resume = command.get("resume")
    return RunInfo(
        run_id=str(run["run_id"]),
        status=str(run.get("status")),
        assistant_id=run.get("assistant_id"),
        metadata=_mapping(run.get("metadata")),
        interrupt_before=_nodes(kwargs.get("interrupt_before")),
        interrupt_after=_nodes(kwargs.get("interrupt_after")),
        has_input=kwargs.get("input") is not None,
        has_resume=resume is not None,
        resume_ids=frozenset(map(str, resume)) if isinstance(resume, Mapping) else frozenset(),
        created_at=_time(run.get("created_at")),
    )


def _newest_first(runs: Iterable[RunInfo]) -> tuple[RunInfo, ...]:
    """Those that were asked for by id come last, whenever they began."""
    found = tuple(runs)
    begun = [run.created_at for run in found if run.created_at is not None]
    if len(begun) < len(found):
        return found
    return tuple(run for _, run in sorted(zip(begun, found, strict=True), key=_begun, reverse=True))


def _begun(one: tuple[datetime, RunInfo]) -> datetime:
    return one[0]


def _task(task: Json) -> Task:
    state = task.get("state")
    error = task.get("error")
    return Task(
        task_id=str(task.get("id")),
        name=str(task.get("name")),
        interrupts=tuple(dict(entry) for entry in task.get("interrupts") or () if isinstance(entry, Mapping)),
        error=None if error is None else str(error),
        # A subgraph that has not begun has a state without a checkpoint.
        state=checkpoint_from(state) if isinstance(state, Mapping) and state.get("checkpoint") else None,
        has_result=task.get("result") is not None,
    )


def _nodes(value: Any) -> tuple[str, ...]:
    """Node names, or "*"."""
    if isinstance(value, str):
        return (value,)
    return tuple(map(str, value)) if isinstance(value, Sequence) else ()


def _mapping(value: Any) -> Json:
    return value if isinstance(value, Mapping) else {}


def _time(value: Any) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) else None
