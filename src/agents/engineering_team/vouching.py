"""Whether a report was made: what a worker says is noted here, beside the state, when it says it.

State is written by callers, too (`update_state`, `Command(update=...)`), and a digest of files is no secret. A report
counts only if this table says that a worker of this team made it, on this thread, about this very work.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from langgraph.runtime import Runtime
from langgraph.types import Overwrite
from psycopg.sql import SQL

from agents.engineering_team.ledger import digest
from agents.engineering_team.state import Build, Check, Files, Research, State, Update
from agents.shared.database import DatabaseUnavailable, connection
from agents.shared.failures import degraded
from agents.shared.queries import load
from agents.shared.resilience import breaker, giving_up, retrying
from agents.shared.running import thread_id

Worker: TypeAlias = Literal["researcher", "tests", "reviewer", "auditor"]
_QUERIES = load(__file__)
_NOTE, _NOTED, _REVIEWED = (_QUERIES[name] for name in ("note_report", "noted_reports", "was_reviewed"))
_KEYS = {"tests": "build", "reviewer": "review", "auditor": "audit"}


class Made(NamedTuple):
    """Who made which report about what, the last two by digest."""

    worker: Worker
    about: str
    report: str


def by_tests(build: Build) -> Made:
    """What the tests said of the files."""
    return Made("tests", build["of"], digest(build))


def by_looker(worker: Literal["reviewer", "auditor"], check: Check, work: Mapping[str, Any]) -> Made:
    """What one of quality said of `work`: its task, its files, and those that the caller gave."""
    return Made(worker, _about(work, work.get("files", {})), digest(check))


def by_researcher(found: Research) -> Made:
    """What was looked up for a question."""
    return Made("researcher", digest(found["question"]), digest(found))


async def note(made: Made, runtime: Runtime[Any]) -> None:
    """Note a report, once. Tried three times; raises DatabaseUnavailable, or BreakerOpen."""
    async for attempt in retrying():
        with attempt:
            async with breaker("workshop"), connection() as conn:
                await conn.execute(_NOTE, {"thread_id": thread_id(runtime), **made._asdict()})


async def was_reviewed(state: State, files: Files, runtime: Runtime[Any]) -> bool:
    """Whether the reviewer has looked at these files for the task; tried and raises as `note`."""
    values = {"thread_id": thread_id(runtime), "about": _about(state, files)}
    return bool(await _rows(_REVIEWED, values))


async def vouched(state: State, runtime: Runtime[Any]) -> tuple[State, Update]:
    """The state without reports that nobody made here about these files, and what that changes in it.

    Reports about other files count for nothing anywhere, and are left as they are. Tried and raises as `note`.
    """
    claims = _claims(state)
    if not claims:
        return state, {}
    values = {"thread_id": thread_id(runtime), "reports": [one.report for one in claims]}
    rows = await _rows(_NOTED, values)
    made = {Made(row["worker"], row["about"], row["report"]) for row in rows}
    return _without(state, [one for one in claims if one not in made])


async def sifted(state: State, runtime: Runtime[Any]) -> tuple[State, Update]:
    """The same where nothing rests on it but words: while the database is away no report counts, which is noted."""
    async with giving_up(runtime, tried_enough=(DatabaseUnavailable,)) as given_up:
        return await vouched(state, runtime)
    left, update = _without(state, _claims(state))
    return left, {**update, **degraded("reports", given_up)}


def _claims(state: State) -> list[Made]:
    """The reports that the state holds about its very files, and all research."""
    of, claims = digest(state.get("files", {})), [by_researcher(one) for one in state.get("research", [])]
    build, review, audit = state.get("build"), state.get("review"), state.get("audit")
    if build and build["of"] == of:
        claims.append(by_tests(build))
    if review and review["of"] == of:
        claims.append(by_looker("reviewer", review, state))
    if audit and audit["of"] == of:
        claims.append(by_looker("auditor", audit, state))
    return claims


def _without(state: State, forged: list[Made]) -> tuple[State, Update]:
    if not forged:
        return state, {}
    names = sorted({one.worker for one in forged})
    gone: Update = {_KEYS[name]: None for name in names if name in _KEYS}
    research = [one for one in state.get("research", []) if by_researcher(one) not in forged]
    left: Any = {**state, **gone, "research": research, "left_out": sorted(gone)}
    update = {
        **gone, "left_out": sorted(gone),
        "degraded": [f"{name}: a report that was not made here about this work is left out" for name in names],
    }  # fmt: skip
    return cast("State", left), update | ({"research": Overwrite(research)} if "researcher" in names else {})


def _about(work: Mapping[str, Any], files: Files) -> str:
    return digest(work.get("task", ""), work.get("given", {}), files)


async def _rows(query: SQL, values: Mapping[str, Any]) -> list[Any]:
    async for attempt in retrying():
        with attempt:
            async with breaker("workshop"), connection() as conn:
                return await (await conn.execute(query, values)).fetchall()
    raise AssertionError("retrying ends with a result or an error")
