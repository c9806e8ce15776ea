"""An assistant's history, page by page, and what differs between any two of its versions."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from stationmaster.assistants.differing import differences
from stationmaster.assistants.errors import NoSuchAssistant
from stationmaster.assistants.versions import Step, history, numbers, older_than, version_of
from stationmaster.console.pages.assistants.addresses import ALL, asked_for, href, number
from stationmaster.console.pages.assistants.heading import head_of
from stationmaster.console.pages.assistants.words import Change, change_of, changed, fields_in_short
from stationmaster.console.pages.render import page
from stationmaster.console.pages.served import served
from stationmaster.reviews.access.identity import Identity

PAGE_SIZE = 50
COMPARED = 200
"""Versions that can be chosen to be compared; older ones by the links beside them."""


@dataclass(frozen=True)
class Row:
    """One version in the history; `says`: which fields it changed."""

    version: int
    current: bool
    change: Change
    says: str
    diff: str
    rollback: str


def rows(steps: Sequence[Step], where: str) -> list[Row]:
    """Newest first. Pure."""
    return [
        Row(
            version=step.version.version, current=step.current, change=change_of(step.version),
            says=fields_in_short(step),
            diff=f"{where}/diff?from={step.version.version - 1}&to={step.version.version}" if step.changes else "",
            rollback=f"{where}/rollback?to={step.version.version}",
        )
        for step in steps
    ]  # fmt: skip


@served
async def versions(request: Request, viewer: Identity) -> Response:
    """A page of the history, newest first: `?before=` is the number of the last version of the page before."""
    at_hand, found = await asked_for(request)
    before = number(request.query_params.get("before"))
    steps, known = await asyncio.gather(
        history(at_hand, found, before=before, most=PAGE_SIZE), numbers(at_hand, found, COMPARED)
    )
    head, older = head_of(request, viewer, found), older_than(steps)
    return page(
        request, "assistants/versions.html", viewer, current=ALL, head=head, rows=rows(steps, head.href),
        numbers=known, older=href(found, "versions", before=older) if older else "",
        newest=href(found, "versions") if before is not None else "",
    )  # fmt: skip


@served
async def diff(request: Request, viewer: Identity) -> Response:
    """Two versions beside each other; without numbers the newest and the one before."""
    at_hand, found = await asked_for(request)
    after = number(request.query_params.get("to")) or found.version
    before = number(request.query_params.get("from")) or max(after - 1, 1)
    try:
        one, other, known = await asyncio.gather(
            version_of(at_hand, found, before),
            version_of(at_hand, found, after),
            numbers(at_hand, found, COMPARED),
        )
    except NoSuchAssistant:
        return RedirectResponse(href(found, "versions"), 303)
    return page(
        request, "assistants/diff.html", viewer, current=ALL, head=head_of(request, viewer, found),
        numbers=sorted({*known, before, after}, reverse=True), before=before, after=after,
        changes=changed(differences(one, other)), change_before=change_of(one), change_after=change_of(other),
    )  # fmt: skip
