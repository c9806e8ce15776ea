"""Crons: when they fire, what became of each slot, and pause, resume and run now for editors."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from stationmaster.console.api.asking import AtHand, Editor, Who, declared, served
from stationmaster.console.api.changing import Pause
from stationmaster.console.at_server import cron_desk
from stationmaster.console.json import JSONResponse
from stationmaster.console.told import WITHHELD, may_read
from stationmaster.console.yaml_files import cron_file
from stationmaster.crons import operating
from stationmaster.crons.desk import Page, next_of, overview, recorded
from stationmaster.crons.errors import NoSuchCron
from stationmaster.reconcile.resources import ServedCron
from stationmaster.reviews.access.identity import Identity

Json = dict[str, Any]
Before = Annotated[int | None, Query(ge=1, lt=2**63)]
Limit = Annotated[int, Query(ge=1, le=200)]


@declared(response_model=list[Json])
@served
async def list_crons(who: Who, at_hand: AtHand) -> JSONResponse:
    """Every cron, those of files first: its next slot in its own zone, and what became of the last."""
    return JSONResponse([_told(row, who) for row in await overview(cron_desk(at_hand))])


@declared(response_model=Json)
@served
async def get_cron(name: str, who: Who, at_hand: AtHand) -> JSONResponse:
    """One cron, by its name; what others made by its id."""
    rows = await overview(cron_desk(at_hand), name)
    if not rows:
        raise NoSuchCron(f"no cron is named {name}: look in the list for what there is")
    return JSONResponse({**_told(rows[0], who), "duplicates": len(rows) - 1})


@declared(response_model=list[Json])
@served
async def list_next(
    name: str, who: Who, at_hand: AtHand, count: Annotated[int, Query(ge=1, le=100)] = 10,
    after: datetime | None = None,
) -> JSONResponse:  # fmt: skip
    """The next slots: in UTC (`at`), in the cron's zone (`local`), and a note where clocks change."""
    start = after if after and after.tzinfo else datetime.now(UTC)
    found = await next_of(cron_desk(at_hand), name, start, count)
    return JSONResponse([asdict(each) for each in found.firings])


@declared(response_model=Json)
@served
async def list_slots(who: Who, at_hand: AtHand, before: Before = None, limit: Limit = 50) -> JSONResponse:
    """What became of the newest slots of all crons; `next` is the `before` of the next page."""
    return _page(await recorded(cron_desk(at_hand), None, before=before, limit=limit), who)


@declared(response_model=Json)
@served
async def list_history(
    name: str, who: Who, at_hand: AtHand, before: Before = None, limit: Limit = 50
) -> JSONResponse:
    """What became of one cron's slots, newest first; it outlives the cron. `next` is the `before` of the next page."""
    return _page(await recorded(cron_desk(at_hand), name, before=before, limit=limit), who)


@declared(response_class=Response, responses={200: {"content": {"application/yaml": {}}}})
@served
async def get_cron_file(name: str, who: Who, at_hand: AtHand) -> Response:
    """The file that says what the cron says."""
    return await cron_file(cron_desk(at_hand).server.gateway, name)


@declared(response_model=list[Json])
@served
async def pause_cron(name: str, body: Pause, who: Editor, at_hand: AtHand) -> JSONResponse:
    """Stop it, and keep why and who; of duplicates all. Runs under way go on."""
    desk = cron_desk(at_hand)
    paused = await operating.pause(desk.server, desk.connections, name, reason=body.reason, by=who.name)
    return JSONResponse([_stands(each) for each in paused])


@declared(response_model=Json)
@served
async def resume_cron(name: str, who: Editor, at_hand: AtHand) -> JSONResponse:
    """Let it go on with its next slot from now; nothing fires for the past. What its file switched off stays off."""
    return JSONResponse(_stands(await operating.resume(cron_desk(at_hand).server, name)))


@declared(response_model=Json)
@served
async def run_cron(name: str, who: Editor, at_hand: AtHand) -> JSONResponse:
    """One run out of turn, and real. 409 `slot_refused` where it would take a question or work from its thread."""
    started = await operating.run_now(cron_desk(at_hand).server, name, by=who.name)
    return JSONResponse({"run_id": started.run_id, "thread_id": started.thread_id, "slot": started.tick})


def _stands(cron: ServedCron) -> Json:
    return {
        "name": cron.name, "cron_id": cron.cron_id, "enabled": cron.enabled, "paused": cron.paused,
        "next": cron.next_run_at if cron.enabled else None,
    }  # fmt: skip


def _page(found: Page, who: Identity) -> JSONResponse:
    told = may_read(who)
    slots = [
        {**asdict(tick), "reason": tick.reason if told or tick.outcome != "error" else WITHHELD}
        for tick in found.ticks
    ]
    return JSONResponse({"slots": slots, "next": found.older, "stale": found.stale})


def _told(row: Json, who: Identity) -> Json:
    last = row["last"]
    if last and last["outcome"] == "error" and not may_read(who):
        return {**row, "last": {**last, "reason": WITHHELD}}
    return row
