"""What the supervisor is shown: where things stand, in words; not the files, and nobody's transcript."""

from langchain_core.messages import HumanMessage

from agents.engineering_team import prompts, steering
from agents.engineering_team.checks.finding import blocking, line_of
from agents.engineering_team.context import Context
from agents.engineering_team.state import State


def overview(state: State, context: Context) -> HumanMessage:
    """The message; from state alone."""
    build = state.get("build")
    return prompts.facts(
        task=state.get("task", ""),
        files={name: len(text.splitlines()) for name, text in state.get("files", {}).items()},
        files_are_given=sorted(state.get("given", {})),
        changed=steering.was_written(state),
        tests=build["summary"] if build else "",
        tests_pass=steering.has_passed(state),
        checked=steering.is_checked(state),
        findings=[line_of(one) for one in blocking(steering.findings(state))],
        research=[
            {"question": one["question"], "answer": one["answer"]} for one in state.get("research", [])
        ],
        advice=state.get("advice", ""),
        handoffs=[
            {"number": one["number"], "to": one["to"], "brief": one["brief"]}
            for one in steering.handed_over(state)
        ],
        results=[
            {"number": one["number"], "by": one["worker"], "ended": one["ended"], "summary": one["summary"]}
            for one in state.get("results", [])
        ],
        notices=state.get("notices", []),
        handoffs_left=context.max_handoffs - len(steering.handed_over(state)),
    )
