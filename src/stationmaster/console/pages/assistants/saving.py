"""From the form to a new version: read, shown as a difference, then saved with a reason; or downloaded as a file."""

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from stationmaster.assistants.editing import propose_edit, require_editable
from stationmaster.assistants.errors import NothingToDo
from stationmaster.assistants.proposing import Proposal
from stationmaster.assistants.versions import name_of, version_of
from stationmaster.assistants.writing import carry_out
from stationmaster.console.pages.assistants import drafting, one
from stationmaster.console.pages.assistants.addresses import ALL, asked_for, href, number
from stationmaster.console.pages.assistants.drafting import PREFIX, Draft
from stationmaster.console.pages.assistants.heading import head_of
from stationmaster.console.pages.assistants.one import Problem
from stationmaster.console.pages.assistants.words import changed
from stationmaster.console.pages.people import require
from stationmaster.console.pages.render import page
from stationmaster.console.pages.served import sentence, served
from stationmaster.console.reasons import LONGEST_REASON, one_line
from stationmaster.console.services import services
from stationmaster.console.yaml_files import assistant_file
from stationmaster.errors import StationmasterError
from stationmaster.reconcile.errors import Conflict
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.reviews.access.identity import Identity


@served
async def draft(request: Request, viewer: Identity) -> Response:
    """What was typed as a difference, with what becomes of the rest; nothing is written."""
    require(viewer, "editor")
    form = await request.form()
    at_hand, found = await asked_for(request)
    read = drafting.read(found, await at_hand.schemas(found.graph), form)
    if not read.fits:
        return await one.draw(request, viewer, at_hand, found, draft=read, problem=_misfit(read), status=422)
    try:
        proposal = await _proposed(request, at_hand, found, read, form)
    except NothingToDo:
        said = Problem("Nothing was changed", "Change a setting first.", "waits")
        return await one.draw(request, viewer, at_hand, found, draft=read, problem=said, status=422)
    except Conflict as error:
        return await _overtaken(request, viewer, at_hand, found, read, error)
    return _review(request, viewer, found, read, proposal)


@served
async def save(request: Request, viewer: Identity) -> Response:
    """Write it as the next version. Refused where a file holds it, or somebody was faster."""
    require(viewer, "editor")
    form = await request.form()
    at_hand, found = await asked_for(request)
    require_editable(found, allow_drift=services(request).settings.allow_drift)
    read = drafting.read(found, await at_hand.schemas(found.graph), form)
    if not read.fits:
        return await one.draw(request, viewer, at_hand, found, draft=read, problem=_misfit(read), status=422)
    reason = reason_of(form)
    try:
        proposal = await _proposed(request, at_hand, found, read, form)
        if not reason:
            return _review(request, viewer, found, read, proposal, "Say why: the history keeps it.")
        await carry_out(at_hand, proposal, viewer.name, reason)
    except NothingToDo:
        return RedirectResponse(href(found), HTTPStatus.SEE_OTHER)
    except Conflict as error:
        fresh = await at_hand.assistant(found.assistant_id) or found
        return await _overtaken(request, viewer, at_hand, fresh, read, error)
    return RedirectResponse(href(found, done="saved"), HTTPStatus.SEE_OTHER, {"Cache-Control": "no-store"})


@served
async def edit(request: Request, viewer: Identity) -> Response:
    """Back from the difference to the form, with everything that was typed."""
    require(viewer, "editor")
    form = await request.form()
    at_hand, found = await asked_for(request)
    read = drafting.read(found, await at_hand.schemas(found.graph), form)
    return await one.draw(request, viewer, at_hand, found, draft=read)


@served
async def file(request: Request, viewer: Identity) -> Response:
    """The file that says what the assistant says, or one of its versions; posted, what was typed."""
    at_hand, found = await asked_for(request)
    if request.method == "POST":
        require(viewer, "editor")
        read = drafting.read(found, await at_hand.schemas(found.graph), await request.form())
        if not read.fits:
            return await one.draw(
                request, viewer, at_hand, found, draft=read, problem=_misfit(read), status=422
            )
        content = read.content
    else:
        asked = number(request.query_params.get("version"))
        content = (await version_of(at_hand, found, asked)).content()
    return assistant_file(content, name_of(found))


@served
async def back(request: Request, viewer: Identity) -> Response:
    """Whoever comes by the address of a form that was posted wants to look."""
    _, found = await asked_for(request)
    return RedirectResponse(href(found), HTTPStatus.SEE_OTHER)


def reason_of(form: FormData) -> str:
    """Why, as it is kept: one text without control characters."""
    given = form.get("reason", "")
    return one_line(given if isinstance(given, str) else "")


async def _proposed(
    request: Request, at_hand: Gateway, found: ServedAssistant, read: Draft, form: FormData
) -> Proposal:
    sent = form.get("version")
    expected = number(sent if isinstance(sent, str) else None) or found.version
    return await propose_edit(at_hand, services(request).pool, found, read.content, expected=expected)


def _review(
    request: Request,
    viewer: Identity,
    found: ServedAssistant,
    read: Draft,
    proposal: Proposal,
    error: str = "",
) -> Response:
    try:
        require_editable(found, allow_drift=services(request).settings.allow_drift)
        refusal = ""
    except StationmasterError as refused:
        refusal = sentence(refused, name_of(found))
    head = head_of(request, viewer, found)
    return page(
        request, "assistants/draft.html", viewer, status=422 if error else 200, current=ALL, head=head, here=head.href,
        changes=changed(proposal.changes), consequences=proposal.consequences(), refusal=refusal, error=error,
        typed=typed(read.texts), longest=LONGEST_REASON,
    )  # fmt: skip


def typed(texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """What a form carries along in hidden fields."""
    return [(f"{PREFIX}{name}", text) for name, text in texts.items()]


async def _overtaken(
    request: Request, viewer: Identity, at_hand: Gateway, found: ServedAssistant, read: Draft, error: Conflict
) -> Response:
    """Somebody was faster: the form as it is now, with what was typed still in it."""
    fresh: Any = drafting.drawn(found, await at_hand.schemas(found.graph))
    kept = replace(
        fresh,
        texts=read.texts,
        settings=tuple(drafting.typed_over(fresh.settings, read.texts, {})),
        general=tuple(drafting.typed_over(fresh.general, read.texts, {})),
    )
    said = f"{sentence(error, name_of(found))} What you typed is kept below."
    problem = Problem("Somebody was faster", said)
    return await one.draw(request, viewer, at_hand, found, draft=kept, problem=problem, status=409)


def _misfit(read: Draft) -> Problem:
    return Problem("This can't be saved", read.problem or "What is wrong stands beside each setting.")
