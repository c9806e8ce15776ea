"""A canary: how its two arms compare, and its end; how it begins is in starting.py."""

from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from stationmaster.assistants.canaries import end
from stationmaster.assistants.comparing import ArmReport, compare
from stationmaster.assistants.rates import Rate
from stationmaster.assistants.routes import Routes, percent
from stationmaster.assistants.versions import name_of
from stationmaster.console.pages.assistants.addresses import ALL, asked_for, href
from stationmaster.console.pages.assistants.heading import head_of
from stationmaster.console.pages.assistants.saving import reason_of
from stationmaster.console.pages.assistants.words import moment
from stationmaster.console.pages.people import require
from stationmaster.console.pages.render import page
from stationmaster.console.pages.served import served
from stationmaster.console.reasons import LONGEST_REASON
from stationmaster.console.services import services
from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.reviews.access.identity import Identity

RATES = (
    ("errors", "Runs that failed"), ("approved", "Approved as proposed"), ("edited", "Approved with changes"),
    ("rejected", "Rejected"),
)  # fmt: skip


@served
async def canary(request: Request, viewer: Identity) -> Response:
    """The two arms beside each other; without a canary back to the assistant."""
    _, found = await asked_for(request)
    if Routes.of(found.metadata).canary is None:
        return RedirectResponse(href(found), HTTPStatus.SEE_OTHER)
    return await _draw(request, viewer, found)


@served
async def end_it(request: Request, viewer: Identity) -> Response:
    """Every thread gets the live assistant's own content again."""
    require(viewer, "editor")
    form = await request.form()
    at_hand, found = await asked_for(request)
    reason = reason_of(form)
    if not reason:
        return await _draw(request, viewer, found, "Say why: the history keeps it.")
    await end(at_hand, name_of(found) if found.owned else found.assistant_id, viewer.name, reason)
    return RedirectResponse(href(found, done="ended"), HTTPStatus.SEE_OTHER, {"Cache-Control": "no-store"})


async def _draw(request: Request, viewer: Identity, found: ServedAssistant, error: str = "") -> Response:
    at_hand, _ = await asked_for(request)
    report = await compare(
        at_hand, services(request).pool, name_of(found) if found.owned else found.assistant_id
    )
    head = head_of(request, viewer, found)
    return page(
        request, "assistants/canary.html", viewer, status=422 if error else 200, current=ALL, head=head, error=error,
        report=report, started=moment(report.canary.started_at), share=percent(report.canary.share),
        observed=share(report.observed), rows=_rows(report.arms, report.differs), longest=LONGEST_REASON,
        here=head.at("canary") if request.method == "POST" else "",
    )  # fmt: skip


def _rows(arms: tuple[ArmReport, ArmReport], differs: Any) -> list[dict[str, Any]]:
    rates = [
        {
            "label": label, "cells": [share(getattr(arm, name)) for arm in arms],
            "differs": differs.get(name), "rate": True,
        }
        for name, label in RATES
    ]  # fmt: skip
    plain = (
        ("Runs", [f"{arm.runs:,}" for arm in arms]), ("Threads", [f"{arm.threads:,}" for arm in arms]),
        ("Wait for a person", [f"{arm.waiting:,}" for arm in arms]),
        ("Half of the runs within", [seconds(arm.seconds_p50) for arm in arms]),
        ("95 % of the runs within", [seconds(arm.seconds_p95) for arm in arms]),
        ("Model cost of a thread", [_usd(arm) for arm in arms]),
    )  # fmt: skip
    told = [{"label": label, "cells": cells, "differs": None, "rate": False} for label, cells in plain]
    return [*told[:2], *rates, *told[2:]]


def share(rate: Rate) -> str:
    """`3 of 40 (7.5%)`; `none yet` of nothing."""
    return "none yet" if rate.share is None else f"{rate.count:,} of {rate.of:,} ({rate.share * 100:.1f}%)"


def seconds(value: float | None) -> str:
    """`2.4 s`."""
    return "not known" if value is None else f"{value:.1f} s"


def _usd(arm: ArmReport) -> str:
    cost = arm.cost
    if cost.usd_per_thread is None:
        return "not known"
    return f"${cost.usd_per_thread:.4f}{' or more' if cost.unpriced else ''}"
