"""What the rules answer: the code of a known task, its draft first, or a stub that says so."""

import json
import re

from agents.coder.rules.library import known
from agents.shared.offline import Reply, Request
from agents.shared.offline.known_tasks import Known

STUB = """def {name}(*args, **kwargs):
    raise NotImplementedError("no model is configured, and the written rules don't know this task")
"""
STUB_TESTS = """from solution import {name}


def test_it():
    {name}()
"""
_FENCED = re.compile(r"```(?:python)?\n(.*?)```", re.DOTALL)
_IMPORTED = re.compile(r"from solution import \(?\s*([A-Za-z_]\w*)")


def answer(request: Request) -> Reply:
    """A call of Solution, or a critique in words."""
    facts = _facts(request.last_human)
    if request.forced == "Solution":
        code, tests = _solution(facts)
        return Reply(tool_calls=(("Solution", {"code": code, "tests": tests}),))
    return Reply(_critique(facts.get("log", "")))


def _solution(facts: dict[str, str]) -> tuple[str, str]:
    tests = facts.get("tests", "")
    advice = facts.get("advice", "")
    if advice and (
        found := _FENCED.search(advice) or re.match(r"(?s)\s*((?:def|class|import|from) .*)", advice)
    ):
        return found[1], tests
    task = _known(facts)
    if task is None:
        name = _name(tests)
        return STUB.format(name=name), tests or STUB_TESTS.format(name=name)
    return (task.draft if task.draft and not facts.get("code") else task.code), tests or task.tests


def _known(facts: dict[str, str]) -> Known | None:
    """By the name that the tests import, else by the words of the task."""
    imported = _name(facts.get("tests", ""))
    words = f"{facts.get('task', '')} {facts.get('advice', '')}".casefold()
    return next((task for task in known() if task.name == imported), None) or next(
        (task for task in known() if re.search(task.words, words)), None
    )


def _name(tests: str) -> str:
    found = _IMPORTED.search(tests)
    return found[1] if found else "solve"


def _critique(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    failing = [line for line in lines if line.startswith(("solution.py", "test_solution.py"))]
    error = next((line for line in reversed(lines) if re.match(r"\w+(Error|Exception)\b", line)), "")
    parts = [f"The attempt ended so: {lines[0]}." if lines else "The attempt failed."]
    if failing:
        parts.append(f"Look at {failing[0]}.")
    if error:
        parts.append(f"It raised {error}.")
    return " ".join(parts)


def _facts(text: str) -> dict[str, str]:
    try:
        read = json.loads(text)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        return {"task": text}
    return {name: value for name, value in read.items() if isinstance(value, str)}
