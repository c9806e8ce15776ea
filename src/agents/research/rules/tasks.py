"""The entry of the offline rules: which task a prompt sets, and who answers it."""

import json
import re

from agents.research.rules.planning import sub_questions
from agents.research.rules.quoting import quotes
from agents.shared.offline import Reply, Request

_TASK = re.compile(r"Task: (\w+)")


def answer(request: Request) -> Reply:
    """The rules of the research; pure and the same each time. Raises ValueError for a task that has none."""
    named = _TASK.match(request.system)
    task = named[1] if named else ""
    if request.forced and task == "plan":
        return Reply(tool_calls=((request.forced, {"sub_questions": sub_questions(request.last_human)}),))
    if request.forced and task in ("synthesise", "mend"):
        facts = json.loads(request.last_human.removeprefix("<facts>").removesuffix("</facts>"))
        return Reply(tool_calls=((request.forced, {"claims": quotes(facts)}),))
    raise ValueError(
        f"no written rule for task {task!r}; there are plan, synthesise and mend, each with a tool"
    )
