"""What a writer says of a version: which one it replaces, who writes, and why. Said in reserved keys of the
metadata, which are removed, or in headers, which alone a change of the current version can carry."""

from collections.abc import Mapping, MutableMapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from starlette.exceptions import HTTPException

from langgraph_runtime_community.ops.access import Context

EXPECTED = "stationmaster_expected_version"
AUTHOR = "stationmaster_author"
REASON = "stationmaster_reason"
CHANGE = "change"
"""Where `stationmaster`'s own tools say the same on every runtime; it stays in the metadata."""
PIN = "stationmaster_pin_paused"
"""An option of the assistant that SQL looks at; it stays in the metadata."""
KEYS = (EXPECTED, AUTHOR, REASON, PIN)
LONGEST = {AUTHOR: 200, REASON: 2000}


@dataclass(frozen=True)
class Signature:
    """`expected`: the version that must be current, None for any."""

    expected: int | None = None
    author: str | None = None
    reason: str | None = None


HEADERS: ContextVar[Signature | None] = ContextVar("community_runtime_signature", default=None)
"""What the request's headers say, set by the wrapper round the app."""


def taken_from(metadata: MutableMapping[str, Any], ctx: Context = None) -> Signature:
    """The signature, whose keys are removed from `metadata`; HTTPException 422 for one that is malformed.

    Keys come first, then headers, then what the tools note; the author is the caller where nobody else is named.
    """
    change = metadata.get(CHANGE)
    noted = change if isinstance(change, Mapping) else {}
    given = Signature(
        _version(metadata.pop(EXPECTED, None)),
        _text(AUTHOR, metadata.pop(AUTHOR, None)),
        _text(REASON, metadata.pop(REASON, None)),
    )
    headers, expected = HEADERS.get() or Signature(), noted.get("from_version")
    if not isinstance(expected, int) or isinstance(expected, bool):
        expected = None
    return Signature(
        next((n for n in (given.expected, headers.expected, expected) if n is not None), None),
        given.author or headers.author or _noted(noted, "author") or _caller(ctx),
        given.reason or headers.reason or _noted(noted, "reason"),
    )


def of_headers(ctx: Context = None) -> Signature:
    """The same, where there are headers alone."""
    headers = HEADERS.get() or Signature()
    return replace(headers, author=headers.author or _caller(ctx))


def require_none_expected(signature: Signature) -> None:
    """HTTPException 422 for an assistant that is made, and so replaces nothing."""
    if signature.expected is not None:
        raise HTTPException(422, f"{EXPECTED} is for updates: a new assistant replaces no version")


def require_current(signature: Signature, current: int, name: str, by: str | None) -> None:
    """HTTPException 409 where another version is current than the one that was expected."""
    if signature.expected not in (None, current):
        who = f" by {by}" if by else ""
        raise HTTPException(
            409,
            f"version {signature.expected} of {name} was expected to be current, and version {current}{who} is: "
            "nothing was written; look at what changed, then do it again",
        )


def _version(value: Any) -> int | None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise HTTPException(422, f"{EXPECTED} must be the number of a version")
    return value


def _text(name: str, value: Any) -> str | None:
    if value is not None and (not isinstance(value, str) or len(value) > LONGEST[name] or "\x00" in value):
        raise HTTPException(422, f"{name} must be a text of at most {LONGEST[name]} characters")
    return value or None


def _noted(change: Mapping[str, Any], name: str) -> str | None:
    value = change.get(name)
    return value[: LONGEST[REASON]].replace("\x00", "") if isinstance(value, str) and value else None


def _caller(ctx: Context) -> str | None:
    from langgraph_api.utils import get_auth_ctx

    known = ctx or get_auth_ctx()
    return known.user.identity if known is not None else None
