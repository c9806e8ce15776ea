"""Who a run is for: read from what the server's auth found out, never from input, state or context."""

from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig

MAIN = "main"
"""The tenant of an installation that has one."""


@dataclass(frozen=True)
class Caller:
    """Whose key the run came with, and the tenant that the key belongs to."""

    identity: str
    tenant: str


LOCAL = Caller("local", MAIN)
"""Who calls a graph in process, without a server and so without auth."""


def caller_of(config: RunnableConfig) -> Caller:
    """The caller of the run that has this config; LOCAL without a server."""
    user = (config.get("configurable") or {}).get("langgraph_auth_user")
    if user is None:
        return LOCAL
    return Caller(str(_field(user, "identity") or LOCAL.identity), str(_field(user, "tenant") or MAIN))


def _field(user: Any, name: str) -> Any:
    """The server hands a mapping or an object, depending on how the run came in."""
    if isinstance(user, dict):
        return user.get(name)
    try:
        return getattr(user, name, None)
    except KeyError:
        return None
