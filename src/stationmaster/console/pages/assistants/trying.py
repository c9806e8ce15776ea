"""Try it: a message to these settings and to the live ones, side by side, on scratch threads without effects."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from stationmaster.assistants import trying
from stationmaster.assistants.editing import wrong
from stationmaster.assistants.effects import Effects, effects_of
from stationmaster.assistants.overlay import defaults_of
from stationmaster.assistants.trying import Ended, NotTried, Step, Text, Trial
from stationmaster.assistants.versions import ref, version_of
from stationmaster.console.pages.assistants import drafting
from stationmaster.console.pages.assistants.addresses import ALL, asked_for, number
from stationmaster.console.pages.assistants.heading import head_of
from stationmaster.console.pages.assistants.saving import typed
from stationmaster.console.pages.assistants.settings import schema_of
from stationmaster.console.pages.people import require
from stationmaster.console.pages.render import page
from stationmaster.console.pages.served import sentence, served
from stationmaster.console.services import services
from stationmaster.errors import StationmasterError
from stationmaster.reconcile.errors import ReconcileError
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import Assistant, ServedAssistant
from stationmaster.reviews.access.identity import Identity

LONGEST = 4_000
EXAMPLE = "How long does a refund take?"


@dataclass
class Side:
    """One of the two: what it is, and what came of the message so far."""

    key: str
    title: str
    note: str
    content: Assistant
    texts: dict[str, str] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    ended: Ended | None = None


@dataclass(frozen=True)
class Bench:
    """What a trial needs: the graph's own assistant, what its nodes do, and the two sides."""

    gateway: Gateway
    found: ServedAssistant
    system: ServedAssistant | None
    schemas: Mapping[str, Any]
    effects: Effects
    sides: tuple[Side, ...]
    texts: Mapping[str, str]

    @property
    def takes_messages(self) -> bool:
        schema = self.schemas.get("input_schema")
        return not isinstance(schema, Mapping) or "messages" in (schema.get("properties") or {})


@served
async def look(request: Request, viewer: Identity) -> Response:
    """The page before anything was sent. `?version=` tries an earlier version."""
    require(viewer, "editor")
    bench = await _bench(request, None)
    with contextlib.suppress(ReconcileError):  # the next one who looks takes them away
        await trying.tidy(bench.gateway)
    return _draw(request, viewer, bench)


@served
async def tried(request: Request, viewer: Identity) -> Response:
    """Without a script: the answers when both have come. A draft that comes from the form is only shown first."""
    require(viewer, "editor")
    form = await request.form()
    bench = await _bench(request, form)
    if "message" not in form:
        return _draw(request, viewer, bench)
    message = _message(form)
    trials, problem = _trials(bench, message, viewer.name)
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
    bench = await _bench(request, form)
    trials, problem = _trials(bench, _message(form), viewer.name)
    if problem:
        return JSONResponse({"ok": False, "text": problem}, 422)
    keyed = dict(zip((side.key for side in bench.sides), trials, strict=True))
    lines = _lines(bench.gateway, keyed, services(request).trials)
    return StreamingResponse(lines, media_type="application/x-ndjson", headers={"Cache-Control": "no-store"})


async def _bench(request: Request, form: FormData | None) -> Bench:
    at_hand, found = await asked_for(request)
    everybody = await at_hand.assistants()
    schemas = await at_hand.schemas(found.graph)
    system = next((each for each in everybody if each.system and each.graph == found.graph), None)
    live = next((each for each in everybody if each.live and each.owned and each.graph == found.graph), None)
    given = request.query_params.get("version") if form is None else form.get("tried_version")
    asked = number(given if isinstance(given, str) else None)
    version = await version_of(at_hand, found, asked)
    content, texts, note = version.content(), dict[str, str](), ""
    if form is not None:
        read = drafting.read(version, schemas, form)
        content, texts = read.content, dict(read.texts)
        if not read.fits:
            note = "What is wrong with the settings has to be put right first."
    title = f"{ref(version)}, edited" if content != version.content() else ref(version)
    sides = [Side("this", title, note or _note(version, found), content)]
    if live is not None and (live.assistant_id != found.assistant_id or content != live.content()):
        sides.append(Side("live", ref(live), "live now", live.content()))
    effects = await effects_of(at_hand, (system or found).assistant_id)
    return Bench(at_hand, found, system, schemas, effects, tuple(sides), texts)


