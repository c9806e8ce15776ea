"""The Agent Server's handlers, named in langgraph.json: who is calling, and what every run gets.

The caller is known by key, or by calling from this machine.
"""

from functools import cache
from typing import Any, cast

import httpx
from langgraph_sdk import Auth, get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import LangGraphError

from stationmaster.server.admission import NotAdmitted, admit
from stationmaster.server.policy import policy_from, server_settings
from stationmaster.server.slots import admit_slot
from stationmaster.server.stamp import Names, stamp
from stationmaster.server.webhook import configure_webhooks

auth = Auth()
SETTINGS = server_settings()
POLICY = policy_from(SETTINGS)
configure_webhooks(SETTINGS)


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


@auth.on.threads.create_run
async def create_run(ctx: Auth.types.AuthContext, value: Auth.types.RunsCreate) -> None:
    """Called for every run, however it is asked for: plain, waited, streamed, stateless, batch, cron, resume."""
    await admit_slot(cast("dict[str, Any]", value))
    await stamp(cast("dict[str, Any]", value), NAMES, SETTINGS.webhook_url)


@cache
def _in_process() -> LangGraphClient:
    """This server, without the network and without a key."""
    return get_client(url=None, api_key=None)


async def _assistant_name(assistant_id: str) -> str | None:
    try:
        return (await _in_process().assistants.get(assistant_id)).get("name")
    except (LangGraphError, httpx.HTTPError):
        return None


NAMES = Names(_assistant_name)
