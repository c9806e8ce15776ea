"""What the project's auth handlers say to an operation: they may refuse, change the value, or return a filter.

The server leaves all of it to the runtime. A filter is judged in SQL (`server.passes`).
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from langgraph_sdk import Auth
from starlette.exceptions import HTTPException

T = TypeVar("T")
Context = Auth.types.BaseAuthContext | None
MAX_NESTING = 2
OPERATORS = frozenset({"$eq", "$contains"})


async def ask(resource: str, action: str, value: Any, ctx: Context = None) -> dict[str, Any] | None:
    """Call the handlers; the filter that rows must pass, None for all. HTTPException if they refuse."""
    from langgraph_api.auth.custom import handle_event
    from langgraph_api.utils import get_auth_ctx

    if (ctx := ctx or get_auth_ctx()) is None:
        return None
    context = Auth.types.AuthContext(
        user=ctx.user, permissions=ctx.permissions, resource=resource, action=action  # pyright: ignore[reportArgumentType]
    )  # fmt: skip
    found = await handle_event(context, value)
    return checked(found) if found else None


def checked(filters: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """The filter, or HTTPException 500 for one whose meaning is not known: it must not let pass by mistake."""
    if depth > MAX_NESTING:
        raise _bad(f"operators are nested more than {MAX_NESTING} deep")
    for key, wanted in filters.items():
        if key in {"$or", "$and"}:
            if not isinstance(wanted, list) or len(wanted) < MAX_NESTING:
                raise _bad(f"{key} wants a list of at least 2 filters")
            for part in wanted:
                checked(part, depth + 1)
        elif key.startswith("$") or (isinstance(wanted, Mapping) and not _is_operator(wanted)):
            raise _bad(f"{key} is no field with a value, $eq or $contains")
    return dict(filters)


def _is_operator(wanted: Mapping[str, Any]) -> bool:
    return len(wanted) == 1 and set(wanted) <= OPERATORS


def _bad(reason: str) -> HTTPException:
    return HTTPException(
        500, f"Your auth handler returned a filter that can't be applied: {reason}. Correct the handler."
    )


def as_uuid(value: str | UUID) -> UUID:
    """An id as the database has it; HTTPException 422 for what is none."""
    try:
        return value if isinstance(value, UUID) else UUID(str(value))
    except ValueError:
        raise HTTPException(422, f"Invalid ID {value}: must be a UUID") from None


async def rows(found: Iterable[T]) -> AsyncIterator[T]:
    """Rows that were fetched, in the form in which the server wants them."""
    for row in found:
        yield row


def only(row: Mapping[str, Any], select: Sequence[str] | None) -> dict[str, Any]:
    """The row, or the columns of it that were asked for."""
    return dict(row) if not select else {name: row[name] for name in select if name in row}
