"""One assistant: where it stands, its settings as a form, its newest versions, and what can be done with it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.assistants.impact import Impact, impact_of
from stationmaster.assistants.routes import Routes
from stationmaster.assistants.versions import history, name_of, older_than
from stationmaster.console.pages.assistants import drafting
from stationmaster.console.pages.assistants.addresses import ALL, asked_for
from stationmaster.console.pages.assistants.drafting import Draft
from stationmaster.console.pages.assistants.heading import head_of
from stationmaster.console.pages.assistants.versions import rows
from stationmaster.console.pages.render import page
from stationmaster.console.pages.served import served
from stationmaster.console.services import services
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.reviews.access.identity import Identity

NEWEST = 6
DONE = {
    "saved": "Saved as version {}.", "promoted": "Promoted: version {} is current.",
    "rolled_back": "Rolled back: version {} is current.", "ended": "The canary has ended; version {} is current.",
}  # fmt: skip


@dataclass(frozen=True)
class Problem:
    """Why something was not done, above the form that still holds what was typed."""

    head: str
    text: str = ""
    tone: str = "failed"


@served
async def one(request: Request, viewer: Identity) -> Response:
    """The page as it stands; `?done=saved` after something was done."""
    at_hand, found = await asked_for(request)
    return await draw(request, viewer, at_hand, found)


async def draw(
    request: Request, viewer: Identity, at_hand: Gateway, found: ServedAssistant, *, draft: Draft | None = None,
    problem: Problem | None = None, status: int = 200,
) -> Response:  # fmt: skip
    """The page, with what somebody typed in place where there is a draft."""
    pool = services(request).pool
    head = head_of(request, viewer, found)
    schemas, steps, impact, others = await asyncio.gather(
        at_hand.schemas(found.graph),
        history(at_hand, found, most=NEWEST),
        impact_of(at_hand, pool, found),
        _others(at_hand, found, wanted=head.may_edit and found.owned),
    )
    return page(
        request, "assistants/one.html", viewer, status=status, current=ALL, head=head,
        draft=draft or drafting.drawn(found, schemas), problem=problem, impact=_counts(impact),
        rows=rows(steps, head.href), more=older_than(steps) is not None, done=_done(request, found),
        here=head.href if request.method == "POST" else "",
        others=others,
    )  # fmt: skip


async def _others(at_hand: Gateway, found: ServedAssistant, *, wanted: bool) -> list[str]:
    """Whose content could be promoted to it: assistants of the same graph; while a canary runs, the canary's alone."""
    if not wanted:
        return []
    canary = Routes.of(found.metadata).canary
    same = [
        each
        for each in await at_hand.assistants()
        if each.graph == found.graph and not each.system and each.assistant_id != found.assistant_id
    ]
    if canary:
        same = [each for each in same if each.assistant_id == canary.arm.assistant_id]
    return sorted(name_of(each) for each in same)


def _counts(impact: Impact) -> Mapping[str, Any]:
    return {"running": impact.running, "waiting": impact.waiting, "by_version": impact.by_version}


def _done(request: Request, found: ServedAssistant) -> str:
    return DONE.get(request.query_params.get("done", ""), "").format(found.version)
