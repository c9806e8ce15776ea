"""Quality, a team within the team: a lead who decides whether the reviewer or the auditor looks next, and both.

They report on the very files that they were given. What can be read off the code counts whatever the models say: they
may add to it, and take nothing away.
"""

import operator
from typing import Annotated, Any, Literal, NotRequired

from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command
from typing_extensions import TypedDict

from agents.engineering_team import asking, prompts, tools, vouching
from agents.engineering_team.checks.finding import Finding, blocking, counted, joined
from agents.engineering_team.context import WORKER_RECURSION_LIMIT, Context
from agents.engineering_team.ledger import LONGEST_WORDS, Handoff, Result, append, digest
from agents.engineering_team.state import Build, Check, Files, Update
from agents.engineering_team.workers import auditor as auditing
from agents.engineering_team.workers import looking
from agents.engineering_team.workers import reviewer as reviewing
from agents.engineering_team.workers.apart import apart
from agents.shared.limits import Usage, add_usage

Looker = Literal["reviewer", "auditor"]


class QualityState(TypedDict):
    """What quality works on. `number` is that of the hand-off to it, `before` the files as they were reviewed last."""

    task: str
    brief: str
    number: int
    files: Files
    before: NotRequired[Files]
    given: NotRequired[Files]
    build: Build
    review: NotRequired[Check | None]
    audit: NotRequired[Check | None]
    handoffs: Annotated[list[Handoff], append]
    results: Annotated[list[Result], append]
    usage: Annotated[Usage, add_usage]
    degraded: Annotated[list[str], operator.add]


def missing(state: QualityState) -> list[Looker]:
    """Who has not reported yet."""
    reports: dict[Looker, Any] = {"reviewer": state.get("review"), "auditor": state.get("audit")}
    return [name for name, report in reports.items() if report is None]


async def lead(
    state: QualityState, runtime: Runtime[Context]
) -> Command[Literal["reviewer", "auditor", "__end__"]]:
    """Decide who looks next. Both have to, once: a decision for somebody else is followed by the one who is missing."""
    left = missing(state)
    if not left:
        return Command(goto="__end__")
    asker = asking.Asker("lead", Context.of(runtime).lead_prompt, "quality_lead")
    message = prompts.facts(
        brief=state["brief"],
        files={name: len(text.splitlines()) for name, text in state["files"].items()},
        tests=state["build"]["summary"],
        missing=left,
        reports=[{"by": one["worker"], "summary": one["summary"]} for one in state["results"]],
    )
    decision, update = await asking.decided(asker, message, asking.Check, runtime)
    to: Looker = left[0]
    if decision.route != "done" and decision.route in left:
        to = decision.route
    handoff = Handoff(
        number=state["number"],
        by="lead" if to == decision.route else "rule",
        to=to,
        reason=decision.reason if to == decision.route else f"the {to} has not looked yet",
        brief=decision.brief.strip() or state["brief"],
        seen=digest(state["files"]),
    )
    update = {**update, "handoffs": [handoff]}
    return (
        Command(goto="reviewer", update=update)
        if to == "reviewer"
        else Command(goto="auditor", update=update)
    )


async def reviewer(state: QualityState, runtime: Runtime[Context]) -> Update:
    """The reviewer looks: at the task and the change. Raises DatabaseUnavailable where its report can't be noted."""
    brief = state["handoffs"][-1]["brief"]
    sent: Any = {
        "messages": [prompts.facts(task=state["task"], brief=brief, tests=state["build"]["summary"])],
        "files": state["files"],
        "before": state.get("before", {}),
        "given": state.get("given", {}),
        "build": state["build"],
    }
    ended = await apart(reviewing.graph).ainvoke(sent)
    found = await tools.style_of(state["files"], state["build"], state.get("given", {}))
    check = _check(state, ended, joined(found, looking.said(ended, "style", state["files"])))
    await vouching.note(vouching.by_looker("reviewer", check, state), runtime)
    return {"review": check} | _came(state, "reviewer", ended, found)


async def auditor(state: QualityState, runtime: Runtime[Context]) -> Update:
    """The auditor looks: at the code, without knowing who wrote it and what for."""
    sent: Any = {
        "messages": [prompts.facts(brief=state["handoffs"][-1]["brief"], files=sorted(state["files"]))],
        "files": state["files"],
        "build": state["build"],
    }
    ended = await apart(auditing.graph).ainvoke(sent)
    found = await tools.holes_in(state["files"], state["build"])
    check = _check(state, ended, joined(found, looking.said(ended, "security", state["files"])))
    await vouching.note(vouching.by_looker("auditor", check, state), runtime)
    return {"audit": check} | _came(state, "auditor", ended, found)


def _check(state: QualityState, ended: Any, findings: list[Finding]) -> Check:
    report = ended.get("structured_response")
    summary = report["summary"].strip() if report else "No report: what was read off the code stands alone."
    return {"of": digest(state["files"]), "summary": summary, "findings": findings}


def _came(state: QualityState, worker: Looker, ended: Any, found: list[Finding]) -> Update:
    """The result for the ledger, and what it cost."""
    reported = bool(ended.get("structured_response"))
    summary = f"{counted(found)}, {len(blocking(found))} to be mended"
    result = Result(
        number=state["number"],
        worker=worker,
        ended="done" if reported else "nothing",
        summary=(summary if reported else f"no report; {summary}")[:LONGEST_WORDS],
        what=digest(state["files"], found),
    )
    degraded = [*ended.get("degraded", []), *([] if reported else [f"{worker}: ended without a report"])]
    return {"results": [result], "usage": ended.get("usage", {}), "degraded": degraded}


builder: StateGraph[Any, Any, Any, Any] = StateGraph(QualityState, context_schema=Context)

builder.add_node("lead", lead)
builder.add_node("reviewer", reviewer)
builder.add_node("auditor", auditor)

builder.add_edge(START, "lead")
builder.add_edge("reviewer", "lead")
builder.add_edge("auditor", "lead")

graph = builder.compile(name="quality").with_config(recursion_limit=WORKER_RECURSION_LIMIT)
