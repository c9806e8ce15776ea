"""An assistant's history, page by page, and what differs between any two of its versions."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from stationmaster.assistants.differing import differences
from stationmaster.assistants.versions import Step, history
from stationmaster.console.pages.assistants.addresses import ALL, asked_for, href, number
from stationmaster.console.pages.assistants.heading import head_of
from stationmaster.console.pages.assistants.words import Change, change_of, changed, fields_in_short
from stationmaster.console.pages.render import page
from stationmaster.console.pages.served import served
from stationmaster.reviews.access.identity import Identity

PAGE_SIZE = 50


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
    steps = await history(at_hand, found)
    left = [step for step in steps if before is None or step.version.version < before]
    head = head_of(request, viewer, found)
    shown = rows(left[:PAGE_SIZE], head.href)
    return page(
        request, "assistants/versions.html", viewer, current=ALL, head=head, rows=shown,
        numbers=[step.version.version for step in steps],
        older=href(found, "versions", before=shown[-1].version) if len(left) > PAGE_SIZE else "",
        newest=href(found, "versions") if before is not None else "",
    )  # fmt: skip


@served
async def diff(request: Request, viewer: Identity) -> Response:
    """Two versions beside each other; without numbers the newest and the one before."""
    at_hand, found = await asked_for(request)
    steps = await history(at_hand, found)
    by_number = {step.version.version: step.version for step in steps}
    after = number(request.query_params.get("to")) or found.version
    before = number(request.query_params.get("from")) or max(after - 1, 1)
    if before not in by_number or after not in by_number:
        return RedirectResponse(href(found, "versions"), 303)
    head = head_of(request, viewer, found)
    return page(
        request, "assistants/diff.html", viewer, current=ALL, head=head, numbers=list(by_number), before=before,
        after=after, changes=changed(differences(by_number[before], by_number[after])),
        change_before=change_of(by_number[before]), change_after=change_of(by_number[after]),
    )  # fmt: skip
