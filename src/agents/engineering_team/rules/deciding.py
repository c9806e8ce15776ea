"""How the rules decide who works next: from the words of the task, and from where things stand."""

import re
from typing import Any

from agents.engineering_team.rules.reading import facts_of, text
from agents.shared.offline import Reply, Request

_CODE = re.compile(
    r"\b(write|build|implement|create|code|program|function|class|module|script|python|helper|fix|mend|repair|refactor|"
    r"make (?:it|this|the code) (?:safe|pass|work))\b"
)
_FACTS = re.compile(
    r"\b(our|house rules?|by the rules?|polic(?:y|ies)|guidelines?|conventions?|how do we|what (?:is|are|do)|which|"
    r"when|look up|find out|research|where|why)\b|\?\s*$"
)
LONGEST_BRIEF = 2_000
_WRITE = re.compile(r"\b(write|build|implement|create|program)\b")
_HOUSE = re.compile(
    r"\b(our|house|polic(?:y|ies)|guidelines?|conventions?|rules?|look up|find out|research)\b"
)
_LOOK = re.compile(r"\b(review|audit|check|inspect|look (?:at|over)|is (?:this|it) (?:safe|secure))\b")
_MEND = re.compile(r"\b(fix|mend|repair|refactor|correct|make (?:it|this|the code) (?:safe|pass|work))\b")


def supervise(request: Request) -> Reply:
    """A call of Decision."""
    route, reason, brief = _next(facts_of(request))
    return Reply(tool_calls=(("Decision", {"route": route, "reason": reason, "brief": brief}),))


def _next(facts: dict[str, Any]) -> tuple[str, str, str]:
    task = text(facts, "task")
    words = task.casefold()
    if facts.get("notices"):
        return "finish", "the last decision could not be followed", ""
    if "solution.py" not in facts.get("files", {}):
        return _begin(facts, task, words)
    only_look = (
        "solution.py" in facts.get("files_are_given", [])
        and not _MEND.search(words)
        and not facts.get("advice")
    )
    newest = (_since(facts) or [{}])[-1]
    if newest.get("by") == "coder" and newest.get("ended") != "done":
        return "finish", "the coder knows no more", ""
    if not facts.get("tests_pass") and not only_look:
        return _not_passing(facts)
    if not facts.get("checked"):
        return "quality", "there is code that nobody has looked at", "The code as it is."
    if facts.get("findings") and not only_look:
        return "coder", "review and audit found something", "Mend the findings."
    if facts.get("advice") and not any(one.get("by") == "coder" for one in _since(facts)):
        return "coder", "a person gave advice", "Follow the advice."
    return "finish", "it was looked at" if only_look else "tests pass and nothing is left to mend", ""


def _not_passing(facts: dict[str, Any]) -> tuple[str, str, str]:
    if facts.get("changed") and not facts.get("tests"):
        return "quality", "there is code that nobody has tried", "The code as it is."
    if facts.get("changed") or facts.get("tests"):
        return "coder", "the tests do not pass", "Mend what the tests object to."
    if not facts.get("checked"):
        return "quality", "there is code that nobody has looked at", "The code as it was sent."
    return "coder", "there are no tests yet", "Mend the findings, and write tests."


def _begin(facts: dict[str, Any], task: str, words: str) -> tuple[str, str, str]:
    wants_code, wants_facts = bool(_CODE.search(words)), bool(_FACTS.search(words))
    asked = {one.get("to") for one in facts.get("handoffs", [])}
    if _LOOK.search(words) and not _WRITE.search(words) and not _HOUSE.search(words):
        return "finish", "there is no code to look at: send it as `code`", ""
    if wants_facts and "researcher" not in asked:
        return "researcher", "the task asks for something that is written down", task[:LONGEST_BRIEF]
    if wants_code and "coder" not in asked:
        return "coder", "the task asks for code", task[:LONGEST_BRIEF]
    if asked:
        return "finish", "nobody else can help", ""
    return "finish", "the task says neither what to build nor what to look up", ""


def _since(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of the hand-offs that are shown: those since a person's advice."""
    numbers = {one.get("number") for one in facts.get("handoffs", [])}
    return [one for one in facts.get("results", []) if one.get("number") in numbers]


def lead(request: Request) -> Reply:
    """A call of Check: the reviewer first, since what is mended for them changes what the auditor sees."""
    missing = facts_of(request).get("missing") or ["done"]
    briefs = {"reviewer": "Read the change.", "auditor": "Look for what an attacker could use."}
    args = {"route": missing[0], "reason": "has not looked yet", "brief": briefs.get(missing[0], "")}
    return Reply(tool_calls=(("Check", args),))
