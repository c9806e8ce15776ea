"""What a thread waits with: every pending question at every depth, or the breakpoint it stands at. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from stationmaster.reviews.model import Checkpoint, Pending, Task, ThreadSnapshot

PLACEHOLDER = "placeholder-id"
"""The id of every NodeInterrupt: it names no question, and a resume value does not satisfy it."""

SCRATCH = "stationmaster_scratch"
"""In the metadata of a thread on which the console tries an assistant: nobody is to answer what it asks."""


def questions(snapshot: ThreadSnapshot) -> list[Pending]:
    """What is pending by state, whatever the row and the runs say. The server shows a nested question at every
    level above it too: only the innermost is kept. A scratch thread asks nobody."""
    if snapshot.metadata.get(SCRATCH) is True:
        return []
    gone = set(_written_over(snapshot.checkpoint))
    asked = [
        question
        for question in _distinct(_asked(snapshot.thread_id, snapshot.checkpoint))
        if question.interrupt_id not in gone
    ]
    if asked:
        return asked
    breakpoint_ = _breakpoint(snapshot)
    return [breakpoint_] if breakpoint_ else []


def leaf(checkpoint: Checkpoint) -> Checkpoint:
    """Where the thread really stands: down through tasks, as long as just one of them is a subgraph under way."""
    nested = [task.state for task in checkpoint.tasks if task.state and task.state.next]
    return leaf(nested[0]) if len(nested) == 1 else checkpoint


def find(checkpoint: Checkpoint, namespace: str) -> Checkpoint | None:
    """The state of a subgraph, in the thread's or in that of a subgraph above it."""
    if checkpoint.namespace == namespace:
        return checkpoint
    nested = (task.state for task in checkpoint.tasks if task.state)
    return next((found for state in nested if (found := find(state, namespace))), None)


def makers(checkpoint: Checkpoint) -> set[str]:
    """The runs that made this state and those of its subgraphs."""
    nested = _all_of(task.state for task in checkpoint.tasks if task.state)
    return {made.run_id for made in (checkpoint, *nested) if made.run_id}


def task_errors(checkpoint: Checkpoint) -> list[str]:
    """What nodes raised, at any depth."""
    found: list[str] = []
    for task in checkpoint.tasks:
        if task.error:
            found.append(task.error)
        if task.state:
            found.extend(task_errors(task.state))
    return found


def _asked(thread_id: str, checkpoint: Checkpoint) -> Iterator[Pending]:
    for task in checkpoint.tasks:
        nested = list(_asked(thread_id, task.state)) if task.state else []
        yield from (replace(deeper, error=deeper.error or task.error) for deeper in nested)
        below = {(_server_id(deeper), deeper.digest) for deeper in nested}
        for entry in task.interrupts:
            question = _question(thread_id, checkpoint, task, entry)
            if (_server_id(question), question.digest) not in below:
                yield question


def _written_over(checkpoint: Checkpoint) -> Iterator[str]:
    """Ids that are still listed above a subgraph that had asked them, and into whose state somebody has written since:
    they are asked no more."""
    for task in checkpoint.tasks:
        if task.state is None:
            continue
        yield from _written_over(task.state)
        if task.state.source == "update" and not any(below.interrupts for below in task.state.tasks):
            yield from (str(entry.get("id")) for entry in task.interrupts)


def _question(thread_id: str, checkpoint: Checkpoint, task: Task, entry: dict[str, Any]) -> Pending:
    interrupt_id = str(entry.get("id") or PLACEHOLDER)
    placeholder = interrupt_id == PLACEHOLDER
    schema = entry.get("response_schema")
    return Pending(
        thread_id=thread_id,
        interrupt_id=f"checkpoint:{checkpoint.checkpoint_id}:{task.name}" if placeholder else interrupt_id,
        value=entry.get("value"),
        response_schema=schema if isinstance(schema, dict) else None,
        node=task.name,
        namespace=checkpoint.namespace,
        checkpoint_id=checkpoint.checkpoint_id,
        kind="node_interrupt" if placeholder else "interrupt",
        error=task.error,
    )


def _server_id(question: Pending) -> str:
    return PLACEHOLDER if question.kind == "node_interrupt" else question.interrupt_id


def _distinct(asked: Iterator[Pending]) -> Iterator[Pending]:
    seen: set[tuple[str, str]] = set()
    for question in asked:
        key = (question.interrupt_id, question.digest)
        if key not in seen:
            seen.add(key)
            yield question


def _moved_by_runs(checkpoint: Checkpoint) -> bool:
    """Whether nobody has written into its state, nor into that of a subgraph that is under way."""
    nested = (task.state for task in checkpoint.tasks if task.state)
    return checkpoint.source == "loop" and all(state.source != "update" for state in _all_of(nested))


def _all_of(states: Iterable[Checkpoint]) -> Iterator[Checkpoint]:
    for state in states:
        yield state
        yield from _all_of(task.state for task in state.tasks if task.state)


def _breakpoint(snapshot: ThreadSnapshot) -> Pending | None:
    """`next` is not empty in many cases that are no breakpoint: while running, after a failed node, after a
    cancel, after update_state. What remains is one."""
    run, top = snapshot.run, snapshot.checkpoint
    if not top.next or snapshot.busy or run is None or run.status != "success" or task_errors(top):
        return None
    here = leaf(top)
    if not _moved_by_runs(top) or here.source != "loop":
        return None
    asker = next((known for known in snapshot.runs if known.run_id == top.run_id), run)
    return Pending(
        thread_id=snapshot.thread_id,
        interrupt_id=f"checkpoint:{here.checkpoint_id}",
        value={"next": list(here.next), "values": here.values},
        node=", ".join(here.next),
        namespace=here.namespace,
        checkpoint_id=here.checkpoint_id,
        kind="breakpoint",
        debug=bool(asker.interrupt_before or asker.interrupt_after),
    )
