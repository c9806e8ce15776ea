"""Which tables a statement names: those of the catalogue, and the names that it gives itself in WITH."""

from collections.abc import Iterable

from sqlglot import exp

from agents.sql_operator.catalogue import SCHEMA, TABLES


def qualify(statement: exp.Expr) -> tuple[str, ...]:
    """Write the schema before each table of the catalogue; their names, sorted. ValueError for any other table.

    A name from WITH counts after its own query only: before it, the same name would be the database's own table.
    """
    given: set[str] = set()
    named: set[str] = set()
    with_ = statement.args.get("with_") or statement.args.get("with")
    for cte in with_.expressions if with_ else ():
        named |= _tables(cte.find_all(exp.Table), given)
        given.add(_fresh(cte.args["alias"].this))
    inside = {id(table) for table in (with_.find_all(exp.Table) if with_ else ())}
    named |= _tables((table for table in statement.find_all(exp.Table) if id(table) not in inside), given)
    return tuple(sorted(named))


def _tables(tables: Iterable[exp.Table], given: set[str]) -> set[str]:
    named: set[str] = set()
    for table in tables:
        if not isinstance(table.this, exp.Identifier):
            called = table.this.sql(dialect="postgres").lower()
            raise ValueError(f"{called} in FROM is not allowed: name a table")  # noqa: TRY004
        name, schema = _text(table.this), table.args.get("db")
        if table.args.get("catalog"):
            raise ValueError("a table with a database before its schema is not allowed")
        if schema is None and name in given:
            continue
        if name not in TABLES or (schema is not None and _text(schema) != SCHEMA):
            known = ", ".join(TABLES)
            raise ValueError(
                f"there is no table {table.sql(dialect='postgres')} to use here; there are: {known}"
            )
        table.set("db", exp.to_identifier(SCHEMA))
        named.add(name)
    return named


def _fresh(name: exp.Identifier) -> str:
    text = _text(name)
    if text in TABLES or text.startswith("pg_"):
        raise ValueError(f"WITH gives the name {text}, which is taken: choose another")
    return text


def _text(name: exp.Identifier) -> str:
    return name.this if name.quoted else name.this.lower()
