"""What the rules answer to a request: a statement made of the question's parts, or what they can't do."""

import json
import re

from agents.shared.offline import Reply, Request
from agents.sql_operator.rules.filters import period
from agents.sql_operator.rules.questions import question_sql
from agents.sql_operator.rules.writes import write_sql

CAN = (
    "Without a model I can count, list, sum and rank orders, refunds, customers, products and stock (by status, month, "
    "city or category; last week, this month, since a date), set a reorder level, a stock count or a lead time, and "
    "request a purchase."
)
_FEEDBACK = re.compile(r"<feedback>(.*?)</feedback>", re.DOTALL)
_PROBLEM = re.compile(r"<problem>(.*?)</problem>", re.DOTALL)
_SQL = re.compile(
    r"\s*(select|with|insert into|update \S+ set|delete from|drop|truncate|alter|create|copy|grant)\b",
    re.IGNORECASE,
)


def answer(request: Request) -> Reply:
    """A call of Statement, from the question and what a person said of the statement before."""
    asked = _asked(request.last_human)
    question, feedback = asked["question"], "".join(_FEEDBACK.findall(request.system))
    if _PROBLEM.search(request.system):  # rules write the same again: another try is of no use
        return _reply("", f"I could not write a statement that works for this. {CAN}")
    if _SQL.match(question):
        return _reply(question, "The statement as it was typed.")
    words = _words(f"{question} {feedback}")
    written = write_sql(_words(question), _words(feedback)) or question_sql(words, period(words))
    if written is None:
        return _reply("", CAN)
    sql, explanation = written
    return _reply(sql, explanation)


def _reply(sql: str, explanation: str) -> Reply:
    return Reply(tool_calls=(("Statement", {"sql": sql, "explanation": explanation}),))


def _asked(text: str) -> dict[str, str]:
    try:
        read = json.loads(text)
    except ValueError:
        read = None
    return read if isinstance(read, dict) and isinstance(read.get("question"), str) else {"question": text}


def _words(text: str) -> str:
    """Lower case, one blank between words."""
    return " ".join(text.casefold().split())
