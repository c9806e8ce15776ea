"""Assistants: what is live, their versions, and what an editor changes. The same rooms as behind the pages."""

import asyncio
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from stationmaster.assistants import canaries, records
from stationmaster.assistants.comparing import compare
from stationmaster.assistants.differing import differences, drifted
from stationmaster.assistants.editing import held_by_file, propose_edit, require_editable, wrong
from stationmaster.assistants.impact import impact_of, waiting_by_assistant, waiting_in_arm
from stationmaster.assistants.overlay import schema_of
from stationmaster.assistants.proposing import Proposal, propose_promote, propose_rollback
from stationmaster.assistants.versions import find, history, listed, name_of, older_than, version_of
from stationmaster.assistants.writing import carry_out
from stationmaster.console.api.asking import AtHand, Editor, Who, declared, served
from stationmaster.console.api.bodies import Word
from stationmaster.console.api.changing import Begin, Edit, Ending, Misfit, Promote, Rollback, Version
from stationmaster.console.at_server import gateway
from stationmaster.console.json import JSONResponse
from stationmaster.console.services import Services
from stationmaster.console.yaml_files import assistant_file
from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.reviews.access.identity import Identity

Json = dict[str, Any]
PUT = ("context", "description", "recursion_limit", "tags")


@declared(response_model=list[Json])
@served
async def list_assistants(who: Who, at_hand: AtHand, graph: Word | None = None) -> JSONResponse:
    """Every assistant but the one that the server makes for each graph, by graph, live ones first."""
    found = await listed(gateway(at_hand))
    waiting = await waiting_by_assistant(at_hand.pool)
    return JSONResponse(
        [
            _record(at_hand, each, waiting.get(each.assistant_id, 0))
            for each in found
            if graph in (None, each.graph)
        ]
    )


@declared(response_model=Json)
@served
async def get_assistant(name: str, who: Who, at_hand: AtHand) -> JSONResponse:
    """One assistant, by name or id; with what runs and waits under it."""
    found = await find(gateway(at_hand), name)
    impact = await impact_of(gateway(at_hand), at_hand.pool, found)
    by_version = {str(version): n for version, n in impact.by_version.items()}
    under = {"running": impact.running, "waiting_by_version": by_version}
    return JSONResponse({**_record(at_hand, found, impact.waiting), **under})


