"""The checkpoints that lead to where a thread stands: its present branch, without those that forks left behind."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from stationmaster.client.errors import NothingToFork, ThreadBusy, ThreadGone

PAGE = 100

State = Mapping[str, Any]
"""A checkpoint as the server shows it: values, next, tasks, checkpoint, parent_checkpoint, metadata."""


async def present_branch(client: LangGraphClient, thread_id: str) -> AsyncIterator[State]:
    """From the newest checkpoint back to the first, each the parent of the one before.

    ThreadGone; ThreadBusy while a run is under way; NothingToFork for a thread that never ran.
    """
    try:
        row = await client.threads.get(thread_id)
        if row["status"] == "busy":
            raise ThreadBusy(
                f"a run is under way on thread {thread_id}: wait for its end, or cancel it, and try again"
            )
        newest: list[Any] = list(await client.threads.get_history(thread_id, limit=PAGE))
    except NotFoundError as error:
        raise ThreadGone(f"the server has no thread {thread_id} (any more): start a new one") from error
    if not newest:
        raise NothingToFork(f"thread {thread_id} has no history: send its first message")
    read = {checkpoint_id(state): state for state in newest}
    state: Any = newest[0]
    while True:
        yield state
        parent = state.get("parent_checkpoint")
        if not parent:
            return
        # The history mixes branches, and its pages are asked for in ways that differ between servers: what stands
        # beyond the first one is read by its id.
        state = read.get(parent["checkpoint_id"]) or await client.threads.get_state(
            thread_id, checkpoint=parent
        )


def checkpoint_id(state: State) -> str:
    """Its id."""
    return str(state["checkpoint"]["checkpoint_id"])


def came_from(state: State) -> str | None:
    """`input`, `loop` (nodes ran) or `update` (somebody wrote it)."""
    return (state.get("metadata") or {}).get("source")


def ran(state: State) -> frozenset[str]:
    """The nodes that were run from this checkpoint."""
    return frozenset(str(task["name"]) for task in state.get("tasks") or ())
