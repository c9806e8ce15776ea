"""One text in, one statement out, written anew from what was understood: only that is shown and run.

So no trick of comments, quoting or encoding can make the database read another statement than the one that was
judged. The database's own roles stand behind this and hold without it; see `agents.sql_operator.access`.
"""

import hashlib
import logging
import re
from dataclasses import dataclass
from typing import Literal

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from agents.sql_operator.catalogue import NAMES
from agents.sql_operator.statements.scope import qualify
from agents.sql_operator.statements.vocabulary import FUNCTIONS, NAMED, PARTS, QUERIES, TYPES
from agents.sql_operator.statements.writes import check_insert, check_update

DIALECT = "postgres"
LONGEST = 8_000
"""Characters; a longer statement is not what somebody asked for."""
JOINING = frozenset({"DPipe", "Concat", "ConcatWs"})
MOST_JOINED = 12
"""Joined with itself a text doubles: thirty times, and it fills the server's memory."""
SHORT = re.compile("[a-z]")
"""No word of SQL has one letter: `o.status` needs no quotes."""

# It warns of each statement that it knows as a command only, which is refused below with a better word.
logging.getLogger("sqlglot").setLevel(logging.ERROR)


class Refused(ValueError):
    """The statement may not run; the message says why, and what to write instead."""


@dataclass(frozen=True)
class Statement:
    """`sql` is canonical: reading it gives itself. `tables` are those it names, sorted, without the schema."""

    sql: str
    kind: Literal["read", "write"]
    tables: tuple[str, ...]

    @property
    def digest(self) -> str:
        """By which a statement that was checked is known again."""
        return digest(self.sql)


def digest(sql: str) -> str:
    """The SHA-256 of a statement's text."""
    return hashlib.sha256(sql.encode()).hexdigest()


def read(text: str) -> Statement:
    """The statement that a text holds. Raises Refused for anything but one query or one permitted write."""
    statement = _parsed(text)
    kind = _kind(statement)
    try:
        _check_parts(statement)
        _check_write(statement)
        tables = qualify(statement)
        _quote(statement)
        sql = statement.sql(dialect=DIALECT, comments=False)
        again = _parsed(sql)
        qualify(again)
        _quote(again)
        if again.sql(dialect=DIALECT, comments=False) != sql:
            raise Refused("the statement reads differently the second time: write it more plainly")
    except RecursionError:
        raise Refused("the statement is nested too deeply: write it more plainly") from None
    except SqlglotError as error:
        raise Refused(f"the statement can't be written out ({_first_line(error)})") from None
    except ValueError as error:
        raise error if isinstance(error, Refused) else Refused(str(error)) from None
    return Statement(sql, kind, tables)


def _parsed(text: str) -> exp.Expr:
    if "\0" in text or not text.strip():
        raise Refused("there is no statement: write one query")
    if len(text) > LONGEST:
        raise Refused(
            f"the statement has {len(text)} characters, {LONGEST} are allowed: ask for less at once"
        )
    try:
        tokens = sqlglot.tokenize(text, read=DIALECT)
        found = sqlglot.parse(text, read=DIALECT)
    except RecursionError:
        raise Refused("the statement is nested too deeply: write it more plainly") from None
    except SqlglotError as error:
        raise Refused(f"the statement can't be read as Postgres' SQL ({_first_line(error)})") from None
    if any(token.comments for token in tokens) or "/*" in _outside_quotes(tokens, text):
        raise Refused("the statement holds a comment, which would not run: leave it out")
    statements = [one for one in found if one is not None]
    if len(statements) != 1 or len(found) != 1:
        raise Refused(f"there are {len(found)} statements: write one, without a semicolon after it")
    statement = statements[0]
    if not isinstance(statement, exp.Expr):
        raise Refused("the statement is neither a query nor a permitted write")
    return statement


def _outside_quotes(tokens: list[sqlglot.Token], text: str) -> str:
    """What stands between the tokens: blanks, and comments that belong to no token, as in an empty text."""
    gaps, place = [], 0
    for token in tokens:
        gaps.append(text[place : token.start])
        place = token.end + 1
    return "".join([*gaps, text[place:]])


def _kind(statement: exp.Expr) -> Literal["read", "write"]:
    name = type(statement).__name__
    if name in QUERIES:
        return "read"
    if name in ("Update", "Insert"):
        return "write"
    raise Refused(
        f"{NAMED.get(name, name.upper())} is not allowed: write a SELECT, an UPDATE of permitted columns, or an INSERT "
        "of a purchase request"
    )


def _check_parts(statement: exp.Expr) -> None:
    joined = sum(type(part).__name__ in JOINING for part in statement.walk())
    if joined > MOST_JOINED:
        raise Refused(f"texts are joined {joined} times, {MOST_JOINED} are allowed: show them in columns")
    for part in statement.walk():
        name = type(part).__name__
        if part is not statement and name in ("Update", "Insert", "Delete", "Merge"):
            raise Refused(f"{name.upper()} inside another statement is not allowed: write it by itself")
        if name not in PARTS:
            raise Refused(f"{NAMED.get(name, _function(part, name))} is not allowed here")
        if isinstance(part, exp.Anonymous) and part.name.lower() not in FUNCTIONS:
            raise Refused(f"the function {part.name.lower()} is not allowed")
        if isinstance(part, exp.DataType) and part.this.name not in TYPES:
            raise Refused(f"a cast to {part.sql(dialect=DIALECT).lower()} is not allowed")
        if isinstance(part, exp.With) and (part.args.get("recursive") or part.parent is not statement):
            raise Refused("WITH is allowed once, at the start, and not RECURSIVE")


def _function(part: exp.Expr, name: str) -> str:
    return f"the function {part.sql_name().lower()}" if isinstance(part, exp.Func) else f"{name}"


def _check_write(statement: exp.Expr) -> None:
    if isinstance(statement, exp.Update):
        check_update(statement)
    if isinstance(statement, exp.Insert):
        check_insert(statement)


def _quote(statement: exp.Expr) -> None:
    """Case is decided here, and every name that is not the catalogue's is quoted: it can be nothing but a name."""
    for name in statement.find_all(exp.Identifier):
        text = name.this if name.quoted else name.this.lower()
        name.set("this", text)
        name.set("quoted", text not in NAMES and not SHORT.fullmatch(text))


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].strip().rstrip(".")[:200]