@declared(response_model=Json)
@served
async def list_versions(
    name: str, who: Who, at_hand: AtHand, before: Version | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> JSONResponse:  # fmt: skip
    """A page of the history, newest first: who, why, and which fields each version changed.

    `next` is the `before` of the next page, null on the last.
    """
    at_server = gateway(at_hand)
    steps = await history(at_server, await find(at_server, name), before=before, most=limit)
    return JSONResponse({"versions": [records.step(each) for each in steps], "next": older_than(steps)})


@declared(response_model=Json)
@served
async def get_version(name: str, version: Version, who: Who, at_hand: AtHand) -> JSONResponse:
    """One version, as it was."""
    at_server = gateway(at_hand)
    return JSONResponse(records.assistant(await version_of(at_server, await find(at_server, name), version)))


@declared(response_model=list[Json])
@served
async def diff_versions(
    name: str, who: Who, at_hand: AtHand, from_: Annotated[Version, Query(alias="from")], to: Version | None = None
) -> JSONResponse:  # fmt: skip
    """What differs between two versions, field by field; without `to`, from one to the current."""
    at_server = gateway(at_hand)
    found = await find(at_server, name)
    one, other = await asyncio.gather(version_of(at_server, found, from_), version_of(at_server, found, to))
    return JSONResponse(records.differences(differences(one, other)))


@declared(response_class=Response, responses={200: {"content": {"application/yaml": {}}}})
@served
async def get_assistant_file(
    name: str, who: Who, at_hand: AtHand, version: Version | None = None
) -> Response:
    """The file that says what the assistant says, or one of its versions."""
    at_server = gateway(at_hand)
    found = await find(at_server, name)
    return assistant_file((await version_of(at_server, found, version)).content(), name_of(found))


@declared(response_model=Json)
@served
async def save_version(name: str, body: Edit, who: Editor, at_hand: AtHand) -> JSONResponse:
    """Write content as a new version. What the graph's schema refuses is told by field.

    409 `held_by_file` where a file describes it and drift is not allowed.
    """
    at_server = gateway(at_hand)
    found = await find(at_server, name)
    require_editable(found, allow_drift=at_hand.settings.allow_drift)
    given = {key: getattr(body, key) for key in PUT if key in body.model_fields_set}
    kept = {key: value for key, value in given.items() if value is not None or key == "recursion_limit"}
    content = replace(
        found.content(), **{**kept, **({"tags": tuple(body.tags)} if body.tags is not None else {})}
    )
    if problems := wrong(content, schema_of(await at_server.schemas(found.graph))):
        raise Misfit({".".join(map(str, place)): said for place, said in problems})
    proposal = await propose_edit(at_server, at_hand.pool, found, content, expected=body.expect)
    return await _done(at_hand, proposal, body.reason, who, dry_run=body.dry_run)


@declared(response_model=Json)
@served
async def promote_assistant(name: str, body: Promote, who: Editor, at_hand: AtHand) -> JSONResponse:
    """Make another one's behaviour the next version of this one; ends its canary, if that one is promoted."""
    proposal = await propose_promote(
        gateway(at_hand), at_hand.pool, await _ours(at_hand, name), body.origin, expected=body.expect
    )
    return await _done(at_hand, proposal, body.reason, who, dry_run=body.dry_run)


@declared(response_model=Json)
@served
async def roll_back_assistant(name: str, body: Rollback, who: Editor, at_hand: AtHand) -> JSONResponse:
    """Restore every field of an earlier version, as a new one."""
    proposal = await propose_rollback(
        gateway(at_hand), at_hand.pool, await _ours(at_hand, name), body.to, expected=body.expect
    )
    return await _done(at_hand, proposal, body.reason, who, dry_run=body.dry_run)


@declared(response_model=Json)
@served
async def get_canary(name: str, who: Who, at_hand: AtHand) -> JSONResponse:
    """How the two arms compare. 404 `no_canary` where none runs."""
    return JSONResponse(
        records.report(await compare(gateway(at_hand), at_hand.pool, await _ours(at_hand, name)))
    )


@declared(response_model=Json)
@served
async def start_canary(name: str, body: Begin, who: Editor, at_hand: AtHand) -> JSONResponse:
    """Give a share of the threads the content of another assistant; or another share to the canary that runs."""
    routed = await canaries.begin(
        gateway(at_hand), await _ours(at_hand, name), body.assistant, body.share, who.name, body.reason,
        expected=body.expect,
    )  # fmt: skip
    return JSONResponse(records.assistant(routed.written.after))


@declared(response_model=Json)
@served
async def end_canary(name: str, body: Ending, who: Editor, at_hand: AtHand) -> JSONResponse:
    """Every thread gets the live content again; `waiting_in_arm`: so many of its questions still wait."""
    routed = await canaries.end(
        gateway(at_hand), await _ours(at_hand, name), who.name, body.reason, expected=body.expect
    )
    waiting = await waiting_in_arm(at_hand.pool, routed.before.canary)
    return JSONResponse({**records.assistant(routed.written.after), "waiting_in_arm": waiting})


async def _ours(at_hand: Services, name: str) -> str:
    """The name, or the id of what others made, by which the room finds it again."""
    found = await find(gateway(at_hand), name)
    return name_of(found) if found.owned else found.assistant_id


async def _done(
    at_hand: Services, proposal: Proposal, reason: str, who: Identity, *, dry_run: bool
) -> JSONResponse:
    if dry_run:
        return JSONResponse(records.proposal(proposal))
    return JSONResponse(records.written(await carry_out(gateway(at_hand), proposal, who.name, reason)))


def _record(at_hand: Services, found: ServedAssistant, waiting: int) -> Json:
    return {
        **records.assistant(found, waiting),
        "drifted": found.owned and drifted(found),
        "held_by_file": held_by_file(found, allow_drift=at_hand.settings.allow_drift),
    }
