"""The work of the SQL operator's graph: each function is one node and returns the keys it changes.

`execute` alone has an effect, and the graph is compiled to stop before it. A run may ask for other breakpoints; then
`execute` stops by itself. It runs what `check` has read and `preview` has tried, known by its digest: a statement that
somebody wrote into the state goes through both first.
"""

from typing import Literal

import psycopg
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Command, Overwrite

from agents.shared import stops
from agents.shared.failures import buried, failed
from agents.shared.limits import over_limit
from agents.shared.resilience import giving_up
from agents.shared.running import tenant_on, thread_id
from agents.sql_operator import asking, replies, statements, tools
from agents.sql_operator.access import CountChanged, TooSlow
from agents.sql_operator.context import Context
from agents.sql_operator.state import Checked, Problem, State, Update, one_more
from agents.sql_operator.verdict import (
    CHANGED,
    after_fault,
    back,
    by_person,
    effect_of,
    is_checked,
    may_be_done,
    passed_stop,
    question_of,
    refusal,
    replanned_enough,
    shown_of,
    still_told,
)

Ways = Literal["generate", "check", "preview", "answer", "dead_letter"]
STATEMENT_FAULTS = (psycopg.ProgrammingError, psycopg.DataError, psycopg.IntegrityError)
"""What the database says of a statement that was wrong, and not of itself."""


async def intake(state: State, runtime: Runtime[Context]) -> Update:
    """Open a question: clear what belonged to the one before, count it, check the limits of the thread."""
    thread_id(runtime)
    context, turns = Context.of(runtime), state.get("turns", 0) + 1
    reason = over_limit(
        state.get("usage", {}), turns=turns, max_turns=context.max_turns, max_cost_usd=context.max_cost_usd
    )
    said = (message.text for message in reversed(state["messages"]) if isinstance(message, HumanMessage))
    return {
        "turns": 1,
        "question": next(said, "").strip(),
        "sql": "",
        "generated": "",
        "explanation": "",
        "effect": "",
        "feedback": "",
        "reject": "",
        "checked": None,
        "shown": None,
        "asks": None,
        "problem": None,
        "attempts": {},
        "result": None,
        "decided_by": None,
        "failures": Overwrite([]),
        "degraded": Overwrite([f"limit reached: {reason}"] if reason else []),
        "outcome": "closed" if reason else None,
    }


async def generate(state: State, runtime: Runtime[Context]) -> Update:
    """A statement for the question; after feedback, or with what was wrong with the one before, a new one."""
    runtime.stream_writer({"progress": "writing the statement"})
    update = await asking.written(state, runtime)
    if state.get("feedback"):  # a person's wish starts the model's own tries anew
        attempts = one_more(state, "replan", repair=0)
    elif state.get("problem"):
        attempts = one_more(state, "repair")
    else:
        attempts = state.get("attempts", {})
    return {**update, "attempts": attempts, "feedback": "", "checked": None, "effect": ""}


async def check(state: State, runtime: Runtime[Context]) -> Update:
    """Read the statement, and write it down as it was understood; nothing else is ever run."""
    try:
        statement = statements.read(state.get("sql", ""))
    except statements.Refused as refused:
        return back(state, "check", str(refused))
    context = Context.of(runtime)
    if statement.kind == "write" and not context.allow_writes:
        return back(state, "check", "this assistant answers questions and changes nothing: write a SELECT")
    checked: Checked = {
        "sql": statement.sql,
        "digest": statement.digest,
        "kind": statement.kind,
        "tables": list(statement.tables),
        "rows": None,
        "planned": False,
    }
    update: Update = {"sql": statement.sql, "checked": checked, "effect": effect_of(checked)}
    if by_person(state):
        return {**update, "problem": None, "explanation": "Written by the person who was asked."}
    return {**update, "problem": still_told(state), "generated": statement.sql}


