"""What is written down when a review opens: who asks, what is asked in a line, what the policy says. Pure but for
one look at the assistant's name."""

import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from stationmaster.reviews import shapes
from stationmaster.reviews.agent_server import AgentServer
from stationmaster.reviews.desk import Stamper
from stationmaster.reviews.model import Description, Facts, Pending, Stamp, ThreadSnapshot, as_shown
from stationmaster.reviews.nodes import nodes_at
from stationmaster.reviews.plain_text import storable
from stationmaster.reviews.plan import Open

SEARCHED = 20_000
"""Characters of a question that searches look at."""
RETURNED = "asked again: this question was closed before, and the Agent Server asks it once more"


@dataclass(frozen=True)
class Asker:
    """The run that asked, and its assistant as far as it is known."""

    run_id: str | None
    graph: str | None
    assistant_id: str | None
    assistant_name: str | None
    assistant_version: int | None
    nodes: Mapping[str, str] = field(default_factory=dict)
    """Of the graph's drawing, with what each does, where a question needs them."""
    hints: Mapping[str, Any] = field(default_factory=dict)
    """What a cron's file says of reviews; servers copy it to the cron's runs and their threads."""


async def asker_of(seen: ThreadSnapshot, server: AgentServer, *, breakpoint_: bool = False) -> Asker:
    """From the checkpoint's run, else the newest run, else the thread's own metadata. `breakpoint_`: an answer may be
    written as another node.

    Which policy holds hangs on graph and assistant, and a run's metadata is its caller's: both are what the server says
    of the assistant. What metadata says counts where it says the same, or where the assistant is gone.
    """
    top = seen.checkpoint
    run = next((run for run in seen.runs if run.run_id == top.run_id), seen.run)
    stamps: Mapping[str, Any] = run.metadata if run else {}
    assistant_id = (run and run.assistant_id) or top.assistant_id or seen.metadata.get("assistant_id")
    known = await server.assistant(str(assistant_id)) if assistant_id else {}
    name, version = known.get("name"), stamps.get("assistant_version")
    stamped = not known or stamps.get("assistant_name") == name
    return Asker(
        run_id=top.run_id or (run.run_id if run else None),
        graph=_text(known.get("graph_id") or top.graph or seen.metadata.get("graph_id")),
        assistant_id=_text(assistant_id),
        assistant_name=_text(name),
        assistant_version=version if stamped and isinstance(version, int) else None,
        hints=_mapping(stamps.get("review") or seen.metadata.get("review")),
        nodes=await server.nodes(str(assistant_id)) if assistant_id and breakpoint_ else {},
    )


def row_of(change: Open, policies: Stamper, asker: Asker, now: datetime) -> dict[str, Any]:
    """The columns of a new review."""
    question = change.question
    shape = shapes.of(question)
    described = shape.describe(question)
    title = _line(_title(question, described, asker)) or "A question without words"
    facts = Facts(
        graph=asker.graph,
        assistant_id=asker.assistant_id,
        assistant_name=asker.assistant_name,
        assistant_version=asker.assistant_version,
        node=question.node,
        shape=shape.NAME,
        title=title,
        payload=question.value,
        amount_usd=described.amount_usd,
        debug=question.debug,
        hints=asker.hints,
    )
    stamp = policies.stamp(facts, now)
    return {
        "thread_id": question.thread_id,
        "interrupt_id": question.interrupt_id,
        "digest": question.digest,
        "occurrence": change.occurrence,
        "kind": question.kind,
        "shape": shape.NAME,
        "debug": question.debug,
        "graph": asker.graph,
        "assistant_id": asker.assistant_id,
        "assistant_name": asker.assistant_name,
        "assistant_version": asker.assistant_version,
        "node": question.node,
        "namespace": question.namespace,
        "run_id": asker.run_id,
        "checkpoint_id": question.checkpoint_id,
        "title": title,
        "amount_usd": described.amount_usd,
        "payload": as_shown(question.value),
        "response_schema": None if question.response_schema is None else as_shown(question.response_schema),
        "search_text": " ".join(_words([title, asker.assistant_name, question.value]))[:SEARCHED],
        "nodes": list(nodes_at(asker.nodes, question.namespace)) if question.kind == "breakpoint" else [],
        "opened_at": now,
        "returned_from": change.returned_from,
        "note": RETURNED if change.returned_from else None,
        **_stamped(stamp, question.debug),
    }


def _title(question: Pending, described: Description, asker: Asker) -> str:
    """A breakpoint asks nothing by itself: where its graph has no words for it, who waits and for what is all that is
    told. Nothing of the state, which may be about anybody: titles stand in lists and in messages that leave the house.
    """
    if question.kind != "breakpoint" or shapes.breakpoint.own_words(question):
        return described.title
    does = (
        {} if question.namespace else asker.nodes
    )  # what nodes of a subgraph do stands at the one that holds it
    return shapes.breakpoint.title_of(question, asker.assistant_name or asker.graph, does)


def _stamped(stamp: Stamp, debug: bool) -> dict[str, Any]:
    """A debug review is never due, whatever the policy says."""
    return {
        "risk": stamp.risk,
        "groups": list(stamp.groups),
        "policy": {
            **stamp.policy,
            "bulk_allowed": stamp.bulk_allowed,
            "default_on_expiry": stamp.default_on_expiry and dict(stamp.default_on_expiry),
        },
        "due_at": None if debug else stamp.due_at,
        "remind_at": None if debug else stamp.remind_at,
        "escalate_to": None if debug else stamp.escalate_to,
        "expires_at": None if debug else stamp.expires_at,
        "two_person": stamp.two_person and not debug,
    }


def _words(value: Any, left: int = SEARCHED) -> Iterator[str]:
    """Every text and number in a JSON value, without what Postgres can't keep, until there are enough."""
    waiting = deque([value])
    while waiting and left > 0:
        found = waiting.popleft()
        if isinstance(found, Mapping):
            waiting.extend([*found.keys(), *found.values()])
        elif isinstance(found, list):
            waiting.extend(found)
        elif found is not None and not isinstance(found, bool):
            word = storable(found if isinstance(found, str) else json.dumps(found))
            left -= len(word) + 1
            yield word


def _line(text: str) -> str:
    return " ".join(storable(text).split())[:200]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str | None:
    return storable(str(value)) if value is not None else None