def _note(version: ServedAssistant, found: ServedAssistant) -> str:
    if version.version != found.version:
        return "an earlier version"
    return "live now" if found.live else ""


def _message(form: FormData) -> str:
    given = form.get("message")
    return given.replace("\r\n", "\n")[:LONGEST] if isinstance(given, str) else ""


def _trials(bench: Bench, message: str, by: str) -> tuple[list[Trial], str]:
    """What to run on each side, or why nothing is."""
    if not message.strip():
        return [], "Write a message first."
    if bench.system is None:
        return (
            [],
            f"The server has no assistant of its own for graph {bench.found.graph}: nothing can be tried.",
        )
    given: Any = {"messages": [{"role": "user", "content": message}]}
    if not bench.takes_messages:
        try:
            given = json.loads(message)
        except ValueError:
            given = None
        if not isinstance(given, dict):
            return [], 'This graph takes JSON: write an object, as in {"topic": "chairs"}.'
    for side in bench.sides:
        if found := wrong(side.content, schema_of(bench.schemas)):
            return [], f"{side.title}: {found[0][1]}."
    defaults = defaults_of(bench.schemas)
    try:
        return [
            trying.trial(side.content, bench.system, defaults, bench.effects, given, by)
            for side in bench.sides
        ], ""
    except NotTried as error:
        return [], sentence(error)


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


async def _lines(
    at_hand: Gateway, trials: Mapping[str, Trial], at_once: asyncio.Semaphore
) -> AsyncGenerator[bytes]:
    """Both runs at once, told apart by `side`. Whoever leaves the page stops both."""
    queue: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
    tasks = [asyncio.create_task(_tell(at_hand, key, asked, queue, at_once)) for key, asked in trials.items()]
    try:
        left = len(tasks)
        while left:
            told = await queue.get()
            left -= told is None
            if told is not None:
                yield json.dumps(told, ensure_ascii=True, default=str).encode() + b"\n"
    finally:
        for task in tasks:
            task.cancel()


async def _tell(
    at_hand: Gateway, key: str, asked: Trial, queue: asyncio.Queue[dict[str, Any] | None], at_once: asyncio.Semaphore
) -> None:  # fmt: skip
    """One run's events as the script reads them; None at the end, whatever it was."""
    try:
        async with at_once, contextlib.aclosing(trying.run(at_hand, asked)) as events:
            async for event in events:
                await queue.put({"side": key, **_told(event)})
    except StationmasterError as error:
        await queue.put({"side": key, **_told(Ended("failed", error=str(error)))})
    finally:
        queue.put_nowait(None)


def _told(event: trying.Event) -> dict[str, Any]:
    match event:
        case Text(node, text):
            return {"kind": "text", "node": node, "text": text}
        case Step(node):
            return {"kind": "step", "node": node}
        case Ended():
            return {"kind": "ended", "state": event.state, "words": ending(event)}


def ending(ended: Ended) -> str:
    """How it ended, as the page says it."""
    match ended.state:
        case "stopped":
            told = [f"{node} ({effect})" if effect else node for node, effect in ended.before.items()]
            return f"Stopped before {' and '.join(told)}: nothing of that was done."
        case "asks":
            return "It would ask a person now. Nobody was asked."
        case "failed":
            return f"It failed: {ended.error.rstrip('.')}."
        case _:
            return "It came to its end without any effect."


def _draw(
    request: Request, viewer: Identity, bench: Bench, message: str = "", problem: str = "", status: int = 200
) -> Response:
    head = head_of(request, viewer, bench.found)
    return page(
        request, "assistants/try.html", viewer, status=status, current=ALL, head=head, message=message, problem=problem,
        sides=[_shown(side) for side in bench.sides], effects=bench.effects, takes_messages=bench.takes_messages,
        typed=typed(bench.texts), longest=LONGEST, example=EXAMPLE if bench.takes_messages else "",
        tried_version=_tried_version(request), alone=len(bench.sides) == 1,
    )  # fmt: skip


def _tried_version(request: Request) -> int | str:
    return number(request.query_params.get("version")) or ""


def _shown(side: Side) -> dict[str, Any]:
    return {
        "key": side.key, "title": side.title, "note": side.note, "steps": side.steps,
        "texts": list(side.texts.items()), "ending": ending(side.ended) if side.ended else "",
        "state": side.ended.state if side.ended else "",
    }  # fmt: skip
