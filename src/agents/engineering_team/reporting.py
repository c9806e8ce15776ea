"""What a task came to: the deliverable, and the reply in words. Pure, from state alone."""

from agents.engineering_team.checks.finding import blocking, line_of
from agents.engineering_team.state import Build, Deliverable, State
from agents.engineering_team.steering import (
    SOLUTION,
    TESTS,
    findings,
    has_code,
    has_passed,
    is_checked,
    of_files,
    of_the_whole,
    was_written,
)

_HEADS = {
    "delivered": "Done: the tests pass, and review and audit left nothing to mend.",
    "accepted": "Delivered as accepted by a person, with findings that are left.",
    "reviewed": "The code was looked at; nothing was changed.",
    "answered": "This is what was found.",
    "unclear": "I could not tell what is wanted, so nothing was begun. Please say what the code has to do, or what to "
    "look up.",
    "stopped": "A person stopped this.",
    "unavailable": "I could not finish this, and the operators know of it. Nothing was delivered.",
    "closed": "This conversation has reached its limit. Please start a new one.",
    "incomplete": "This is not finished.",
}


def deliverable(state: State) -> Deliverable:
    """All of it; `done` and `missing` are sentences for a person."""
    outcome = state.get("outcome") or "incomplete"
    begun = outcome not in ("closed", "unclear")
    return {
        "outcome": outcome,
        "files": state.get("files", {}),
        "build": _build(state),
        "findings": findings(state),
        "research": state.get("research", []),
        "done": _done(state),
        "missing": _missing(state) if begun else [],
        "why": state.get("why", ""),
        "handoffs": len(of_the_whole(state)),
    }


def _build(state: State) -> Build | None:
    """What the tests said of the very files; of others it says nothing."""
    build = state.get("build")
    return build if build and build["of"] == of_files(state) else None


def _done(state: State) -> list[str]:
    done = [f"looked up: {one['question'][:120]}" for one in state.get("research", [])]
    build = _build(state)
    if was_written(state):
        done.append("the code is written")
    if build and has_passed(state):
        done.append(f"{build['passed']} of {build['total']} tests pass")
    if is_checked(state):
        done.append("reviewer and auditor have looked at it")
    return done


def _missing(state: State) -> list[str]:
    """What a finished task would have beside."""
    if state.get("outcome") in ("delivered", "answered"):
        return []
    if not has_code(state):
        return [] if state.get("research") else ["nothing could be found or written"]
    missing: list[str] = []
    build = _build(state)
    if not has_passed(state) and (was_written(state) or state.get("files", {}).get(TESTS)):
        missing.append(f"the tests don't pass ({build['summary']})" if build else "the tests were not run")
    if not is_checked(state):
        missing.append("reviewer and auditor have not both looked at it")
    return [*missing, *(line_of(one) for one in blocking(findings(state)))]


def reply(made: Deliverable) -> str:
    """What the caller reads."""
    parts = [_HEADS[made["outcome"]]]
    if made["why"] and made["outcome"] in ("incomplete", "stopped", "unclear"):
        parts[0] += f" Why: {made['why']}."
    if made["outcome"] in ("incomplete", "stopped", "accepted"):
        parts += _listed("Done", made["done"]) + _listed("Missing", made["missing"])
    for one in made["research"]:
        named = ", ".join(f"{source['title']} ({source['source']})" for source in one["sources"])
        parts.append(f"{one['answer']}{f' Sources: {named}.' if named else ''}")
    if made["outcome"] in ("closed", "unclear", "unavailable"):
        return "\n\n".join(parts)
    for name in (SOLUTION, TESTS):
        if made["files"].get(name):
            parts.append(f"{name}:\n\n```python\n{made['files'][name].rstrip()}\n```")
    build = made["build"]
    if build and made["files"]:
        parts.append(f"Tests: {build['summary']}.")
        if build["kind"] != "passed":
            parts.append(f"```\n{build['log'].rstrip()}\n```")
    return "\n\n".join([*parts, *_listed("Findings", [line_of(one) for one in made["findings"]])])


def _listed(head: str, lines: list[str]) -> list[str]:
    return ["\n".join([f"{head}:", *(f"- {line}" for line in lines)])] if lines else []
