"""What came of running code: judged from what the jail told until it ended, and from how it ended."""

import json
import signal
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from typing_extensions import TypedDict

Kind: TypeAlias = Literal[
    "passed",
    "failed",
    "syntax",
    "no_tests",
    "time",
    "cpu",
    "memory",
    "disk",
    "blocked",
    "crashed",
    "unprotected",
]
LONGEST_LOG = 4_000
"""Characters of a log that are kept."""


class Failed(TypedDict):
    """A test that failed: its name, the kind of the error, and where it happened."""

    test: str
    kind: str
    error: str


class Verdict(TypedDict):
    """`total` counts the tests that were found, `attempts` what was tried at the walls; `seconds` is wall time."""

    kind: Kind
    summary: str
    passed: int
    total: int
    failures: list[Failed]
    attempts: list[str]
    output: str
    seconds: float
    walls: list[str]


@dataclass
class Ending:
    """How the process ended: by itself with a code, by a signal (a negative code), or because its time was up."""

    code: int
    seconds: float
    out_of_time: bool = False
    too_large: bool = False
    cpu_s: float = 0.0
    output: str = ""


@dataclass
class Told:
    """The jail's events, summed; lines without the nonce are the code's own and are not believed."""

    walls: list[str] = field(default_factory=list)
    unprotected: str | None = None
    syntax: str | None = None
    names: list[str] = field(default_factory=list)
    passed: set[str] = field(default_factory=set)
    failures: list[Failed] = field(default_factory=list)
    attempts: list[str] = field(default_factory=list)
    current: str | None = None
    ended: bool = False


def read(lines: Iterable[str], nonce: str) -> Told:
    """What the jail told."""
    told = Told()
    for line in lines:
        try:
            event = json.loads(line)
        except ValueError:
            continue  # cut off in the middle, or not the jail's
        if isinstance(event, dict) and event.get("nonce") == nonce:
            _take(told, event)
    return told


def _take(told: Told, event: dict[str, Any]) -> None:
    match event.get("event"):
        case "walls":
            told.walls = [str(wall) for wall in event["walls"]]
        case "unprotected":
            told.unprotected = str(event["reason"])
        case "syntax":
            told.syntax = f"{event['file']}: {event['error']}"
        case "collected":
            told.names = [str(name) for name in event["names"]]
        case "test":
            told.current = str(event["name"])
        case "passed":
            told.passed.add(str(event["name"]))
        case "failed":
            told.failures.append(
                {"test": str(event["name"]), "kind": str(event["kind"]), "error": str(event["error"])}
            )
        case "attempt":
            told.attempts.append(str(event["what"]))
        case "end":
            told.ended = True
        case _:
            pass


def judge(told: Told, ending: Ending, *, cpu_limit_s: int, time_limit_s: float) -> Verdict:
    """One verdict, with one line that says it."""
    passed = sum(name in told.passed for name in told.names)
    total = max(len(told.names), len(told.failures))
    kind, summary = _kind(told, ending, cpu_limit_s, time_limit_s, passed, total)
    return {
        "kind": kind,
        "summary": summary,
        "passed": passed,
        "total": total,
        "failures": told.failures,
        "attempts": told.attempts,
        "output": ending.output,
        "seconds": round(ending.seconds, 3),
        "walls": told.walls,
    }


def _kind(
    told: Told, ending: Ending, cpu_limit_s: int, time_limit_s: float, passed: int, total: int
) -> tuple[Kind, str]:
    place = f" in {told.current}" if told.current else ""
    if told.unprotected is not None:
        return "unprotected", f"nothing was run: this machine can't wall it in ({told.unprotected})"
    if ending.out_of_time:
        return "time", f"ended after {time_limit_s:g} s{place}: it waits, or loops, for too long"
    if ending.too_large or any("[Errno 28]" in failure["error"] for failure in told.failures):
        return "disk", f"wrote more than there is room for{place}"
    if told.syntax is not None:
        return "syntax", f"can't be read as Python: {told.syntax}"
    if ending.code == -signal.SIGXCPU or (
        ending.code == -signal.SIGKILL and ending.cpu_s >= cpu_limit_s - 0.5
    ):
        return "cpu", f"ended after {cpu_limit_s} s of computing{place}: it loops for too long"
    if any(failure["kind"] == "MemoryError" for failure in told.failures) or (
        not told.ended and "MemoryError" in ending.output
    ):
        return "memory", f"asked for more memory than is allowed{place if not told.ended else ''}"
    if not told.ended and not told.failures:
        return "crashed", f"the process ended by itself{place} ({_ended(ending.code)})"
    return _of_tests(told, passed, total)


def _of_tests(told: Told, passed: int, total: int) -> tuple[Kind, str]:
    if told.failures:
        refused = next((failure for failure in told.failures if _refused(failure)), None)
        if refused:
            return (
                "blocked",
                f"tried what is not allowed here: {', '.join(told.attempts) or refused['error'].splitlines()[-1]}",
            )
        return "failed", f"{total - passed} of {total} tests failed"
    if not told.names:
        return "no_tests", "there is no test: write functions whose names start with test"
    if passed < total:
        return "crashed", f"{total - passed} of {total} tests did not report back"
    return "passed", f"all {total} tests passed"


def _refused(failure: Failed) -> bool:
    """EPERM or EACCES, however it is wrapped."""
    return any(mark in failure["error"] for mark in ("PermissionError", "[Errno 1]", "[Errno 13]"))


def _ended(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def log_of(verdict: Verdict) -> str:
    """The verdict as a model and a person read it."""
    lines = [f"{verdict['kind']}: {verdict['summary']}"]
    lines += [f"{failure['test']}\n  {failure['error']}" for failure in verdict["failures"]]
    if verdict["attempts"] and verdict["kind"] != "blocked":
        lines.append(f"tried: {', '.join(verdict['attempts'])}")
    if verdict["output"].strip():
        lines.append(f"printed:\n{verdict['output'].strip()}")
    return "\n".join(lines)[:LONGEST_LOG]
