"""ORDER BY, LIMIT and OFFSET behind a named query, and whether there is more."""

from collections.abc import Collection, Mapping
from typing import Any, LiteralString, cast

from psycopg.rows import DictRow
from psycopg.sql import SQL, Identifier

from langgraph_runtime_community import database


async def page(
    query: LiteralString,
    params: Mapping[str, Any],
    *,
    sort_by: str,
    ascending: bool,
    key: str,
    limit: int,
    offset: int,
) -> tuple[list[DictRow], int | None]:
    """A page of the query, and the offset of the next one, None at the end. `key` makes the order total."""
    direction = SQL("ASC" if ascending else "DESC")
    order = SQL(" ORDER BY {} {} NULLS LAST, {} {} LIMIT %(limit)s OFFSET %(offset)s").format(
        Identifier(sort_by), direction, Identifier(key), direction
    )
    found = await database.fetch(part(query) + order, {**params, "limit": limit + 1, "offset": offset})
    return found[:limit], offset + limit if len(found) > limit else None


def part(query: LiteralString) -> SQL:
    """A named query as a part of a larger one."""
    return SQL(cast("LiteralString", query.rstrip().removesuffix(";")))


def sorting(
    sort_by: str | None, sort_order: str | None, allowed: Collection[str], default: str
) -> tuple[str, bool]:
    """Column and whether it ascends; an unknown column means the default, newest first."""
    if sort_by and sort_by.lower() in allowed:
        return sort_by.lower(), (sort_order or "").upper() == "ASC"
    return default, False
