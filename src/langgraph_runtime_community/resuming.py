"""A second attempt goes on where the first one was cut off, instead of giving its input again."""

from pathlib import Path

from langgraph_runtime_community import database
from langgraph_runtime_community.lease import Lease
from stationmaster.postgres.queries import load

HAS_SAVED = load(Path(__file__).parent / "ops" / "runs.sql")["has_saved"]
# Where the first attempt started; the next one starts from what that one saved.
START = ("checkpoint_id", "checkpoint_ns", "checkpoint_map")


async def as_continued(lease: Lease) -> bool:
    """Change the run of a second attempt in place, if the first one saved a checkpoint; whether it had.

    Its answer to a question must not be given again: the question is answered, and the next one, which a bare value
    would answer, has not been seen by anybody. And a run from an earlier checkpoint must not begin there again.
    """
    if lease.temporary:
        return False
    row = await database.fetch_one(
        HAS_SAVED, {"thread_id": str(lease.thread_id), "run_id": str(lease.run_id)}
    )
    if not row or not row["yes"]:
        return False
    lease.kwargs["input"] = None
    lease.kwargs["command"] = None
    configurable = lease.kwargs["config"]["configurable"]
    for name in START:
        configurable.pop(name, None)
    return True
