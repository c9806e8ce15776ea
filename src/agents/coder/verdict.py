"""Pure decisions: which attempt is the best, whether another round is of use, what a person is told."""

from agents.coder.state import Attempt, State
from agents.shared.sandbox.verdicts import Verdict, log_of


def attempt(code: str, verdict: Verdict) -> Attempt:
    """A round for the state."""
    return {
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


def best(state: State) -> Attempt | None:
    """The round that passed most tests; of equals the newest, which knew most."""
    tries = state.get("tries", [])
    return max(reversed(tries), key=lambda one: (one["kind"] == "passed", one["passed"])) if tries else None


def stuck(state: State) -> bool:
    """Whether the last round wrote what an earlier one had written: it would again."""
    tries = state.get("tries", [])
    return any(one["code"] == tries[-1]["code"] for one in tries[:-1]) if tries else False


def report(state: State) -> str:
    """The reply for each way in which a task ends."""
    found = best(state)
    match state.get("outcome"):
        case "passed" if found:
            rounds = len(state.get("tries", []))
            return f"Done in {rounds} {'round' if rounds == 1 else 'rounds'}: {found['summary']}.\n\n{_fenced(found)}"
        case "accepted" if found:
            return f"Accepted by a person although {found['summary']}.\n\n{_fenced(found)}"
        case "closed":
            return "This conversation has reached its limit. Please start a new one."
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
        f"{begun}: {why}. The best of {len(state.get('tries', []))} attempts passes {found['passed']} of "
        f"{found['total']} tests ({found['summary']}).\n\n{_fenced(found)}\n\nIts log:\n\n```\n{found['log']}\n```"
    )


def _fenced(found: Attempt) -> str:
    return f"```python\n{found['code'].rstrip()}\n```"
