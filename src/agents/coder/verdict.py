"""Pure decisions: which attempt is the best, whether another round is of use, what a person is told."""

from hashlib import sha256

from agents.coder.state import Attempt, State
from agents.shared.sandbox.verdicts import Verdict, log_of


def attempt(code: str, checks: str, verdict: Verdict) -> Attempt:
    """A round for the state: what the tests `checks` said of the code."""
    return {
        "checks": digest(checks),
        "code": code,
        "kind": verdict["kind"],
        "summary": verdict["summary"],
        "passed": verdict["passed"],
        "total": verdict["total"],
        "log": log_of(verdict),
    }


def last(state: State) -> Attempt | None:
    """The newest round."""
    tries = state.get("tries", [])
    return tries[-1] if tries else None


def on_these_tests(state: State) -> list[Attempt]:
    """The rounds whose tests are those of now: of others, which a person replaced, an earlier round says nothing."""
    now = digest(state.get("checks", ""))
    return [one for one in state.get("tries", []) if one.get("checks", now) == now]


def best(state: State) -> Attempt | None:
    """The round that passed most of these tests; of equals the newest, which knew most."""
    tries = on_these_tests(state)
    return max(reversed(tries), key=lambda one: (one["kind"] == "passed", one["passed"])) if tries else None


def stuck(state: State) -> bool:
    """Whether the last round wrote what an earlier one had written for these tests: it would again."""
    tries = on_these_tests(state)
    return any(one["code"] == tries[-1]["code"] for one in tries[:-1]) if tries else False


def report(state: State) -> str:
    """The reply for each way in which a task ends."""
    found, kept = best(state), state.get("kept")
    if kept is not None:
        return f"A solution of this task was kept already, and stays as it is:\n\n{_fenced(kept)}"
    match state.get("outcome"):
        case "passed" if found:
            rounds = len(state.get("tries", []))
            done = f"Done in {rounds} {'round' if rounds == 1 else 'rounds'}: {found['summary']}."
            return f"{done}\n\n{_fenced(found['code'])}"
        case "accepted" if found:
            return f"Accepted by a person although {found['summary']}.\n\n{_fenced(found['code'])}"
        case "closed":
            return "This conversation has reached its limit. Please start a new one."
        case "unclear":
            return "Please say what the code has to do, or send the tests that it has to pass. Nothing was begun."
        case "unavailable":
            return "I could not finish this, and the operators know of it. Nothing was delivered."
        case _:
            return _failed(state, found)


def _failed(state: State, found: Attempt | None) -> str:
    why = state.get("stopped_because") or "the rounds are used up"
    if found is None:
        problem = state.get("problem")
        return f"I have no code for this ({problem['error'] if problem else why})."
    begun = "A person stopped this" if state.get("outcome") == "stopped" else "I did not get this to work"
    return (
        f"{begun}: {why}. The best of {len(on_these_tests(state))} attempts passes {found['passed']} of "
        f"{found['total']} tests ({found['summary']}).\n\n{_fenced(found['code'])}\n\n"
        f"Its log:\n\n```\n{found['log']}\n```"
    )


def _fenced(code: str) -> str:
    return f"```python\n{code.rstrip()}\n```"


def digest(tests: str) -> str:
    """By which tests are known again."""
    return sha256(tests.encode("utf-8", "replace")).hexdigest()[:16]
