"""Try it: a message to these settings and to the live ones, side by side, on scratch threads without effects."""

import asyncio
import contextlib
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from stationmaster.assistants import trying
from stationmaster.assistants.trying import Ended, Step, Text, Trial
from stationmaster.console.pages.assistants.addresses import ALL
from stationmaster.console.pages.assistants.heading import head_of
from stationmaster.console.pages.assistants.saving import typed
from stationmaster.console.pages.assistants.sides import (
    LONGEST,
    Bench,
    Side,
    bench_of,
    ending,
    message_of,
    trials_of,
)
from stationmaster.console.pages.assistants.streaming import lines
from stationmaster.console.pages.people import require
from stationmaster.console.pages.render import page
from stationmaster.console.pages.served import served
from stationmaster.console.services import services
from stationmaster.errors import StationmasterError
from stationmaster.reconcile.errors import ReconcileError
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reviews.access.identity import Identity


@served
async def look(request: Request, viewer: Identity) -> Response:
    """The page before anything was sent. `?version=` tries an earlier version."""
    require(viewer, "editor")
    bench = await bench_of(request, None)
    with contextlib.suppress(ReconcileError):  # the next one who looks takes them away
        await trying.tidy(bench.gateway)
    return _draw(request, viewer, bench)


@served
async def tried(request: Request, viewer: Identity) -> Response:
    """Without a script: the answers when both have come. A draft that comes from the form is only shown first."""
    require(viewer, "editor")
    form = await request.form()
    bench = await bench_of(request, form)
    if "message" not in form:
        return _draw(request, viewer, bench)
    message = message_of(form)
    trials, problem = trials_of(bench, message, viewer.name)
    if problem:
        return _draw(request, viewer, bench, message, problem, 422)
    at_once = services(request).trials
    await asyncio.gather(
        *(
            _collect(bench.gateway, each, side, at_once)
            for each, side in zip(trials, bench.sides, strict=True)
        )
    )
    return _draw(request, viewer, bench, message)


@served
async def streamed(request: Request, viewer: Identity) -> Response:
    """For the page's script: one JSON object a line, as things happen on either side."""
    require(viewer, "editor")
    form = await request.form()
    bench = await bench_of(request, form)
    trials, problem = trials_of(bench, message_of(form), viewer.name)
    if problem:
        return JSONResponse({"ok": False, "text": problem}, 422)
    keyed = dict(zip((side.key for side in bench.sides), trials, strict=True))
    told = lines(bench.gateway, keyed, services(request).trials)
    return StreamingResponse(told, media_type="application/x-ndjson", headers={"Cache-Control": "no-store"})


async def _collect(at_hand: Gateway, asked: Trial, side: Side, at_once: asyncio.Semaphore) -> None:
    try:
        async with at_once, contextlib.aclosing(trying.run(at_hand, asked)) as events:
            async for event in events:
                match event:
                    case Text(node, text):
                        side.texts[node] = side.texts.get(node, "") + text
                    case Step(node):
                        side.steps.append(node)
                    case Ended():
                        side.ended = event
    except StationmasterError as error:
        side.ended = Ended("failed", error=str(error))


def _draw(
    request: Request, viewer: Identity, bench: Bench, message: str = "", problem: str = "", status: int = 200
) -> Response:
    head = head_of(request, viewer, bench.found)
    return page(
        request, "assistants/try.html", viewer, status=status, current=ALL, head=head, message=message, problem=problem,
        sides=[_shown(side) for side in bench.sides], effects=bench.effects, takes_messages=bench.takes_messages,
        typed=typed(bench.texts), longest=LONGEST,
        tried_version=bench.version or "", alone=len(bench.sides) == 1,
    )  # fmt: skip


def _shown(side: Side) -> dict[str, Any]:
    return {
        "key": side.key, "title": side.title, "note": side.note, "steps": side.steps,
        "texts": list(side.texts.items()), "ending": ending(side.ended) if side.ended else "",
        "state": side.ended.state if side.ended else "",
    }  # fmt: skip
