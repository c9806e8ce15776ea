"""A finding: where, what, how bad, and who says so."""

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from typing_extensions import TypedDict

Severity: TypeAlias = Literal["high", "medium", "low"]
Area: TypeAlias = Literal["style", "security"]
_ORDER = {"high": 0, "medium": 1, "low": 2}


class Finding(TypedDict):
    """`line` counts from 1 in solution.py, 0 for the whole; `by` is "check" for what was read off the code, "model" for
    what the worker's model says."""

    area: Area
    rule: str
    line: int
    severity: Severity
    message: str
    by: Literal["check", "model"]


def blocking(findings: Iterable[Finding]) -> list[Finding]:
    """Those that have to be mended, or taken over by a person, before the work is delivered."""
    return [finding for finding in findings if finding["severity"] != "low"]


def joined(checked: Sequence[Finding], said: Sequence[Finding]) -> list[Finding]:
    """Both, worst first. A model may add to what was read off the code and take nothing away; what it says about a
    line that has a finding of that area already adds nothing."""
    lines = {finding["line"] for finding in checked}
    added = {(one["line"], one["message"]): one for one in said if one["line"] not in lines}
    return sorted(
        [*checked, *added.values()], key=lambda one: (_ORDER[one["severity"]], one["line"], one["rule"])
    )


def counted(findings: Sequence[Finding]) -> str:
    """How many, in words."""
    return f"{len(findings) or 'no'} {'finding' if len(findings) == 1 else 'findings'}"


def line_of(finding: Finding) -> str:
    """As a person and a model read it."""
    place = f"line {finding['line']}: " if finding["line"] else ""
    return f"{finding['severity']} {finding['area']}: {place}{finding['message']} ({finding['rule']})"
