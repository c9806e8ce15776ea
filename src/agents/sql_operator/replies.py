"""What the person is told: written from state, never by a model."""

from typing import Any

from agents.shared.plain import plain
from agents.sql_operator.access.sessions import LONGEST_CELL
from agents.sql_operator.state import Outcome, Result, State
from agents.sql_operator.verdict import may_be_done

SHOWN = 20
"""Rows that the reply shows; state holds all that were fetched."""


def outcome(state: State) -> Outcome:
    """How the question ended, where no node has said it yet."""
    known = state.get("outcome")
    if known:
        return known
    if state.get("reject"):
        return "rejected"
    if state.get("feedback"):
        return "gave_up"
    if state.get("problem"):
        return "refused"
    return "gave_up" if state.get("sql") else "cannot"


def reply(state: State) -> str:
    """One text for every way in which a question ends."""
    result, problem = state.get("result"), state.get("problem")
    match outcome(state):
        case "answered" if result:
            return "\n\n".join(filter(None, [state.get("explanation", ""), table(result)]))
        case "changed" if result:
            rows = f"{result['row_count']} {'row' if result['row_count'] == 1 else 'rows'}"
            again = (
                " An earlier attempt had done it already; it was not done twice."
                if result["repeated"]
                else ""
            )
            return f"Done: {rows} changed. {state.get('explanation', '')}{again}".strip()
        case "rejected":
            return f"It was not run: {state.get('reject')}"
        case "cannot":
            return state.get("explanation") or "The tables can't answer this. Please ask it in another way."
        case "refused":
            why = problem["error"] if problem else "it is not allowed"
            return f"I can't run this: {why}."
        case "too_slow":
            return f"It was ended: {problem['error'] if problem else 'it took too long'}."
        case "closed":
            return "This conversation has reached its limit. Please start a new one."
        case "unavailable" if may_be_done(state):
            return (
                "The database went away while this was carried out, and it may have been done. Please don't ask for it "
                "again before you have looked, or an operator has: they know of it."
            )
        case "unavailable":
            return "The database could not be used just now; nothing was changed. The operators know of it."
        case _:
            return "It was sent back several times, and I have no better statement. Please ask it in another way."


def table(result: Result) -> str:
    """The first rows as Markdown, and how many there are."""
    if not result["rows"]:
        return "No rows."
    lines = [_line(result["columns"]), f"| {' | '.join(['---'] * len(result['columns']))} |"]
    lines += [_line(row) for row in result["rows"][:SHOWN]]
    left = result["row_count"] - SHOWN
    if left > 0:
        lines.append(f"\n{left} more in the result.")
    if result["more"]:
        lines.append(f"\nThere are more rows than the {result['row_count']} that were fetched.")
    return "\n".join(lines)


def _line(values: list[Any]) -> str:
    return f"| {' | '.join(_cell(value) for value in values)} |"


def _cell(value: Any) -> str:
    """Rows hold what customers and colleagues wrote: nothing in them is markup where the reply is read."""
    return "" if value is None else plain(str(value), LONGEST_CELL)
