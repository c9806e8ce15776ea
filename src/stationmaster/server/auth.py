"""The Agent Server's handlers, named in langgraph.json: who is calling, what every run gets, who writes a version.

The caller is known by key, or by calling from this machine.
"""

from typing import Any, cast

from langgraph_sdk import Auth

from stationmaster.server.admission import NotAdmitted, admit
from stationmaster.server.in_process import InProcess
from stationmaster.server.policy import policy_from, server_settings
from stationmaster.server.slots import admit_slot
from stationmaster.server.stamp import stamp
from stationmaster.server.versioning import Expected, Outdated
from stationmaster.server.webhook import configure_webhooks

auth = Auth()
SETTINGS = server_settings()
POLICY = policy_from(SETTINGS)
SERVER = InProcess()
EXPECTED = Expected(SERVER.assistant)
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
    run = cast("dict[str, Any]", value)
    await stamp(run, SERVER, SETTINGS.webhook_url)
    # Last, so that as little as possible happens between the look at the thread and the run.
    await admit_slot(run, ctx.user.identity)


@auth.on.assistants.update
async def update_assistant(ctx: Auth.types.AuthContext, value: Auth.types.AssistantsUpdate) -> None:
    """Called right before an assistant is written: of two who replace the same version, one is told so."""
    assistant_id = str(value.get("assistant_id"))
    try:
        await EXPECTED.require(assistant_id, value.get("metadata"))
    except Outdated as refusal:
        raise Auth.exceptions.HTTPException(status_code=409, detail=str(refusal)) from None
    SERVER.assistants.changes(assistant_id)