async def preview(state: State, runtime: Runtime[Context]) -> Update:
    """Try it without an effect: a query is planned, a write is done, counted and rolled back."""
    checked, context = state.get("checked"), Context.of(runtime)
    if checked is None:
        raise ValueError("preview needs a checked statement; `check` sets it")
    async with giving_up(runtime) as given_up:
        try:
            tenant = await tenant_on(runtime)
            rows = await tools.plan(checked, tenant=tenant, timeout_s=context.timeout_s)
        except STATEMENT_FAULTS as fault:
            return back(state, "preview", refusal(fault))
        except TooSlow as slow:
            return back(state, "preview", str(slow))
        if rows is not None and rows > context.max_changed_rows:
            limit = context.max_changed_rows
            return back(
                state, "preview", f"it would change {rows} rows, and {limit} are allowed: change fewer"
            )
        tried: Checked = {**checked, "rows": rows, "planned": True}
        return {
            "checked": tried,
            "effect": effect_of(tried),
            "problem": still_told(state),
            "shown": stops.shown(shown_of(tried)),
            "asks": stops.asks(question_of(state, tried), "execute"),
        }
    return failed("preview", given_up)


async def execute(state: State, runtime: Runtime[Context]) -> Command[Ways]:
    """Run what a person has let pass. What they wrote into the state instead is checked and shown first."""
    checked = state.get("checked")
    if state.get("reject"):
        return Command(goto="answer", update={"outcome": "rejected"})
    if state.get("feedback"):
        return Command(goto="answer" if replanned_enough(state) else "generate")
    if checked is None or not is_checked(state, Context.of(runtime)):
        return Command(goto="check")
    refused = passed_stop(state, checked)
    if refused is not None:
        return Command(goto="answer", update={"outcome": "rejected", "reject": refused})
    runtime.stream_writer({"progress": "running the statement"})
    async with giving_up(runtime) as given_up:
        try:
            return Command(goto="answer", update=await _carried_out(state, checked, runtime))
        except CountChanged as changed:
            problem: Problem = {"node": CHANGED, "error": str(changed), "sql": checked["sql"]}
            return Command(goto="preview", update={"problem": problem})
        except TooSlow as slow:
            noted: Problem = {"node": "execute", "error": str(slow), "sql": checked["sql"]}
            return Command(goto="answer", update={"outcome": "too_slow", "problem": noted})
        except STATEMENT_FAULTS as fault:
            return Command(goto=after_fault(state), update=back(state, "execute", refusal(fault)))
    return Command(goto="dead_letter", update=failed("execute", given_up))


async def _carried_out(state: State, checked: Checked, runtime: Runtime[Context]) -> Update:
    context = Context.of(runtime)
    tenant = await tenant_on(runtime)
    if checked["kind"] == "read":
        result = await tools.run_query(
            checked, tenant=tenant, timeout_s=context.timeout_s, limit=context.row_limit
        )
        return {"result": result, "outcome": "answered", "problem": None}
    result = await tools.run_write(
        state, checked, tenant=tenant, thread_id=thread_id(runtime), timeout_s=context.timeout_s
    )
    return {"result": result, "outcome": "changed", "problem": None}


async def answer(state: State) -> Update:
    """Say what came of it. No model sees the rows."""
    return {"messages": [AIMessage(replies.reply(state))], "outcome": replies.outcome(state)}


async def dead_letter(state: State, runtime: Runtime[Context]) -> Update:
    """Keep what could not be done, for operators."""
    detail = {"question": state.get("question", ""), "sql": state.get("sql", "")}
    checked, request = state.get("checked"), str(state.get("turns", 0))
    if checked is not None and may_be_done(state):  # in desk.writes under this key, or not
        detail["key"] = tools.write_key(state, checked, thread_id(runtime))
    kept = await buried(
        runtime, state.get("failures", []), graph="sql_operator", request=request, detail=detail
    )
    return {**kept, "outcome": "unavailable"}
