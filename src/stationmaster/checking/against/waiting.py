"""The threads of a deployment that wait, page by page, and where in its graph each of them does.

A thread's row has no node, but an interrupt's id is a hash of `node:task` and of how many answers the task has, and the
row has the task. So the ids of all nodes of this code and of the deployment are tried; only what fits none is asked
for its state, one request a thread.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langgraph.types import Interrupt
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

PAGE = 1_000
WHOLE_PAGE = 250  # with the values of each thread, of which some are large
AT_ONCE = 16
MOST_ANSWERS = 12
SELECT = ("thread_id", "status", "metadata", "values", "interrupts")
# Questions also wait on threads whose row says otherwise: an answer failed, another run is queued, a copy was made.
OTHER_STATUSES = ("error", "busy", "idle")
MOST_IDLE = 10_000


@dataclass(frozen=True)
class Question:
    """One pending interrupt. `node` is its path (`outer/inner` in a subgraph), `answered` how many came before it."""

    id: str
    task: str
    value: Any
    schema: Any
    node: str | None = None
    answered: int | None = None


@dataclass(frozen=True)
class Waiting:
    """A thread that waits: at questions, or at a breakpoint (`next` then; None where it was not asked for). `inner` are
    the values of the subgraphs that wait in it, by their path.
    """

    thread_id: str
    graph: str | None
    assistant_id: str | None
    values: Mapping[str, Any]
    questions: tuple[Question, ...]
    next: tuple[str, ...] | None = None
    inner: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass
class Found:
    """What was found, and what could not be looked at."""

    threads: list[Waiting]
    notes: list[str]


async def waiting(
    client: LangGraphClient, nodes: Mapping[str, Sequence[str]], *, matters: Callable[[Waiting], bool]
) -> Found:
    """All threads that wait. `nodes` are the names to try, by graph. Of one that waits at a breakpoint, without a
    question, the state is asked for where it `matters` in which node.
    """
    found, notes = dict[str, Waiting](), list[str]()
    async for row in _rows(client, "interrupted", SELECT, page=WHOLE_PAGE):
        found[row["thread_id"]] = _waiting(row)
    others = await asyncio.gather(*(_others(client, status, notes) for status in OTHER_STATUSES))
    ids = [each for group in others for each in group if each not in found]
    for start in range(0, len(ids), WHOLE_PAGE):
        some = ids[start : start + WHOLE_PAGE]
        for row in await client.threads.search(ids=some, limit=WHOLE_PAGE, select=list(SELECT)):
            found[row["thread_id"]] = _waiting(row)
    placed = [_placed(each, nodes.get(each.graph or "", ())) for each in found.values()]
    limit = asyncio.Semaphore(AT_ONCE)

    async def whole(thread: Waiting) -> Waiting | None:
        unclear = any(question.node is None for question in thread.questions)
        at_breakpoint = not thread.questions and matters(thread)
        if thread.graph not in nodes or not (unclear or at_breakpoint):
            return thread
        async with limit:
            return await _looked_at(client, thread)

    threads = await asyncio.gather(*map(whole, placed))
    return Found([thread for thread in threads if thread is not None], notes)


async def _rows(
    client: LangGraphClient, status: Any, select: Sequence[Any], *, page: int = PAGE, most: int | None = None
) -> AsyncIterator[Mapping[str, Any]]:
    """Every row of a status, the oldest first, so that what comes meanwhile moves no page."""
    offset = 0
    while most is None or offset < most:
        rows = await client.threads.search(
            status=status,
            limit=page,
            offset=offset,
            sort_by="created_at",
            sort_order="asc",
            select=list(select),
        )
        for row in rows:
            yield row
        if len(rows) < page:
            return
        offset += page


async def _others(client: LangGraphClient, status: str, notes: list[str]) -> list[str]:
    """The ids of threads of another status that have a question all the same."""
    most = MOST_IDLE if status == "idle" else None
    found, seen = list[str](), 0
    async for row in _rows(client, status, ("thread_id", "interrupts"), most=most):
        seen += 1
        found += [row["thread_id"]] if row.get("interrupts") else []
    if seen == most:
        notes.append(
            f"of the threads that are idle, only the oldest {seen:,} were looked at: none of them should wait"
        )
    return found


def _waiting(row: Mapping[str, Any]) -> Waiting:
    metadata = row.get("metadata") or {}
    questions = tuple(
        Question(each.get("id") or "", task, each.get("value"), each.get("response_schema"))
        for task, several in (row.get("interrupts") or {}).items()
        for each in several
    )
    values = row.get("values")
    return Waiting(
        row["thread_id"], metadata.get("graph_id"), metadata.get("assistant_id"),
        values if isinstance(values, Mapping) else {}, questions,
    )  # fmt: skip


def _placed(thread: Waiting, names: Sequence[str]) -> Waiting:
    return replace(thread, questions=tuple(_found_again(each, names) for each in thread.questions))


def _found_again(question: Question, names: Iterable[str]) -> Question:
    """The node whose task has this id, and the place of the question in it."""
    for name in names:
        task = f"{name}:{question.task}"
        for answered in range(MOST_ANSWERS):
            # As LangGraph makes them: the task alone, then with the number of answers behind it.
            namespace = f"{task}|{answered}" if answered else task
            if Interrupt.from_ns(None, namespace).id == question.id:
                return replace(question, node=name, answered=answered)
    return question


async def _looked_at(client: LangGraphClient, thread: Waiting) -> Waiting | None:
    """With its nodes, as the deployment's own state says; None where it was deleted meanwhile."""
    try:
        state = await client.threads.get_state(thread.thread_id, subgraphs=True)
    except NotFoundError:
        return None
    paths = dict(_paths(state, ""))
    questions = tuple(
        question if question.node else replace(question, node=paths.get(question.id))
        for question in thread.questions
    )
    return replace(
        thread, questions=questions, next=tuple(state.get("next") or ()), inner=dict(_inner(state, ""))
    )


def _paths(state: Mapping[str, Any], above: str) -> Iterable[tuple[str, str]]:
    """(interrupt id, path of its node), the innermost node last."""
    for task in state.get("tasks") or []:
        path = f"{above}{task['name']}"
        for each in task.get("interrupts") or []:
            yield each["id"], path
        if isinstance(inner := task.get("state"), Mapping):
            yield from _paths(inner, f"{path}/")


def _inner(state: Mapping[str, Any], above: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """(path of a subgraph, its values), where it is told."""
    for task in state.get("tasks") or []:
        if isinstance(inner := task.get("state"), Mapping):
            path, values = f"{above}{task['name']}", inner.get("values")
            if isinstance(values, Mapping):
                yield path, values
            yield from _inner(inner, f"{path}/")
