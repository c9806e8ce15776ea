"""What the two roles may do, made from the catalogue; and what everybody loses on a server of our own."""

from collections.abc import Iterable
from typing import LiteralString, cast

from psycopg.sql import SQL, Composed, Identifier

from agents.shared.database import Connection
from agents.shared.queries import load
from agents.sql_operator.catalogue import SCHEMA, TABLES

_QUERIES = load(__file__)
READER_FUNCTIONS = ("tenant()", "enter(text)")
WRITER_FUNCTIONS = (*READER_FUNCTIONS, "written(text)", "note_write(text, text, integer)")


async def grant(conn: Connection, login: str, role: str) -> None:
    """Give a role what its login needs and nothing else of the schema."""
    for statement in statements(login, role):
        await conn.execute(statement)


def statements(login: str, role: str) -> list[Composed]:
    """The rights of a reader or a writer, as SQL; the documented script has the same."""
    to = Identifier(role)
    functions = WRITER_FUNCTIONS if login == "writer" else READER_FUNCTIONS
    # A statement that forgets its own limits meets these.
    made: list[Composed] = [
        SQL("alter role {} set default_transaction_read_only = {}").format(
            to, SQL("off" if login == "writer" else "on")
        ),
        SQL("alter role {} set statement_timeout = '30s'").format(to),
        SQL("alter role {} set idle_in_transaction_session_timeout = '60s'").format(to),
        # A backup holds no rights: after it was restored, everybody may call what these roles alone are to call.
        SQL("revoke execute on all functions in schema {} from public").format(Identifier(SCHEMA)),
        SQL("grant usage on schema {} to {}").format(Identifier(SCHEMA), to),
    ]
    made.extend(
        SQL("grant execute on function {}.{} to {}").format(
            Identifier(SCHEMA), SQL(cast("LiteralString", signature)), to
        )
        for signature in functions  # of this module, never of input
    )
    for name, table in TABLES.items():
        where = Identifier(SCHEMA, name)
        made.append(SQL("grant select on {} to {}").format(where, to))
        if login == "writer" and table.update:
            made.append(SQL("grant update ({}) on {} to {}").format(_columns(table.update), where, to))
        if login == "writer" and table.insert:
            made.append(SQL("grant insert ({}) on {} to {}").format(_columns(table.insert), where, to))
    return made


async def harden(conn: Connection, roles: Iterable[str]) -> None:
    """Take back from everybody what Postgres gives by default and no statement of ours needs; superusers keep it. And
    a limit to what the roles may spill to the disk, which a superuser alone may set."""
    row = await (await conn.execute(_QUERIES["superuser"])).fetchone()
    if row is None or not row["superuser"]:
        return
    await conn.execute(_QUERIES["harden"])
    for role in roles:
        await conn.execute(SQL("alter role {} set temp_file_limit = '256MB'").format(Identifier(role)))


def _columns(names: tuple[str, ...]) -> Composed:
    return SQL(", ").join(map(Identifier, names))
