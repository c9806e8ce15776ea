"""What came of an answer: what the run that carried it wrote into the thread, as the server's history has it. Pure, but
for one look."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stationmaster.reviews.agent_server import AgentServer, ThreadGone
from stationmaster.reviews.model import Review

MESSAGES = "messages"


@dataclass(frozen=True)
class Result:
    """`messages`: those that were added, in order. `changed`: the other keys of the state, as they were at its end."""

    messages: tuple[Mapping[str, Any], ...] = ()
    changed: Mapping[str, Any] = field(default_factory=dict)


def has_result(review: Review) -> bool:
    """Whether a run has its answer, so that there is something to read."""
    return review.resume_run_id is not None and review.consumed_at is not None


async def result_of(server: AgentServer, review: Review) -> Result:
    """AgentServerUnavailable. Empty if thread or run are gone, and while the run has written nothing."""
    if not has_result(review) or review.resume_run_id is None:
        return Result()
    try:
        course = await server.course(review.thread_id, review.resume_run_id)
    except ThreadGone:
        return Result()
    if course.last is None:
        return Result()
    return between(course.before.values if course.before else None, course.last.values)


def between(before: Any, after: Any) -> Result:
    """What of `after` was not in `before`; both are states of the graph."""
    was: Mapping[str, Any] = before if isinstance(before, Mapping) else {}
    now: Mapping[str, Any] = after if isinstance(after, Mapping) else {}
    changed = {
        key: value for key, value in now.items() if key != MESSAGES and (key not in was or was[key] != value)
    }
    return Result(_added(was.get(MESSAGES), now.get(MESSAGES)), changed)


def _added(before: Any, after: Any) -> tuple[Mapping[str, Any], ...]:
    """By id; messages without one by their place."""
    old = before if isinstance(before, list) else []
    known = {found["id"] for found in old if isinstance(found, Mapping) and found.get("id")}
    return tuple(
        found
        for place, found in enumerate(after if isinstance(after, list) else [])
        if isinstance(found, Mapping) and (found["id"] not in known if found.get("id") else place >= len(old))
    )
