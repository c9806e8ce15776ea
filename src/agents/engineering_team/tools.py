"""What the team does to the world: code is run behind walls, what is delivered is kept once."""

import asyncio
from typing import Any, Literal

from psycopg.types.json import Jsonb
from typing_extensions import TypedDict

from agents.engineering_team.checks import security, style
from agents.engineering_team.checks.finding import Finding
from agents.engineering_team.context import Context
from agents.engineering_team.ledger import digest
from agents.engineering_team.state import Build, Files, State, Update
from agents.engineering_team.steering import SOLUTION, TESTS
from agents.shared.database import connection
from agents.shared.failures import Failure
from agents.shared.queries import load
from agents.shared.resilience import breaker, retrying
from agents.shared.sandbox import runner
from agents.shared.sandbox.verdicts import log_of
from agents.shared.shop.text import storable

_SQL = load(__file__)
_KEEP, _KEPT = _SQL["keep_deliverable"], _SQL["kept_deliverable"]
UNREAD = ("syntax", "crashed", "unprotected", "memory")
"""Verdicts after which code is not read in this process: an interpreter fell over it, or never saw it."""


class Kept(TypedDict):
    """A deliverable as it is kept."""

    files: Files
    status: Literal["delivered", "accepted"]


async def tried(files: Files, context: Context) -> Build:
    """Run the tests of the files, in a process behind walls."""
    verdict = await runner.run(files.get(SOLUTION, ""), files.get(TESTS, ""), context.limits())
    return {
        "of": digest(files),
        "kind": verdict["kind"],
        "summary": verdict["summary"],
        "passed": verdict["passed"],
        "total": verdict["total"],
        "log": log_of(verdict),
    }


def unwalled(node: str, build: Build | None) -> Update:
    """A machine without walls runs nothing: that is for operators, and no worker can help."""
    if build is None or build["kind"] != "unprotected":
        return {}
    return {"failures": [Failure(node=node, reason=build["summary"])]}


async def style_of(files: Files, build: Build, given: Files) -> list[Finding]:
    """What can be read off the files for the reviewer. Tests that the caller gave are not objected to."""
    if unread := _unread("style", build):
        return unread
    tests = "" if given.get(TESTS) else files.get(TESTS, "")
    return await asyncio.to_thread(style.look, files.get(SOLUTION, ""), tests)


async def holes_in(files: Files, build: Build) -> list[Finding]:
    """What can be read off the solution for the auditor."""
    return _unread("security", build) or await asyncio.to_thread(security.scan, files.get(SOLUTION, ""))


def _unread(area: Any, build: Build) -> list[Finding]:
    if build["kind"] not in UNREAD:
        return []
    message = f"the code was not looked at, since it could not be run: {build['summary']}"
    return [Finding(area=area, rule="unreadable", line=0, severity="high", message=message, by="check")]


async def keep(
    state: State,
    build: Build,
    findings: list[Finding],
    *,
    tenant: str,
    thread_id: str,
    accepted_by: str | None,
) -> Files:
    """Keep the deliverable of the thread's current task, once; the files that are kept, now or the first time.

    With `accepted_by` it is kept as accepted by that person, else as delivered.
    """
    row = {
        "key": _key(state, thread_id),
        "tenant": tenant,
        "thread_id": thread_id,
        "task": storable(state.get("task", "")) or "(no words)",
        "files": Jsonb({name: storable(text) for name, text in state.get("files", {}).items()}),
        "status": "accepted" if accepted_by else "delivered",
        "passed": build["passed"],
        "total": build["total"],
        "findings": Jsonb([{**one, "message": storable(one["message"])} for one in findings]),
        "handoffs": len(state.get("handoffs", [])),
        "accepted_by": accepted_by,
    }
    async with breaker("workshop"), connection() as conn:
        await conn.execute(_KEEP, row)
        kept = await (await conn.execute(_KEPT, row)).fetchone()
    if kept is None:
        raise RuntimeError("workshop.deliverables refused a row and holds none")
    return kept["files"]


async def kept(state: State, thread_id: str) -> Kept | None:
    """What is kept for the thread's current task, if anything. Tried three times; raises DatabaseUnavailable."""
    async for attempt in retrying():
        with attempt:
            async with breaker("workshop"), connection() as conn:
                row = await (await conn.execute(_KEPT, {"key": _key(state, thread_id)})).fetchone()
            return Kept(files=row["files"], status=row["status"]) if row else None
    raise AssertionError("retrying ends with a result or an error")


def _key(state: State, thread_id: str) -> str:
    return f"deliverable:{thread_id}:{state.get('turns', 0)}"
