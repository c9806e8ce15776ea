"""The security auditor: an agent that looks for holes. It is shown its brief alone, and reads the code by its tools."""

from langchain.tools import tool

from agents.engineering_team import tools
from agents.engineering_team.checks.finding import line_of
from agents.engineering_team.workers.looking import Runtime, looker, read_file


@tool
async def scan(runtime: Runtime) -> str:
    """Read off solution.py what an attacker could use: comparisons of signatures that leak by their time, code from
    text, shells, unsafe loading, SQL from text, secrets in code, weak randomness; by line."""
    build = runtime.state.get("build")
    found = await tools.holes_in(runtime.state.get("files", {}), build) if build else []
    return "\n".join(map(line_of, found)) or "Nothing was found."


graph = looker("auditor", "audit", [read_file, scan], lambda context: context.auditor_prompt)
