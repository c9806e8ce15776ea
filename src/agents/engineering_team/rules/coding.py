"""How the rules write code: a known task, its draft first; what they don't know they say so."""

import re
from typing import Any

from agents.engineering_team.rules.reading import facts_of, said, steps, text
from agents.shared.offline import Reply, Request
from agents.shared.offline.known_tasks import Known, read

UNKNOWN = "No model is configured, and the written rules don't know this task."
_KNOWN = read("agents.engineering_team.rules")
_FENCED = re.compile(r"```(?:python)?\n(.*?)```", re.DOTALL)
_IMPORTED = re.compile(r"from solution import \(?\s*([A-Za-z_]\w*)")


def known() -> tuple[Known, ...]:
    """The tasks, in the order of the file."""
    return _KNOWN


def code(request: Request) -> Reply:
    """The files, then their tests, then a sentence."""
    facts = facts_of(request)
    if steps(request) == 0:
        calls = tuple(("write_file", {"path": path, "content": content}) for path, content in _files(facts))
        return Reply(tool_calls=calls) if calls else Reply(UNKNOWN)
    if said(request)[-1][0] == "write_file" and "run_tests" in request.tools:
        return Reply(tool_calls=(("run_tests", {}),))
    return Reply("Written, and tried.")


def _files(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """What is written; nothing where there is nothing better than what is there."""
    there: dict[str, str] = facts.get("files") or {}
    advice = _FENCED.search(text(facts, "advice"))
    task = _task(facts, there)
    if advice:
        solution = advice[1]
    elif task is None:
        return []
    else:
        solution = task.draft if task.draft and not there else task.code
    files = [("solution.py", solution)] if solution.strip() != there.get("solution.py", "").strip() else []
    if task is not None and not facts.get("tests_are_given") and "test_solution.py" not in there:
        files.append(("test_solution.py", task.tests))
    return files


def _task(facts: dict[str, Any], there: dict[str, str]) -> Known | None:
    """By the name that the tests import, else by the words of the task."""
    imported = _IMPORTED.search(there.get("test_solution.py", ""))
    if imported:
        return next((one for one in _KNOWN if one.name == imported[1]), None)
    words = f"{text(facts, 'task')} {text(facts, 'brief')}".casefold()
    return next((one for one in _KNOWN if re.search(one.words, words)), None)
