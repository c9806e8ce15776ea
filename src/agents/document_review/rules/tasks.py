"""The entry of the offline rules: which task a prompt sets, and who answers it."""

import re

from agents.document_review.rules.kinds import classify
from agents.document_review.rules.tone import judge
from agents.shared.offline import Reply, Request

_TASK = re.compile(r"Task: (\w+)")
_DOCUMENT = re.compile(r"<document>\n(.*)\n</document>", re.DOTALL)


def answer(request: Request) -> Reply:
    """The rules of the document review; pure and the same each time. Raises ValueError for a task that has none."""
    named, found = _TASK.match(request.system), _DOCUMENT.search(request.last_human)
    task = named[1] if named else ""
    if request.forced and found and task == "classify":
        return Reply(tool_calls=((request.forced, classify(found[1])),))
    if request.forced and found and task == "sentiment":
        return Reply(tool_calls=((request.forced, judge(found[1])),))
    raise ValueError(
        f"no written rule for task {task!r}; there are classify and sentiment, each with a document"
    )
