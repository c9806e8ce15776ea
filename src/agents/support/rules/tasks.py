"""The entry of the offline rules: which task a prompt sets, and who answers it."""

import re

from langchain_core.messages import HumanMessage

from agents.shared.offline import Reply, Request
from agents.support.prompts import NO_MESSAGE
from agents.support.rules.classify import classify
from agents.support.rules.reply import find_facts, write_reply
from agents.support.rules.summary import summarize

_TASK = re.compile(r"\s*Task:\s*(\w+)")
_SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)


def answer(request: Request) -> Reply:
    """The rules of the support agent; pure and the same each time.

    The system message's first line names the task (`Task: classify`). Raises ValueError for a prompt that
    names none or lacks its facts: that is a bug of the graph, not something a customer can write.
    """
    named = _TASK.match(request.system)
    task = named[1] if named else ""
    if request.forced:
        if task not in {"classify", "repair"}:
            raise ValueError(
                f"no written rule calls {request.forced!r} for task {task!r}; add one to rules/tasks.py"
            )
        return Reply(tool_calls=((request.forced, classify(_humans(request), _earlier(request)).as_args()),))
    if task in {"draft_reply", "repair"}:
        return Reply(text=write_reply(find_facts(request.system)))
    if task == "summarize":
        return Reply(text=summarize(request.messages, _earlier(request)))
    raise ValueError(
        f"no written rule for task {task!r}: start the system message with 'Task: classify', for one"
    )


def _humans(request: Request) -> list[str]:
    texts = [message.text for message in request.messages if isinstance(message, HumanMessage)]
    return ["" if text == NO_MESSAGE else text for text in texts]


def _earlier(request: Request) -> str:
    found = _SUMMARY.search(request.system)
    return found[1].strip() if found else ""
