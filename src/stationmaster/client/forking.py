"""Going on from an earlier point of a thread: another message, or another result of a node.

A fork runs again what comes after it. It may ask a person a question that was answered on the other branch, and it
repeats side effects unless each of them has an idempotency key made of state that the fork shares; the support graph's
have (ticket, order, number of the request), so its refund stays one. What the other branch did to the world (a mail
sent, money paid) is not undone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import Checkpoint

from stationmaster.client.branch import State, came_from, present_branch, ran
from stationmaster.client.errors import NothingToFork


@dataclass(frozen=True)
class Fork:
    """A new branch that has not run yet: `stream(client, thread_id, assistant, checkpoint=fork.checkpoint)` runs it.

    `origin` is where the thread stood before; `threads.get_state(thread_id, checkpoint=fork.origin)` still shows it.
    `next`: the nodes that the fork goes on with.
    """

    thread_id: str
    checkpoint: Checkpoint
    origin: Checkpoint
    next: tuple[str, ...]


async def edit_message(
    client: LangGraphClient, thread_id: str, message_id: str, content: Any, *, messages: str = "messages"
) -> Fork:
    """Fork from where a person's message came in, with `content` in its place; later messages are not on the fork.

    The history stays as it was, and so does everything that the thread did: running the fork may ask a person again,
    and repeats side effects that have no key of their own (see the module). A question that the thread waits at is
    off the branch. `messages` is the key of the state that holds them, with LangGraph's `add_messages`.

    Raises NothingToFork (no such message on the present branch, or not a person's), ThreadBusy, ThreadGone.
    """
    found: State | None = None
    message: Mapping[str, Any] | None = None
    origin: State | None = None
    async for state in present_branch(client, thread_id):
        origin = origin or state
        there = _message(state, messages, message_id)
        if there is not None:
            found, message = state, there
        elif found is not None:
            break
    if found is None or message is None or origin is None:
        raise NothingToFork(f"thread {thread_id} has no message {message_id}: `threads.get_state` lists them")
    if message.get("type") != "human" or came_from(found) != "loop":
        raise NothingToFork(
            f"message {message_id} was not sent by a person: use `correct` for what a node has written"
        )
    edited = {"type": "human", "id": message_id, "content": content, "name": message.get("name")}
    return await _fork(client, thread_id, found, origin, {messages: [edited]}, "__start__")


async def correct(
    client: LangGraphClient, thread_id: str, values: Mapping[str, Any], *, as_node: str
) -> Fork:
    """Fork from where `as_node` last ran, as if it had returned `values` too; the graph decides anew where to go.

    The rest of what the node wrote stays: correcting the support graph's `classify` with `{"intent": "human"}` keeps
    the order number it read, and takes the other branch. The history stays as it was, and so does everything that the
    thread did: running the fork may ask a person again, and repeats side effects that have no key of their own (see the
    module). A key with a reducer is reduced, not replaced.

    Raises NothingToFork (the node has not run on the present branch), ThreadBusy, ThreadGone.
    """
    origin: State | None = None
    after: State | None = None
    """The checkpoint after the one that is looked at, seen from the end."""
    corrected: State | None = None
    """The newest of the corrections that were made to `after` before, which this one adds to."""
    async for state in present_branch(client, thread_id):
        origin = origin or state
        if after is not None and came_from(after) == "loop" and as_node in ran(state):
            return await _fork(client, thread_id, corrected or after, origin, values, as_node)
        chained = after is not None and came_from(after) == "update"
        corrected = corrected if chained else state if came_from(state) == "update" else None
        after = state
    raise NothingToFork(
        f"{as_node} has not run on thread {thread_id}: name a node of the graph that has, as its history shows"
    )


async def _fork(
    client: LangGraphClient,
    thread_id: str,
    base: State,
    origin: State,
    values: Mapping[str, Any],
    as_node: str,
) -> Fork:
    made = await client.threads.update_state(
        thread_id, dict(values), as_node=as_node, checkpoint=base["checkpoint"]
    )
    forked = await client.threads.get_state(thread_id, checkpoint=made["checkpoint"])
    return Fork(thread_id, made["checkpoint"], origin["checkpoint"], tuple(forked["next"]))


def _message(state: State, key: str, message_id: str) -> Mapping[str, Any] | None:
    values = state.get("values")
    found = values.get(key) if isinstance(values, Mapping) else None
    return next((each for each in found or () if each.get("id") == message_id), None)
