"""How the rules review and audit: they read what the tools say, and have no opinion beyond it."""

from agents.engineering_team.rules.reading import said, steps
from agents.shared.offline import Reply, Request


def review(request: Request) -> Reply:
    """Read the change and its style, then report."""
    return _look(request, ("read_diff", {}), ("check_style", {}))


def audit(request: Request) -> Reply:
    """Read the code and look for holes, then report."""
    return _look(request, ("read_file", {"path": "solution.py"}), ("scan", {}))


def _look(request: Request, *calls: tuple[str, dict[str, str]]) -> Reply:
    if steps(request) == 0 and {name for name, _ in calls} <= set(request.tools):
        return Reply(tool_calls=calls)
    lines = said(request)[-1][1].splitlines() if said(request) else []
    found = [line for line in lines if not line.startswith("Nothing")]
    summary = f"{len(found)} findings by what can be read off the code." if found else "Nothing was found."
    return Reply(tool_calls=(("Report", {"summary": summary, "findings": []}),))
