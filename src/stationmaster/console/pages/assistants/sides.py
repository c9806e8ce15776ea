"""The two sides of a trial: whose settings each has, and what is run on it, or why nothing is."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from stationmaster.assistants import trying
from stationmaster.assistants.editing import wrong
from stationmaster.assistants.effects import Effects, effects_of
from stationmaster.assistants.overlay import defaults_of, schema_of
from stationmaster.assistants.trying import Ended, NotTried, Trial
from stationmaster.assistants.versions import ref, version_of
from stationmaster.console.pages.assistants import drafting
from stationmaster.console.pages.assistants.addresses import asked_for, number
from stationmaster.console.pages.served import sentence
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import Assistant, ServedAssistant

LONGEST = 4_000


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
    version: int | None = None
    """Which version is tried, where it is not the current one."""

    @property
    def takes_messages(self) -> bool:
        schema = self.schemas.get("input_schema")
        return not isinstance(schema, Mapping) or "messages" in (schema.get("properties") or {})


async def bench_of(request: Request, form: FormData | None) -> Bench:
    """What the address and the form ask to be tried. NoSuchAssistant, also for a version that there is not."""
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
    return Bench(at_hand, found, system, schemas, effects, tuple(sides), texts, asked)


def _note(version: ServedAssistant, found: ServedAssistant) -> str:
    if version.version != found.version:
        return "an earlier version"
    return "live now" if found.live else ""


def message_of(form: FormData) -> str:
    """What a person wrote, with one kind of line ends."""
    given = form.get("message")
    return given.replace("\r\n", "\n")[:LONGEST] if isinstance(given, str) else ""


def trials_of(bench: Bench, message: str, by: str) -> tuple[list[Trial], str]:
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
