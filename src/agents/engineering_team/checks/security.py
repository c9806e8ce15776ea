"""The auditor's eyes: all security findings of one module, by line. Reads code, runs nothing."""

from collections.abc import Callable, Iterator

from agents.engineering_team.checks import comparing, dangerous, guessing, queries, secrets_written, switches
from agents.engineering_team.checks.finding import Finding, Severity
from agents.engineering_team.checks.flowing import Flow
from agents.engineering_team.checks.following import follow
from agents.engineering_team.checks.reading import UNREADABLE, read

Hole = tuple[str, int, Severity, str]
"""Rule, line, severity, what it is and what to do."""


def scan(source: str) -> list[Finding]:
    """The findings, by line. Code that can't be read is a finding, too: nobody has looked at it then."""
    found: set[Hole]
    try:
        flow = follow(read(source))
        found = {hole for check in _CHECKS for hole in check(flow)}
    except UNREADABLE as error:
        found = {
            (
                "unreadable",
                0,
                "high",
                f"can't be read as Python, so nothing was looked for: {_first_line(error)}",
            )
        }
    return [
        Finding(area="security", rule=rule, line=line, severity=severity, message=message, by="check")
        for rule, line, severity, message in sorted(found, key=lambda hole: (hole[1], hole[0]))
    ]


def _comparisons(flow: Flow) -> Iterator[Hole]:
    for line, weight in comparing.unsafe(flow):
        what = "a signature or a secret" if weight == 2 else "a digest"
        message = f"compares {what} in a time that tells where they differ: use hmac.compare_digest"
        yield comparing.RULE, line, "high" if weight == 2 else "medium", message


_CHECKS: tuple[Callable[[Flow], Iterator[Hole]], ...] = (
    _comparisons,
    dangerous.calls,
    switches.switched,
    queries.built,
    secrets_written.literals,
    guessing.weak,
)


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0][:200]
