"""The one place where a run's arm is decided: in the create_run handler, whichever client asked, however it asked."""

import asyncio
from collections.abc import Mapping, MutableMapping
from typing import Any, Protocol

from stationmaster.assistants.overlay import Unfit, defaults_of, lay_over, overlay, schema_of
from stationmaster.assistants.routes import KEY, LIVE, Choice, Routes, choose
from stationmaster.reconcile.files.contexts import wrong_in
from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.server.lookups import WAIT_S, Lookups

Json = Mapping[str, Any]
NOT_TOLD = "the thread's last run could not be read in time: decided by the hash"


class Server(Protocol):
    """What has to be known of the server to decide; each may be not to be had."""

    assistants: Lookups[ServedAssistant]
    schemas: Lookups[Json]
    """By assistant id: those of its graph."""

    async def last_stamp(self, thread_id: str) -> Json | None:
        """The `canary` stamp of the thread's newest run; {} for none, None if it can't be read."""
        ...


async def give_arm(
    value: MutableMapping[str, Any], live: ServedAssistant, server: Server
) -> dict[str, Any] | None:
    """Decide the arm of a run of `live`, change the run accordingly, and give the stamp for its metadata.

    None where the assistant has neither canary nor pins. An arm that can't be had is the live one, and the stamp says
    why: a run never fails for a canary.
    """
    routes = Routes.of(live.metadata)
    if not routes:
        return None
    before = await _before(value, routes, server)
    choice = _chosen(value, live, routes, before)
    arm, why = live, None if before is not None else NOT_TOLD
    if choice.arm is not None:
        found = (await server.assistants.of(choice.arm.assistant_id)).value
        if found is None:
            choice, why = LIVE, f"{choice.arm.name} was not to be had"
        else:
            unfit = await _lay(value, live, found, server)
            choice, arm, why = (choice, found, why) if unfit is None else (LIVE, live, unfit)
    canary = routes.canary
    return {
        "id": canary.canary_id if canary else None,
        "arm": choice.name,
        "assistant": arm.known_as or arm.name,
        "assistant_id": arm.assistant_id,
        "version": arm.version,
        **({"why": why} if why else {}),
    }


async def _before(value: Json, routes: Routes, server: Server) -> Json | None:
    """What the thread's last run was stamped with; {} for none, None where the server does not say in time."""
    thread_id = value.get("thread_id")
    if thread_id is None or not (routes.canary or _resumes(value)):
        return {}
    try:
        async with asyncio.timeout(WAIT_S):
            return await server.last_stamp(str(thread_id))
    except TimeoutError:
        return None


def _chosen(value: Json, live: ServedAssistant, routes: Routes, before: Json | None) -> Choice:
    thread_id = value.get("thread_id")
    kwargs = value.get("kwargs") or {}
    return choose(
        routes,
        live.assistant_id,
        key=_key(value.get("metadata"), kwargs.get("config")),
        thread=str(thread_id or value.get("run_id")),
        before=before,
        resumes=_resumes(value),
    )


def _resumes(value: Json) -> bool:
    kwargs = value.get("kwargs") or {}
    return bool(kwargs.get("command")) or kwargs.get("input") is None


def _key(metadata: Any, config: Any) -> str | None:
    """The key that the client names: in the run's metadata, else in `config.metadata` or `config.configurable`."""
    config = config if isinstance(config, Mapping) else {}
    for place in (metadata, config.get("metadata"), config.get("configurable")):
        key = place.get(KEY) if isinstance(place, Mapping) else None
        if isinstance(key, (str, int)) and not isinstance(key, bool) and key != "":
            return str(key)
    return None


async def _lay(
    value: MutableMapping[str, Any], live: ServedAssistant, arm: ServedAssistant, server: Server
) -> str | None:
    """Put the arm's content into the run; the reason why not, if so."""
    kwargs = value.get("kwargs")
    if not isinstance(kwargs, MutableMapping):
        return "the server shows no arguments of the run"
    schemas = (await server.schemas.of(live.assistant_id)).value or {}
    try:
        context = overlay(live, arm, defaults_of(schemas))
    except Unfit as unfit:
        return str(unfit)
    for _, said in wrong_in(arm.context, schema_of(schemas) or {}, live.graph):
        return f"{arm.known_as or arm.name} can't be run: {said}"
    lay_over(kwargs, live, arm, context)
    return None
