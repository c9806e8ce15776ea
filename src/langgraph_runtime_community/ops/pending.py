"""The question that an answer is for: whether it still waits, told from the thread's state as the API shows it."""

import hashlib
import json as stdlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from starlette.exceptions import HTTPException

from langgraph_runtime_community import database
from langgraph_runtime_community.ops.access import Context
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("guards.sql"))
SHOWN_DIGITS = 12


@dataclass(frozen=True)
class Question:
    """An interrupt by its id, and the content that was shown by its digest."""

    interrupt_id: str
    digest: str


async def require(question: Question, thread_id: UUID, ctx: Context) -> str:
    """The mark of a state in which the question waits and no run is in flight; else HTTPException 409, which names
    what is pending, to those who may read the thread.

    The mark is read before the state: what changes in between makes another mark.
    """
    from langgraph_runtime_community.ops.state import State

    before = await database.fetch_one(QUERIES["mark"], {"thread_id": thread_id}) or {}
    snapshot = await State.get(None, {"configurable": {"thread_id": str(thread_id)}}, ctx=ctx)
    if before.get("busy"):
        raise refused_for_run(question, f"run {before['busy']} of thread {thread_id} is in flight")
    waiting = list(_asked(snapshot))
    if not any(found == question.interrupt_id and _same(question, entry) for found, entry, _ in waiting):
        raise HTTPException(409, f"The answer is for {_named(question)}; {_told(thread_id, waiting)}.")
    return before["mark"]


def refused_for_run(question: Question, why: str) -> HTTPException:
    """409: what a run under way makes of the question is not known."""
    return HTTPException(409, f"The answer is for {_named(question)}; {why}: look again when it has ended.")


def digest_of(entry: Mapping[str, Any]) -> str | None:
    """sha256 over the sorted, compact ASCII JSON of {value, response_schema}; None for what is nested too deep."""
    schema = entry.get("response_schema")
    content = {
        "value": entry.get("value"),
        "response_schema": schema if isinstance(schema, dict) else None,
    }
    try:
        text = stdlib.dumps(content, sort_keys=True, separators=(",", ":"))
    except RecursionError:
        return None
    return hashlib.sha256(text.encode()).hexdigest()


def _same(question: Question, entry: Mapping[str, Any]) -> bool:
    """What is too deep for a digest is told by its id alone, which another checkpoint's question never has."""
    return digest_of(entry) in {None, question.digest}


def _asked(snapshot: Any) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """(id, the entry as JSON, node); what a subgraph asks shows at the top as well."""
    from langgraph_api.serde import json_dumpb, json_loads
    from langgraph_api.state import state_snapshot_to_thread_state

    shown: Any = state_snapshot_to_thread_state(snapshot)
    for task in shown["tasks"]:
        for entry in json_loads(json_dumpb(task.get("interrupts") or [])):
            yield str(entry.get("id")), entry, str(task.get("name"))


def _named(question: Question) -> str:
    return f"interrupt {question.interrupt_id} with digest {question.digest[:SHOWN_DIGITS]}"


async def told(thread_id: UUID, ctx: Context) -> str:
    """What is pending on a thread, in words, to those who may read it."""
    from langgraph_runtime_community.ops.state import State

    try:
        snapshot = await State.get(None, {"configurable": {"thread_id": str(thread_id)}}, ctx=ctx)
    except HTTPException:
        return f"thread {thread_id} waits for an answer"
    return _told(thread_id, list(_asked(snapshot)))


def _told(thread_id: UUID, waiting: list[tuple[str, Mapping[str, Any], str]]) -> str:
    if not waiting:
        return f"thread {thread_id} waits for no answer"
    names = ", ".join(
        f"interrupt {found} of node {node} with digest {(digest_of(entry) or 'unknown')[:SHOWN_DIGITS]}"
        for found, entry, node in waiting
    )
    return f"thread {thread_id} waits for an answer to {names}"
