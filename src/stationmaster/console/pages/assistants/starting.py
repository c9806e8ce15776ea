"""Begin a canary, or give the one that runs another share: what the two differ in, then a share and a reason."""

from http import HTTPStatus

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from stationmaster.assistants.canaries import begin
from stationmaster.assistants.differing import Difference, differences
from stationmaster.assistants.errors import AssistantsError
from stationmaster.assistants.impact import impact_of
from stationmaster.assistants.overlay import Unfit
from stationmaster.assistants.routes import BadSpec, Routes, percent, read_share
from stationmaster.assistants.versions import find, name_of, ref
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
from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.reviews.access.identity import Identity

USUAL = "10"
BEHAVIOUR = ("context", "recursion_limit", "tags", "graph")


@served
async def look(request: Request, viewer: Identity) -> Response:
    """`?from=` names the other assistant; without it back to where it is chosen."""
    require(viewer, "editor")
    at_hand, found = await asked_for(request)
    name = request.query_params.get("from")
    if not name:
        return RedirectResponse(href(found), HTTPStatus.SEE_OTHER)
    return await _draw(request, viewer, found, await find(at_hand, name))


@served
async def start(request: Request, viewer: Identity) -> Response:
    """Do it, if the assistant is still at the version that was looked at."""
    require(viewer, "editor")
    form = await request.form()
    at_hand, found = await asked_for(request)
    other = await find(at_hand, _text(form, "from"))
    share, reason = _text(form, "share"), reason_of(form)
    if not reason:
        return await _draw(request, viewer, found, other, share, error="Say why: the history keeps it.")
    try:
        await begin(
            at_hand, _key(found), _key(other), read_share(f"{share.strip().removesuffix('%')}%"), viewer.name, reason,
            expected=number(_text(form, "version")),
        )  # fmt: skip
    except (AssistantsError, BadSpec, Unfit) as error:
        return await _draw(
            request, viewer, found, other, share, reason, problem=sentence(error, name_of(found))
        )
    except Conflict as error:
        fresh = await at_hand.assistant(found.assistant_id) or found
        return await _draw(
            request, viewer, fresh, other, share, reason, problem=sentence(error, name_of(found))
        )
    where = href(found, "canary")
    return RedirectResponse(where, HTTPStatus.SEE_OTHER, {"Cache-Control": "no-store"})


async def _draw(
    request: Request, viewer: Identity, found: ServedAssistant, other: ServedAssistant, share: str = "",
    reason: str = "", *, error: str = "", problem: str = "",
) -> Response:  # fmt: skip
    at_hand, _ = await asked_for(request)
    head, canary = head_of(request, viewer, found), Routes.of(found.metadata).canary
    runs = canary is not None and canary.arm.assistant_id == other.assistant_id
    now = percent(canary.share) if canary and runs else ""
    impact = await impact_of(at_hand, services(request).pool, found)
    status = 409 if problem else 422 if error else 200
    return page(
        request, "assistants/canary_start.html", viewer, status=status, current=ALL, head=head, other=_key(other),
        other_name=name_of(other), changes=changed(_behaviour(found, other)), left=ref(found), right=ref(other),
        now=now, share=share or now.removesuffix("%") or USUAL, reason=reason, error=error, problem=problem,
        running=impact.running, waiting=impact.waiting, longest=LONGEST_REASON,
        here=href(found, "canary/start", **{"from": _key(other)}) if request.method == "POST" else "",
    )  # fmt: skip


def _behaviour(found: ServedAssistant, other: ServedAssistant) -> list[Difference]:
    """What runs of the arm will see otherwise."""
    return [
        each for each in differences(found, other) if each.field.partition(".")[0] in BEHAVIOUR
    ]  # fmt: skip


def _key(assistant: ServedAssistant) -> str:
    return name_of(assistant) if assistant.owned else assistant.assistant_id


def _text(form: FormData, name: str) -> str:
    given = form.get(name)
    return given if isinstance(given, str) else ""
