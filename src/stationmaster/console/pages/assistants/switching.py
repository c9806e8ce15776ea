"""Promote and roll back: first what would change and what becomes of the rest, then one press and a reason."""

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from stationmaster.assistants.errors import NothingToDo
from stationmaster.assistants.proposing import Proposal, propose_promote, propose_rollback
from stationmaster.assistants.versions import name_of
from stationmaster.assistants.writing import carry_out
from stationmaster.console.pages.assistants import one
from stationmaster.console.pages.assistants.addresses import ALL, asked_for, href, number
from stationmaster.console.pages.assistants.heading import head_of
from stationmaster.console.pages.assistants.saving import reason_of
from stationmaster.console.pages.assistants.words import changed
from stationmaster.console.pages.people import require
from stationmaster.console.pages.render import page
from stationmaster.console.pages.served import sentence, served
from stationmaster.console.reasons import LONGEST_REASON
from stationmaster.console.services import services
from stationmaster.reconcile.errors import Conflict
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.reviews.access.identity import Identity


@served
async def promote(request: Request, viewer: Identity) -> Response:
    """`?from=` names whose content; without it the canary's."""
    origin = request.query_params.get("from") or None
    return await _look(request, viewer, "promote", origin, None)


@served
async def rollback(request: Request, viewer: Identity) -> Response:
    """`?to=` is a version; without it the last one that said otherwise."""
    return await _look(request, viewer, "rollback", None, number(request.query_params.get("to")))


@served
async def carry(request: Request, viewer: Identity) -> Response:
    """Do what was shown, if it is still what would be done: the form says which version was current."""
    require(viewer, "editor")
    form = await request.form()
    verb = request.url.path.rpartition("/")[2]
    at_hand, found = await asked_for(request)
    texts = {key: value for key, value in form.items() if isinstance(value, str)}
    origin, to = texts.get("from") or None, number(texts.get("to"))
    expected, reason = number(texts.get("version")), reason_of(form)
    try:
        proposal = await _propose(request, at_hand, found, verb, origin, to, expected)
        if not reason:
            said = "Say why: the history keeps it."
            return _draw(request, viewer, found, proposal, origin, to, error=said, status=422)
        await carry_out(at_hand, proposal, viewer.name, reason)
    except NothingToDo:
        return RedirectResponse(href(found), HTTPStatus.SEE_OTHER)
    except Conflict as error:
        fresh = await at_hand.assistant(found.assistant_id) or found
        return await _again(request, viewer, at_hand, fresh, verb, origin, to, error)
    done = "promoted" if verb == "promote" else "rolled_back"
    return RedirectResponse(href(found, done=done), HTTPStatus.SEE_OTHER, {"Cache-Control": "no-store"})


async def _look(
    request: Request, viewer: Identity, verb: str, origin: str | None, to: int | None
) -> Response:
    require(viewer, "editor")
    at_hand, found = await asked_for(request)
    proposal = await _propose(request, at_hand, found, verb, origin, to, None)
    return _draw(request, viewer, found, proposal, origin, to)


async def _propose(
    request: Request, at_hand: Gateway, found: ServedAssistant, verb: str, origin: str | None, to: int | None,
    expected: int | None,
) -> Proposal:  # fmt: skip
    pool, name = services(request).pool, name_of(found) if found.owned else found.assistant_id
    if verb == "promote":
        return await propose_promote(at_hand, pool, name, origin, expected=expected)
    return await propose_rollback(at_hand, pool, name, to, expected=expected)


async def _again(
    request: Request, viewer: Identity, at_hand: Gateway, found: ServedAssistant, verb: str, origin: str | None,
    to: int | None, error: Conflict,
) -> Response:  # fmt: skip
    """Somebody was faster: what would be done now, and who it was."""
    try:
        proposal = await _propose(request, at_hand, found, verb, origin, to, None)
    except NothingToDo as nothing:
        problem = one.Problem(
            "Somebody was faster", f"{sentence(error, name_of(found))} {sentence(nothing, name_of(found))}"
        )
        return await one.draw(request, viewer, at_hand, found, problem=problem, status=409)
    return _draw(
        request, viewer, found, proposal, origin, to, conflict=sentence(error, name_of(found)), status=409
    )


def _draw(
    request: Request, viewer: Identity, found: ServedAssistant, proposal: Proposal, origin: str | None, to: int | None,
    *, error: str = "", conflict: str = "", status: int = 200,
) -> Response:  # fmt: skip
    head = head_of(request, viewer, found)
    here = href(found, proposal.verb, **{"from": origin, "to": to}) if request.method == "POST" else ""
    return page(
        request, "assistants/switch.html", viewer, status=status, current=ALL, head=head, proposal=proposal,
        changes=changed(proposal.changes), consequences=proposal.consequences(), origin=origin or "", to=to or "",
        error=error, conflict=conflict, longest=LONGEST_REASON, here=here,
    )  # fmt: skip
