"""The time to live of a thread: what a request says, else what langgraph.json says."""

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException

STRATEGIES = frozenset({"delete", "keep_latest"})
Ttl = dict[str, Any]


def of_request(ttl: Any) -> Ttl:
    """`strategy` and `minutes`; both None for a thread that stays. A number alone means delete."""
    if ttl is None:
        return of_project()
    if isinstance(ttl, int | float):
        ttl = {"ttl": ttl}
    return _checked(ttl, ttl.get("ttl", ttl.get("default_ttl")))


def of_project() -> Ttl:
    """The project's default."""
    from langgraph_api.config import THREAD_TTL

    return (
        _checked(THREAD_TTL, THREAD_TTL.get("default_ttl"))
        if THREAD_TTL
        else {"strategy": None, "minutes": None}
    )


def _checked(ttl: Mapping[str, Any], minutes: Any) -> Ttl:
    strategy = ttl.get("strategy") or "delete"
    if strategy not in STRATEGIES:
        raise HTTPException(
            422, f"Invalid thread TTL strategy: {strategy}. Expected one of {sorted(STRATEGIES)}"
        )
    if minutes is None:
        return {"strategy": None, "minutes": None}
    return {"strategy": strategy, "minutes": float(minutes)}


def shown(row: Mapping[str, Any]) -> Ttl | None:
    """The `ttl` of a thread as the API shows it."""
    if row["ttl_minutes"] is None:
        return None
    return {
        "strategy": row["ttl_strategy"],
        "ttl_minutes": row["ttl_minutes"],
        "expires_at": row["expires_at"],
    }
