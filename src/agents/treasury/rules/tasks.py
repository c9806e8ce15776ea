"""The entry of the offline rules: which task a prompt sets, and who answers it."""

from agents.shared.offline import Reply, Request
from agents.treasury.rules.requests import read


def answer(request: Request) -> Reply:
    """The rules of the treasury; pure and the same each time. Raises ValueError for a task that has none."""
    if not request.system.startswith("Task: understand") or not request.forced:
        task = request.system.partition("\n")[0]
        raise ValueError(f"no written rule for {task!r}; the treasury only asks for 'Task: understand'")
    return Reply(tool_calls=((request.forced, read(request.last_human)),))
