"""The Agent Server's authentication, named in langgraph.json: who is calling, by key or from this machine."""

from typing import Any

from langgraph_sdk import Auth

from stationmaster.server.admission import NotAdmitted, admit
from stationmaster.server.policy import policy_from, server_settings

auth = Auth()
POLICY = policy_from(server_settings())


@auth.authenticate
async def authenticate(scope: dict[str, Any]) -> Auth.types.MinimalUserDict:
    """Judges again what the middleware let through, so that each of the two holds without the other.

    The user holds a name and no secret: the server copies it into run configs and webhook bodies.
    """
    try:
        name = admit(scope, POLICY)
    except NotAdmitted as refusal:
        raise Auth.exceptions.HTTPException(status_code=401, detail=str(refusal)) from None
    return {"identity": name, "display_name": name, "is_authenticated": True, "permissions": []}
