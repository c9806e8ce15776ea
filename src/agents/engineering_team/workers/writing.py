"""The coder's tools: they write the files of the work item, and run its tests behind walls."""

import ast
from typing import Annotated, Any, Literal

from langchain.tools import ToolRuntime, tool
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import Command
from pydantic import Field

from agents.engineering_team import tools
from agents.engineering_team.checks.reading import UNREADABLE
from agents.engineering_team.context import Context
from agents.engineering_team.steering import TESTS
from agents.shared.errors import PermanentError
from agents.shared.shop.text import storable

LONGEST_FILE = 20_000
Path = Annotated[
    Literal["solution.py", "test_solution.py"],
    Field(description="The work item has these two files and no others"),
]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_FILE, description="The whole file")]


class ToolRefused(PermanentError):
    """What was asked of a tool can't be; the message is for the model, and holds nothing internal."""


@tool
async def write_file(path: Path, content: Text, runtime: ToolRuntime[Context, Any]) -> Command[Any]:
    """Write a file of the work item, whole; what was in it before is gone."""
    text = unfenced(content)
    if path == TESTS:
        may_change(runtime.state.get("given", {}).get(TESTS, ""), runtime.state.get("kept_tests", ""), text)
    message = f"{path} is written: {len(text.splitlines())} lines."
    return _noted(runtime, message, files={path: text})


@tool
async def run_tests(runtime: ToolRuntime[Context, Any]) -> Command[Any]:
    """Run test_solution.py against solution.py, and return what failed. Call it by itself, after the files were
    written."""
    newest = runtime.state["messages"][-1]
    calls = newest.tool_calls if isinstance(newest, AIMessage) else []
    if any(call["name"] == write_file.name for call in calls):
        raise ToolRefused(
            "Not run: files are being written in this very step. Call run_tests in the next one."
        )
    if next((call["id"] for call in calls if call["name"] == run_tests.name), None) != runtime.tool_call_id:
        raise ToolRefused("Not run: the first call of this step runs the very same files.")
    runtime.stream_writer({"progress": "running the tests"})
    build = await tools.tried(runtime.state["files"], Context.of(runtime))
    return _noted(runtime, build["log"], build=build)


def unfenced(code: str) -> str:
    """Without the fences that models put around code."""
    lines = code.strip().splitlines()
    if len(lines) >= 2 and lines[0].startswith("```") and lines[-1].strip() == "```":
        lines = lines[1:-1]
    return storable("\n".join(lines) + "\n")


def may_change(given: str, kept: str, text: str) -> None:
    """Raises ToolRefused for tests that the caller gave, and where a test is gone or changed that passed before."""
    if given:
        raise ToolRefused("The tests are the caller's: they stay as they are. Mend solution.py.")
    now = _tests(text)
    gone = [name for name, body in _tests(kept).items() if now.get(name) != body]
    if gone:
        raise ToolRefused(
            f"Tests that passed before are kept as they are: {', '.join(gone)}. Add others beside them."
        )


def _tests(text: str) -> dict[str, str]:
    """What each function and class of a module does, by name, without its layout."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    try:
        body = ast.parse(text).body
        found = {node.name: ast.dump(node) for node in body if isinstance(node, kinds)}
    except UNREADABLE as error:
        raise ToolRefused(f"The file can't be read as Python: {str(error).partition(chr(10))[0]}") from error
    for one in (inner for node in body if not isinstance(node, kinds) for inner in ast.walk(node)):
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load):
            found[one.id] = "given another value, or none"
    return found


def _noted(runtime: ToolRuntime[Context, Any], text: str, **update: Any) -> Command[Any]:
    message = ToolMessage(text, tool_call_id=runtime.tool_call_id or "")
    return Command(update={**update, "messages": [message]})
