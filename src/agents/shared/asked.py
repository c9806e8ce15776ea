"""What a question showed when it was put: noted, since its id does not say so.

A command without an answer writes the state of a thread that waits and runs the asking node again, in the same task:
what the question shows changes, its id stays, and whoever had seen the first answers the second. So a gate notes a
digest of what it shows when it puts its question (and only then: in the handler of the pause), and looks there before
it takes an answer.
"""

import hashlib
import json

from agents.shared.database import connection
from agents.shared.queries import load

_SQL = load(__file__)
_PUT, _SHOWN = _SQL["put"], _SQL["shown"]


def digest_of(*shown: object) -> str:
    """Of values in state, and of no wording of ours: a new release must not take away the questions that wait."""
    text = json.dumps(shown, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


async def put(thread_id: str, task_id: str, digest: str) -> bool:
    """Note what the question of a task shows, when it is first put. False where it showed something else then.

    Raises DatabaseUnavailable.
    """
    values = {"thread_id": thread_id, "task_id": task_id, "digest": digest}
    async with connection() as conn:
        row = await (await conn.execute(_PUT, values)).fetchone()
    return row is not None and row["digest"] == digest


async def was_shown(thread_id: str, task_id: str, digest: str) -> bool | None:
    """Whether the question of a task showed this; None for one that was noted nowhere: by an older release, or answered
    before it was put. Raises DatabaseUnavailable.
    """
    async with connection() as conn:
        row = await (await conn.execute(_SHOWN, {"thread_id": thread_id, "task_id": task_id})).fetchone()
    return None if row is None else row["digest"] == digest
