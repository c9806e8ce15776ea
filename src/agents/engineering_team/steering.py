"""What follows from a decision: whether it can be followed, has to be thought over, or ends the task. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from agents.engineering_team.asking import Decision
from agents.engineering_team.checks.finding import Finding, blocking
from agents.engineering_team.context import MAX_IDLE, MAX_REPEATS, STEPS_TO_END, Context
from agents.engineering_team.ledger import LONGEST_WORDS, Handoff, digest, idle, repeated
from agents.engineering_team.state import State
from agents.shared.limits import over_limit

Worker: TypeAlias = Literal["researcher", "coder", "quality"]
SOLUTION, TESTS = "solution.py", "test_solution.py"


@dataclass(frozen=True)
class Go:
    """Hand over to a worker."""

    to: Worker
    reason: str
    brief: str
    by: Literal["supervisor", "rule"] = "supervisor"


@dataclass(frozen=True)
class Again:
    """Decide again, knowing this."""

    notice: str


@dataclass(frozen=True)
class End:
    """It is over. `why` is the limit that ended it, if one did; `said` is the reason of who decided to finish."""

    why: str = ""
    said: str = ""


Step: TypeAlias = Go | Again | End


def due(state: State, context: Context) -> End | None:
    """Whether a limit ends the task before anybody is asked."""
    made = handed_over(state)
    if len(made) >= context.max_handoffs:
        return End(f"the ceiling of {context.max_handoffs} hand-offs is reached")
    came = [one for one in state.get("results", []) if one["number"] > advised_at(state)]
    if idle([one for one in came if one["worker"] in get_args(Worker)]) >= MAX_IDLE:
        return End(f"the last {MAX_IDLE} hand-offs brought nothing new")
    if state.get("remaining_steps", STEPS_TO_END + 1) <= STEPS_TO_END:
        return End("the run has no steps left")
    spent = over_limit(
        state.get("usage", {}),
        turns=state.get("turns", 1),
        max_turns=context.max_turns,
        max_cost_usd=context.max_cost_usd,
    )
    return End(f"limit reached: {spent}") if spent else None


def follow(state: State, decision: Decision, context: Context) -> Step:
    """What a decision leads to."""
    step = _step(state, decision, context)
    if isinstance(step, Again) and len(state.get("notices", [])) + 1 >= MAX_REPEATS:
        return End(f"it goes round in circles: {step.notice}")
    return step


def _step(state: State, decision: Decision, context: Context) -> Step:
    if decision.route == "finish":
        return _finish(state, decision)
    if decision.route == "quality" and not has_code(state):
        return Again("quality can't look at code before there is any")
    if (
        decision.route == "coder"
        and has_code(state)
        and fixes(state) >= context.max_fixes
        and was_written(state)
    ):
        return End(f"the work went back to the coder {fixes(state)} times, which is the limit")
    brief = (decision.brief.strip() or state.get("task", ""))[:LONGEST_WORDS]
    if earlier := _asked_before(state, decision.route, brief):
        return Again(
            f"{decision.route} was asked this in hand-off {earlier['number']}, and nothing has changed since"
        )
    return Go(decision.route, decision.reason, brief)


def _finish(state: State, decision: Decision) -> Step:
    """Code that was written here is never delivered unseen, whatever was decided."""
    unseen = was_written(state) and has_passed(state) and not is_checked(state)
    if unseen and _asked_before(state, "quality", "") is None:
        return Go("quality", "code is not delivered before it was looked at", "The whole change.", by="rule")
    return End(said=decision.reason)


def _asked_before(state: State, to: Worker, brief: str) -> Handoff | None:
    """The hand-off that this one would repeat. What came of quality's does not count where a report was left out."""
    if to == "quality" and state.get("left_out"):
        return None
    return repeated(state.get("handoffs", []), to, brief, seen(state, to))


def advised_at(state: State) -> int:
    """The number of the last hand-off before a person sent the work back; 0 when nobody has."""
    return state.get("advised_at", 0)


def handed_over(state: State) -> list[Handoff]:
    """The hand-offs that count: those since a person sent the work back, or all; without those within quality."""
    return [one for one in of_the_whole(state) if one["number"] > advised_at(state)]


def of_the_whole(state: State) -> list[Handoff]:
    """All hand-offs to the supervisor's own workers, whoever decided them."""
    return [one for one in state.get("handoffs", []) if one["to"] in get_args(Worker)]


def next_number(state: State) -> int:
    """The number of the next hand-off."""
    return max((one["number"] for one in state.get("handoffs", [])), default=0) + 1


def fixes(state: State) -> int:
    """How often the work went back to the coder."""
    asked = sum(one["to"] == "coder" for one in handed_over(state))
    begun = SOLUTION in state.get("given", {}) or advised_at(state) > 0
    return max(asked - (0 if begun else 1), 0)


def has_code(state: State) -> bool:
    """Whether there is a solution, from the caller or from the coder."""
    return bool(state.get("files", {}).get(SOLUTION))


def was_written(state: State) -> bool:
    """Whether the coder has written any of it."""
    return has_code(state) and state.get("files", {}) != state.get("given", {})


def has_passed(state: State) -> bool:
    """Whether the tests of the very files pass."""
    build = state.get("build")
    return bool(build) and build["kind"] == "passed" and build["of"] == of_files(state)


def is_checked(state: State) -> bool:
    """Whether reviewer and auditor have both looked at the very files; at others than the two they do not look."""
    others = set(state.get("files", {})) - {SOLUTION, TESTS}
    return not others and all(
        check and check["of"] == of_files(state) for check in (state.get("review"), state.get("audit"))
    )


def findings(state: State) -> list[Finding]:
    """The findings on the files as they are."""
    checks = (state.get("review"), state.get("audit"))
    return [one for check in checks if check and check["of"] == of_files(state) for one in check["findings"]]


def is_clean(state: State) -> bool:
    """Whether nothing is left that has to be mended."""
    return has_passed(state) and is_checked(state) and not blocking(findings(state))


def of_files(state: Mapping[str, Any]) -> str:
    """The digest of the files."""
    return digest(state.get("files", {}))


def seen(state: State, worker: str) -> str:
    """A digest of what a worker would be shown beside its brief."""
    match worker:
        case "coder":
            answers = [one["answer"] for one in state.get("research", [])]
            return digest(
                of_files(state), findings(state), state.get("build"), answers, state.get("advice", "")
            )
        case "quality":
            return of_files(state)
        case _:
            return ""
