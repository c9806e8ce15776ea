"""The Agent Server's handlers, named in langgraph.json: who is calling, what every run gets, who writes a version.

The caller is known by key, or by calling from this machine.
"""

from collections.abc import Callable
from typing import Any, cast

from langgraph_sdk import Auth

from stationmaster.server import tenants
from stationmaster.server.admission import NotAdmitted, admit
from stationmaster.server.in_process import InProcess
from stationmaster.server.inputs import UnreadableMessages, require_readable
from stationmaster.server.origin import traceparent
from stationmaster.server.policy import policy_from, server_settings
from stationmaster.server.slots import admit_slot
from stationmaster.server.stamp import stamp
from stationmaster.server.versioning import Expected, Outdated
from stationmaster.server.webhook import configure_webhooks
from stationmaster.tracing.caller import carry
from stationmaster.tracing.destination import destination

auth = Auth()
SETTINGS = server_settings()
POLICY = policy_from(SETTINGS)
SERVER = InProcess()
EXPECTED = Expected(SERVER.assistant)
TRACED = destination(SETTINGS) is not None
configure_webhooks(SETTINGS)


Answer = Auth.types.FilterType | bool | None
"""None: all of it. A filter: what passes it, anything else is not found. False: 403."""


@auth.authenticate
async def authenticate(scope: dict[str, Any]) -> Auth.types.MinimalUserDict:
    """Judges again what the middleware let through, so that each of the two holds without the other.

    The user holds a name and a tenant, and no secret: the server copies it into run configs and webhook bodies.
    """
    try:
        name = admit(scope, POLICY)
    except NotAdmitted as refusal:
        raise Auth.exceptions.HTTPException(status_code=401, detail=str(refusal)) from None
    tenant = POLICY.tenants.get(name)
    user = {
        "identity": name,
        "display_name": name,
        "is_authenticated": True,
        "permissions": [tenants.CONFINED] if tenant else [],
        "tenant": tenant or tenants.MAIN,
    }
    return cast("Auth.types.MinimalUserDict", user)


@auth.on
async def anything_else(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> Answer:
    """What the server may learn to do one day is the operators' until somebody has thought about tenants."""
    return False if _tenant(ctx) else None


@auth.on.threads
async def threads(ctx: Auth.types.AuthContext, value: Any) -> Answer:
    """Making, reading, searching, changing, deleting, and whatever is reached through a thread."""
    if (tenant := _tenant(ctx)) is None:
        return None
    (tenants.mark if ctx.action == "create" else tenants.keep_mark)(value, tenant)
    return tenants.own(tenant)


@auth.on.threads.create_run
async def create_run(ctx: Auth.types.AuthContext, value: Auth.types.RunsCreate) -> Answer:
    """Called for every run, however it is asked for: plain, waited, streamed, stateless, batch, cron, resume."""
    run = cast("dict[str, Any]", value)
    tenant = _tenant(ctx)
    try:
        await require_readable(run, SERVER)
    except UnreadableMessages as refusal:
        raise Auth.exceptions.HTTPException(status_code=422, detail=str(refusal)) from None
    if tenant is not None:
        tenants.mark(run, tenant)  # a thread that the run makes gets the run's metadata
    await stamp(run, SERVER, SETTINGS.webhook_url)
    if TRACED and isinstance(run.get("metadata"), dict):
        carry(run["metadata"], traceparent())
    # Last, so that as little as possible happens between the look at the thread and the run.
    await admit_slot(run, ctx.user.identity)
    return None if tenant is None else tenants.own(tenant)


@auth.on.assistants
async def assistants(ctx: Auth.types.AuthContext, value: Any) -> Answer:
    """Reading and searching: theirs, and what all share. Deleting: theirs."""
    if (tenant := _tenant(ctx)) is None:
        return None
    return cast("Answer", tenants.usable(tenant) if ctx.action in {"read", "search"} else tenants.own(tenant))


@auth.on.assistants.create
async def create_assistant(ctx: Auth.types.AuthContext, value: Auth.types.AssistantsCreate) -> Answer:
    if (tenant := _tenant(ctx)) is None:
        return None
    made = cast("dict[str, Any]", value)
    _refusing(tenants.forbid_operators_marks, made)
    tenants.mark(made, tenant)
    return tenants.own(tenant)


@auth.on.assistants.update
async def update_assistant(ctx: Auth.types.AuthContext, value: Auth.types.AssistantsUpdate) -> Answer:
    """Called right before an assistant is written: of two who replace the same version, one is told so."""
    tenant = _tenant(ctx)
    if tenant is not None:
        _refusing(tenants.forbid_operators_marks, cast("dict[str, Any]", value))
        tenants.keep_mark(cast("dict[str, Any]", value), tenant)
    assistant_id = str(value.get("assistant_id"))
    try:
        await EXPECTED.require(assistant_id, value.get("metadata"))
    except Outdated as refusal:
        raise Auth.exceptions.HTTPException(status_code=409, detail=str(refusal)) from None
    SERVER.assistants.changes(assistant_id)
    return None if tenant is None else tenants.own(tenant)


@auth.on.crons
async def crons(ctx: Auth.types.AuthContext, value: Any) -> Answer:
    """All of them; a tenant's cron runs as its tenant."""
    if (tenant := _tenant(ctx)) is None:
        return None
    _refusing(tenants.forbid_operators_marks, value)
    (tenants.mark if ctx.action == "create" else tenants.keep_mark)(value, tenant)
    return tenants.own(tenant)


@auth.on.store
async def store(ctx: Auth.types.AuthContext, value: Any) -> Answer:
    """What a graph itself keeps there is its tools' to guard."""
    if tenant := _tenant(ctx):
        _refusing(tenants.namespace, value, tenant, ctx.action)
    return None


def _tenant(ctx: Auth.types.AuthContext) -> str | None:
    """The tenant that the caller is confined to."""
    return str(ctx.user["tenant"]) if tenants.CONFINED in ctx.permissions else None


def _refusing(rule: Callable[..., None], *arguments: object) -> None:
    """Its Refused as 403."""
    try:
        rule(*arguments)
    except tenants.Refused as refusal:
        raise Auth.exceptions.HTTPException(status_code=403, detail=str(refusal)) from None
