"""What an UPDATE or an INSERT may look like. ValueError says what is wrong with one."""

from collections.abc import Sequence

from sqlglot import exp

from agents.sql_operator.catalogue import TABLES


def check_update(update: exp.Update) -> None:
    """One table, permitted columns, and a condition."""
    table = _table(update.this, "update")
    _nothing_else(update, {"this", "expressions", "where"})
    columns = [_set(assignment) for assignment in update.expressions]
    _permitted(columns, TABLES[table].update, f"an UPDATE of {table}")
    if update.args.get("where") is None:
        raise ValueError("an UPDATE needs a WHERE that says which rows")


def check_insert(insert: exp.Insert) -> None:
    """One table, and its permitted columns by name."""
    target = insert.this
    if not isinstance(target, exp.Schema):
        raise ValueError("an INSERT needs the names of its columns in parentheses")  # noqa: TRY004
    table = _table(target.this, "insert")
    _nothing_else(insert, {"this", "expression"})
    _permitted([_word(name) for name in target.expressions], TABLES[table].insert, f"an INSERT into {table}")
    if not isinstance(insert.expression, exp.Values | exp.Select):
        raise ValueError("an INSERT needs VALUES or a SELECT")  # noqa: TRY004


def _table(target: object, way: str) -> str:
    name = target.name.lower() if isinstance(target, exp.Table) else ""
    permitted = [known for known, table in TABLES.items() if getattr(table, way)]
    if name not in permitted:
        raise ValueError(f"{way.upper()} is only allowed for {', '.join(permitted)}")
    return name


def _nothing_else(statement: exp.Expr, known: set[str]) -> None:
    """RETURNING, FROM, ON CONFLICT, WITH and whatever else there may be."""
    more = sorted(name.strip("_") for name, value in statement.args.items() if value and name not in known)
    if more:
        raise ValueError(f"{', '.join(more).upper()} is not allowed in {type(statement).__name__.upper()}")


def _set(assignment: exp.Expr) -> str:
    if not isinstance(assignment, exp.EQ) or not isinstance(assignment.this, exp.Column):
        raise ValueError("SET takes one column = value after the other")  # noqa: TRY004
    return _word(assignment.this)


def _word(name: exp.Expr) -> str:
    return name.name.lower()


def _permitted(columns: Sequence[str], permitted: Sequence[str], what: str) -> None:
    wrong = sorted(set(columns) - set(permitted))
    if wrong or not columns:
        raise ValueError(f"{what} may set {', '.join(permitted)}, and not {', '.join(wrong) or 'nothing'}")
