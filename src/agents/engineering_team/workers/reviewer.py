"""The reviewer: an agent that reads the change. It is shown the task and its brief, and reads the rest by its tools."""

import difflib

from langchain.tools import tool

from agents.engineering_team import tools
from agents.engineering_team.checks.finding import line_of
from agents.engineering_team.workers.looking import Runtime, looker

NO_CHANGE = "Nothing has changed since the last review."


@tool
async def read_diff(runtime: Runtime) -> str:
    """Read what has changed since the last review, as a unified diff; the first time that is everything."""
    files, before = runtime.state.get("files", {}), runtime.state.get("before", {})
    lines: list[str] = []
    for name in sorted({*files, *before}):
        old, new = before.get(name, "").splitlines(), files.get(name, "").splitlines()
        lines += difflib.unified_diff(old, new, f"before/{name}", name, lineterm="")
    return "\n".join(lines) or NO_CHANGE


@tool
async def check_style(runtime: Runtime) -> str:
    """Read off solution.py what can be read off without knowing what it is for: broad excepts, unused names, missing
    docstrings, defaults that are made once, functions without a test."""
    build, given = runtime.state.get("build"), runtime.state.get("given", {})
    found = await tools.style_of(runtime.state.get("files", {}), build, given) if build else []
    return "\n".join(map(line_of, found)) or "Nothing was found."


graph = looker("reviewer", "review", [read_diff, check_style], lambda context: context.reviewer_prompt)
