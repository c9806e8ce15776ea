"""Written rules for everybody in the team; `answer` is what `offline:rules` calls."""

from agents.engineering_team.rules import checking, coding, deciding, researching
from agents.shared.offline import Reply, Request

_TASKS = {
    "supervise": deciding.supervise,
    "lead": deciding.lead,
    "research": researching.research,
    "code": coding.code,
    "review": checking.review,
    "audit": checking.audit,
}


def answer(request: Request) -> Reply:
    """The next step of whoever is asked. Raises ValueError for a task that the rules do not know."""
    task = request.system.partition("\n")[0].removeprefix("Task:").strip()
    if task not in _TASKS:
        raise ValueError(f"the team's rules know no task {task!r}; they know {', '.join(_TASKS)}")
    return _TASKS[task](request)
