"""Runs on the room's server, and what their nodes saw."""

from collections.abc import Mapping
from typing import Any

from langgraph_sdk.client import LangGraphClient

DEFAULTS = {"tone": "friendly", "threshold": 500, "model": None}


async def run(client: LangGraphClient, assistant_id: str, thread_id: str | None = None, **asked: Any) -> Any:
    """A run to its end (or its question): its row as the server has it. Without a thread one is made for it."""
    thread_id = thread_id or (await client.threads.create())["thread_id"]
    what: dict[str, Any] = {"input": {"ask": False}, **asked}
    made = await client.runs.create(thread_id, assistant_id, **what)
    await client.runs.join(thread_id, made["run_id"])
    return await client.runs.get(thread_id, made["run_id"])


async def resume(
    client: LangGraphClient, assistant_id: str, thread_id: str, answer: Any = "yes", **asked: Any
) -> Any:
    """Answer the one question of the thread."""
    (question,) = (await client.threads.get_state(thread_id))["interrupts"]
    command = {"resume": {question["id"]: answer}}
    return await run(client, assistant_id, thread_id, input=None, command=command, **asked)


async def seen(client: LangGraphClient, run_row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the nodes of the thread wrote down, oldest first."""
    state: Any = await client.threads.get_state(run_row["thread_id"])
    return state["values"]["seen"]


async def contexts(client: LangGraphClient, run_row: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """(node, context without what has its default)."""
    return [
        (each["node"], {key: value for key, value in each["context"].items() if DEFAULTS.get(key) != value})
        for each in await seen(client, run_row)
    ]
