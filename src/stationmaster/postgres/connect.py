"""One connection to the database, and one clear line when there is none to be had."""

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import DictRow, dict_row

from stationmaster.postgres.errors import DatabaseUnreachable

CONNECT_TIMEOUT_S = 5


UNREADABLE = (
    "DATABASE_URI can't be read: write postgresql://user:password@host:port/database, "
    "with special characters in the password percent-encoded"
)


async def connect(uri: str, *, autocommit: bool = False) -> psycopg.AsyncConnection[DictRow]:
    """A connection with rows as dicts; DatabaseUnreachable names host and port, never the password."""
    parameters = _parameters(uri)
    timeout = parameters.get("connect_timeout", CONNECT_TIMEOUT_S)
    try:
        return await psycopg.AsyncConnection[DictRow].connect(
            uri,
            autocommit=autocommit,
            row_factory=dict_row,
            connect_timeout=timeout,
            prepare_threshold=None,  # for a few statements it is not worth it, and a pooler may not know them
        )
    except psycopg.OperationalError as error:
        raise DatabaseUnreachable(_explained(parameters, error)) from None
    except psycopg.ProgrammingError:
        raise DatabaseUnreachable(UNREADABLE) from None


def _parameters(uri: str) -> dict[str, Any]:
    """The parts of the URI. An unencoded `@` or `/` in the password tears it apart: no part of that is shown."""
    try:
        parameters = conninfo_to_dict(uri)
    except psycopg.ProgrammingError:
        raise DatabaseUnreachable(UNREADABLE) from None
    if any("@" in str(parameters.get(part, "")) for part in ("host", "port", "dbname")):
        raise DatabaseUnreachable(UNREADABLE)
    if not str(parameters.get("port", "0")).replace(",", "").isdigit():
        raise DatabaseUnreachable(UNREADABLE)
    return parameters


def _explained(parameters: dict[str, Any], error: psycopg.OperationalError) -> str:
    host, port = parameters.get("host") or "localhost", parameters.get("port") or 5432
    lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    reason = next((line for line in lines if "failed: " in line), lines[0])
    reason = reason.rpartition("failed: ")[2].removeprefix("FATAL:").strip()
    if secret := parameters.get("password"):
        reason = reason.replace(str(secret), "***")
    return (
        f"no database at {host} port {port} ({reason}): start it, correct DATABASE_URI, "
        "or unset DATABASE_URI to use the embedded one"
    )
