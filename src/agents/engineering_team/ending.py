"""Where a task goes that is over: to be delivered, to a person, or to an honest report."""

from typing import Any

from langgraph.types import Command

from agents.engineering_team import steering
from agents.engineering_team.context import MAX_ADVICE, Context
from agents.engineering_team.state import Outcome, State, Update
from agents.engineering_team.steering import End


def ended(state: State, end: End, context: Context, update: Update | None = None) -> Command[Any]:
    """The way from here; `why` is kept where the task ends for another reason than being done."""
    told, why = update or {}, end.why or end.said
    if not steering.was_written(state):
        outcome = _outcome(state, end)
        why = why if outcome in ("incomplete", "unclear") else ""
        return Command(goto="report", update={**told, "outcome": outcome, "why": why})
    if steering.is_clean(state):
        return Command(goto="deliver", update={**told, "outcome": None, "why": ""})
    if is_question(state, context):
        return Command(goto="sign_off", update={**told, "why": end.why})
    return Command(goto="report", update={**told, "outcome": "incomplete", "why": why})


def is_question(state: State, context: Context) -> bool:
    """Whether a person may decide: tests pass, both have looked, and only findings stand against it."""
    asked = context.ask_person and state.get("advised", 0) < MAX_ADVICE
    return asked and steering.has_passed(state) and steering.is_checked(state)


def _outcome(state: State, end: End) -> Outcome:
    """Nothing was written: it was a question, a look at somebody's code, or nothing at all."""
    made = {one["to"] for one in steering.handed_over(state)}
    if not made:
        return "incomplete" if end.why else "unclear"
    if end.why or "coder" in made:
        return "incomplete"
    if steering.has_code(state):
        return "reviewed" if steering.is_checked(state) else "incomplete"
    return "answered" if any(one["sources"] for one in state.get("research", [])) else "incomplete"
