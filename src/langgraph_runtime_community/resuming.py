"""A second attempt goes on where the first one was cut off, instead of giving its input again."""

import re
from pathlib import Path
from typing import Any

from langgraph_runtime_community import database
from langgraph_runtime_community.checkpoint.saver import Checkpointer
from langgraph_runtime_community.lease import Lease
from langgraph_runtime_community.sealing.objects import open_object
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).parent / "ops" / "runs.sql")
# Where the first attempt started; the next one starts from what that one saved.
START = ("checkpoint_id", "checkpoint_ns", "checkpoint_map")
INTERRUPT = "__interrupt__"
ID = re.compile("[0-9a-f]{32}")


async def as_continued(lease: Lease) -> bool:
    """Change the run of a second attempt in place, if the first one saved a checkpoint; whether it had.

    Its answer to a question must not be given again: the question is answered, and the next one, which a bare value
    would answer, has not been seen by anybody. And a run from an earlier checkpoint must not begin there again.
    """
    if lease.temporary:
        return False
    params = {"thread_id": str(lease.thread_id), "run_id": str(lease.run_id), "epoch": lease.epoch}
    row = await database.fetch_one(QUERIES["has_saved"], params)
    if not row or not row["yes"]:
        if row and row["answered"]:
            await _without_used_answers(lease, params)
        return False
    lease.kwargs["input"] = None
    lease.kwargs["command"] = None
    configurable = lease.kwargs["config"]["configurable"]
    for name in START:
        configurable.pop(name, None)
    return True


async def _without_used_answers(lease: Lease, params: dict[str, Any]) -> None:
    """Of a run whose node took its answer and asked again before anything else was saved: answers to questions that
    still wait are given again, the others are not; one without an id can only have been for the one that is gone.

    The worker opens what a route has sealed, later: what is left of an opened command passes it as it is.
    """
    command = await open_object(lease.kwargs.get("command"), "run")
    if not isinstance(command, dict) or command.get("resume") is None:
        return
    resume, left = command["resume"], {}
    if isinstance(resume, dict) and all(ID.fullmatch(str(name)) for name in resume):
        waiting = await _waiting(lease)
        left = {name: answer for name, answer in resume.items() if name in waiting}
    else:
        await database.execute(QUERIES["forget_answer"], params)
    others = {name: value for name, value in command.items() if name != "resume" and value is not None}
    lease.kwargs["command"] = {**others, "resume": left} if left else others or None


async def _waiting(lease: Lease) -> set[str]:
    """The ids of what the newest checkpoint asks."""
    thread: Any = {"configurable": {"thread_id": str(lease.thread_id), "checkpoint_ns": ""}}
    found = await Checkpointer(lease=None).aget_tuple(thread)
    writes = found.pending_writes or [] if found else []
    return {question.id for _, channel, asked in writes if channel == INTERRUPT for question in asked}
