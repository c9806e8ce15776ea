"""Pure decisions about a statement that can't be used, and what a person is told of one that can."""

from hashlib import sha256
from typing import Literal

import psycopg

from agents.shared import stops
from agents.sql_operator import statements
from agents.sql_operator.context import MAX_REPAIRS, MAX_REPLANS, Context
from agents.sql_operator.state import Checked, Problem, State, Update, count

EDIT, CHANGED = "edit", "changed"
"""What a problem is about besides a node: a person's statement, and rows that became more or fewer meanwhile."""


def back(state: State, node: str, error: str) -> Update:
    """What follows from a statement that can't be used.

    The model's own is written anew by the model. A person's is not: what was checked before stands again, and the
    problem, noted as of the edit, says why the edit does not.
    """
    sql = state.get("sql", "")
    if by_person(state) and (earlier := state.get("generated", "")):
        return {"sql": earlier, "problem": Problem(node=EDIT, error=error, sql=sql), "checked": None}
    return {"problem": Problem(node=node, error=error, sql=sql), "checked": None}


def is_checked(state: State, context: Context) -> bool:
    """Whether the statement in state is the one that was read and tried, and is still allowed. It is read once more:
    whoever may write into the state could have written the marks of the check as well."""
    checked, sql = state.get("checked"), state.get("sql", "")
    if checked is None or not checked["planned"] or (checked["rows"] or 0) > context.max_changed_rows:
        return False
    if checked["kind"] == "write" and not context.allow_writes:
        return False
    try:
        statement = statements.read(sql)
    except statements.Refused:
        return False
    return statement.sql == sql == checked["sql"] and statement.kind == checked["kind"]


def passed_stop(state: State, checked: Checked) -> str | None:
    """Return when a person could look at the statement: None if it may run, or why it may not. Else wait for one."""
    note, steps, question = state.get("shown"), state.get("remaining_steps"), question_of(state, checked)
    rejected = stops.passed(note, shown_of(checked), remaining_steps=steps, question=question)
    return rejected.reason if rejected else None


def question_of(state: State, checked: Checked) -> stops.Question:
    """What a person is asked about a statement, at the breakpoint as without it."""
    return {
        "title": f"Run this statement? It {effect_of(checked)}.",
        "text": state.get("explanation", ""),
        "details": {"question": state.get("question", ""), "sql": checked["sql"]},
    }


def shown_of(checked: Checked) -> str:
    """Names what a person looks at: the statement, and how many rows it changes."""
    return sha256(f"{checked['rows']} {checked['sql']}".encode()).hexdigest()


def may_be_done(state: State) -> bool:
    """Whether a write that could not be finished may have been done all the same: its commit may have been the last
    thing that the database heard, at this try or at one before it.
    """
    checked, failures = state.get("checked"), state.get("failures", [])
    return bool(checked and checked["kind"] == "write" and any(one["node"] == "execute" for one in failures))


def still_told(state: State) -> Problem | None:
    """The problem that stays with a statement that is good: why it is not the one that a person wanted."""
    problem = state.get("problem")
    return problem if problem and problem["node"] in (EDIT, CHANGED) else None


def by_person(state: State) -> bool:
    """Whether the statement is another one than the generator wrote."""
    return bool(state.get("sql")) and state.get("sql") != state.get("generated", "")


def replanned_enough(state: State) -> bool:
    """Whether a person has sent it back as often as is of use."""
    return count(state, "replan") >= MAX_REPLANS


def repaired_enough(state: State) -> bool:
    """Whether the model has had its tries since somebody last said what they want."""
    return count(state, "repair") >= MAX_REPAIRS


def after_fault(state: State) -> Literal["check", "generate", "answer"]:
    """Where a statement goes that failed as it ran: a person's is taken back, the model's is written anew."""
    if by_person(state) and state.get("generated"):
        return "check"
    return "answer" if repaired_enough(state) else "generate"


def effect_of(checked: Checked) -> str:
    """One line for whoever decides: what going on will do."""
    tables = ", ".join(checked["tables"]) or "no table"
    if checked["kind"] == "read":
        return f"reads {tables}; changes nothing"
    rows = checked["rows"]
    if rows is None:
        return f"changes {tables}"
    return f"changes {rows} {'row' if rows == 1 else 'rows'} (reads or writes {tables}); another count is rolled back"


def refusal(fault: psycopg.Error) -> str:
    """What the database says, in one line, without what it says to its owner."""
    said = fault.diag.message_primary or str(fault).partition("\n")[0]
    hint = f" ({fault.diag.message_hint})" if fault.diag.message_hint else ""
    return f"the database refuses it: {said}{hint}"
