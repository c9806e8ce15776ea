"""Callers name themselves in `x-user`; each sees what is their own. Without a name a caller sees everything."""

from typing import Any

from langgraph_sdk import Auth

auth = Auth()
NOBODY = "nobody"


@auth.authenticate
async def authenticate(headers: dict[bytes, bytes]) -> Auth.types.MinimalUserDict:
    name = headers.get(b"x-user", NOBODY.encode()).decode()
    return {"identity": name, "display_name": name, "is_authenticated": True, "permissions": []}


@auth.on
async def own_only(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> dict[str, Any] | None:
    """Marks what is made, and lets pass what is marked so."""
    if ctx.user.identity == NOBODY or ctx.resource == "store":
        return None
    metadata = value.get("metadata")
    if isinstance(metadata, dict) and ctx.action in {"create", "create_run"}:
        metadata["owner"] = ctx.user.identity
    if ctx.resource == "assistants" and ctx.action in {"read", "search"}:
        return None
    return {"owner": ctx.user.identity}
