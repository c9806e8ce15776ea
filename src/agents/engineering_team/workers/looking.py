"""What reviewer and auditor have in common: the files they look at, the report they end with, what counts of it."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired

from langchain.agents import create_agent
from langchain.agents.structured_output import ToolStrategy
from langchain.tools import ToolRuntime, tool
from langchain_core.tools import BaseTool
from langgraph.pregel import Pregel
from pydantic import Field
from typing_extensions import TypedDict

from agents.engineering_team.checks.finding import Area, Finding, Severity
from agents.engineering_team.context import WORKER_RECURSION_LIMIT, Context
from agents.engineering_team.prompts import Task
from agents.engineering_team.rules import answer as written_rules
from agents.engineering_team.state import Build, Files
from agents.engineering_team.workers.framing import around
from agents.shared.models.agent import Accounted
from agents.shared.offline import OfflineChatModel

LONGEST_MESSAGE, MOST = 400, 12


class Objection(TypedDict):
    """One finding of the worker's own."""

    line: Annotated[int, Field(ge=0, description="The line of solution.py; 0 for the whole")]
    severity: Severity
    message: Annotated[
        str, Field(min_length=1, max_length=LONGEST_MESSAGE, description="What is wrong, what to do")
    ]


class Report(TypedDict):
    """Ends the look: what was found beyond what the tools said."""

    summary: Annotated[str, Field(min_length=1, max_length=1_000, description="Two sentences at most")]
    findings: Annotated[list[Objection], Field(max_length=MOST, description="None is a good answer, too")]


class LookingState(Accounted):
    """The agent's state, and what its tools may read. `before` are the files as they were reviewed last,
    `given` those that the caller sent."""

    files: NotRequired[Files]
    before: NotRequired[Files]
    given: NotRequired[Files]
    build: NotRequired[Build]


Runtime = ToolRuntime[Context, LookingState]


@tool
async def read_file(path: Literal["solution.py", "test_solution.py"], runtime: Runtime) -> str:
    """Read a file of the work item, with its lines numbered."""
    text = runtime.state.get("files", {}).get(path)
    if text is None:
        return f"There is no {path}."
    return "\n".join(f"{number:4} {line}" for number, line in enumerate(text.splitlines(), 1))


def looker(name: str, task: Task, tools: list[BaseTool], who: Any) -> Pregel[Any, Any, Any, Any]:
    """The agent: `name` is for the usage and the drawing, `who(context)` its prompt."""
    return create_agent(
        OfflineChatModel(rules=written_rules),
        tools,
        middleware=around(task, name, who),
        response_format=ToolStrategy(Report, tool_message_content="Noted."),
        state_schema=LookingState,
        context_schema=Context,
        name=name,
    ).with_config(recursion_limit=WORKER_RECURSION_LIMIT)


def said(ended: Mapping[str, Any], area: Area, files: Files) -> list[Finding]:
    """The model's own findings; a line that is not there is the whole."""
    lines = len(files.get("solution.py", "").splitlines())
    report = ended.get("structured_response") or {"findings": []}
    return [
        Finding(
            area=area,
            rule="opinion",
            line=one["line"] if one["line"] <= lines else 0,
            severity=one["severity"],
            message=" ".join(one["message"].split()),
            by="model",
        )
        for one in report["findings"]
    ]
