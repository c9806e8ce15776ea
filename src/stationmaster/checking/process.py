"""`python -m stationmaster.checking.process`: the check in a process of its own, for importing graphs runs their code.

A JSON object comes on stdin: `config`, `retention_days`, and `against` (`url`, `key`) or null. One goes to stdout.
What the project prints while it is imported goes to stderr.
"""

import asyncio
import gc
import json
import os
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stationmaster.checking.against.comparing import Compared, compare
from stationmaster.checking.audit import Report, audit
from stationmaster.checking.finding import Finding
from stationmaster.errors import StationmasterError
from stationmaster.server.stock import read_project


def answered(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The whole check, as JSON."""
    report, whole = audit(read_project(Path(asked["config"])), asked["retention_days"])
    deployment = asked.get("against")
    if deployment is None:
        return report_json(report)
    try:
        compared = asyncio.run(compare(whole, deployment["url"], deployment["key"]))
    except StationmasterError as error:
        return {**report_json(report), "problem": {"said": str(error), "exit_code": error.exit_code}}
    return {**report_json(report), "against": compared_json(compared)}


def report_json(report: Report) -> dict[str, Any]:
    """Graphs, findings, exceptions with their reasons, and notes."""
    return {
        "graphs": report.graphs,
        "findings": [_finding(each) for each in report.findings],
        "exceptions": [{**_finding(each), "reason": each.excused} for each in report.excused],
        "notes": report.notes,
    }


def compared_json(compared: Compared) -> dict[str, Any]:
    """How many threads wait, and what of them breaks: a row for each thread and reason."""
    broken = [
        {
            "reason": each.reason.name, "graph": each.graph, "node": each.node, "said": each.said,
            "why": each.reason.why, "write": each.reason.write, "thread_id": each.thread_id,
            "assistant_id": each.assistant_id, "interrupts": list(each.interrupts),
        }
        for each in compared.breaks
    ]  # fmt: skip
    return {"url": compared.url, "threads": compared.threads, "broken": broken, "notes": compared.notes}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule, "graph": finding.graph or None, "file": str(finding.place.file),
        "line": finding.place.line, "said": finding.said, "why": finding.why, "write": finding.write,
    }  # fmt: skip


def main() -> None:
    """Answer once."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    gc.disable()  # much is made, and nearly all of it is kept to the end
    sys.setrecursionlimit(20_000)  # source is walked as deep as it is nested
    asked = json.loads(sys.stdin.read())
    with out:
        json.dump(answered(asked), out)
        out.flush()
        os._exit(0)  # threads that a project started at its import shall not hold the answer back


if __name__ == "__main__":
    main()
