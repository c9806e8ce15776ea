"""What a checkpoint or a state says about its thread: the columns that searches and lists show."""

from collections.abc import Iterable, Mapping
from typing import Any

from langgraph.types import StateSnapshot

from langgraph_runtime_community.database import json
from langgraph_runtime_community.sealing import objects


async def columns_of(snapshot: StateSnapshot) -> dict[str, Any]:
    """`settled`, `values` and `interrupts` of a thread whose state was changed from outside."""
    tasks = [{"id": task.id, "interrupts": task.interrupts} for task in snapshot.tasks]
    return {
        "settled": "interrupted" if snapshot.next else "idle",
        "values": json(await objects.seal_values(snapshot.values)),
        "interrupts": json(await objects.seal_interrupts(interrupts(tasks))),
    }


def interrupts(tasks: Iterable[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Pending questions by task."""
    from langgraph_api.state import patch_interrupt

    return {
        task["id"]: [patch_interrupt(question) for question in task["interrupts"]]
        for task in tasks
        if task.get("interrupts")
    }
